package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.simnet.AllocationMeter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final long BASE = 0x1_0000_2000L;
    private static final int RIGHTS = Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE_WRITE;

    private final MemorySegment staging = Arena.ofAuto().allocate(64);
    private final StagTable table = new StagTable(new SplittableRandom(1), 10);

    @Test
    void placesAtTheTaggedOffsetAndNowhereElse() {
        MemorySegment memory = Arena.ofAuto().allocate(16);
        Grant grant = grant(memory);
        staging.asSlice(5, 3).fill((byte) 9);
        assertThat(Placement.place(staging, 5, grant, BASE + 4, 3)).isEqualTo(AccessCheck.OK);
        assertThat(memory.toArray(ValueLayout.JAVA_BYTE))
                .containsExactly(0, 0, 0, 0, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void gathersFromTheTaggedOffset() {
        MemorySegment memory = Arena.ofAuto().allocate(16);
        memory.asSlice(4, 3).fill((byte) 9);
        assertThat(Placement.gather(grant(memory), BASE + 4, staging, 1, 3)).isEqualTo(AccessCheck.OK);
        assertThat(staging.asSlice(0, 6).toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 9, 9, 9, 0, 0);
    }

    @Test
    void memoryWhoseArenaIsClosedIsReportedGone() {
        Arena arena = Arena.ofShared();
        Grant grant = grant(arena.allocate(16));
        arena.close();
        assertThat(Placement.place(staging, 0, grant, BASE, 3)).isEqualTo(AccessCheck.GONE);
        assertThat(Placement.gather(grant, BASE, staging, 0, 3)).isEqualTo(AccessCheck.GONE);
    }

    @Test
    void ourOwnMistakesAreNotSwallowed() {
        Grant grant = grant(Arena.ofAuto().allocate(16));
        Arena arena = Arena.ofShared();
        MemorySegment closed = arena.allocate(16);
        arena.close();
        assertThatThrownBy(() -> Placement.place(closed, 0, grant, BASE, 3)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Placement.gather(grant, BASE, closed, 0, 3)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Placement.place(staging, 0, grant, BASE + 15, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Placement.gather(grant, BASE - 1, staging, 0, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void anArenaClosedDuringACopyEndsTheCopyNotTheJvm() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(1 << 16);
            MemorySegment source = Arena.ofAuto().allocate(1 << 16);
            Thread closer = Thread.ofPlatform().name("stag-test-closer").start(() -> {
                while (memory.get(ValueLayout.JAVA_BYTE, 0) == 0) {
                    Thread.onSpinWait();
                }
                arena.close();
            });
            source.fill((byte) 1);
            AccessCheck check;
            do {
                check = Placement.place(source, 0, memory, 0, memory.byteSize());
            } while (check == AccessCheck.OK);
            assertThat(check).isEqualTo(AccessCheck.GONE);
            assertThat(Thread.currentThread().isInterrupted())
                    .as("the JVM interrupts the thread it stops; an agent must not keep that")
                    .isFalse();
            closer.join();
        }
    }

    @Test
    void anInterruptFromBeforeIsKept() {
        Arena arena = Arena.ofShared();
        Grant grant = grant(arena.allocate(16));
        arena.close();
        Thread.currentThread().interrupt();
        Placement.place(staging, 0, grant, BASE, 3);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void allocatesNothing() {
        Grant grant = grant(Arena.ofAuto().allocate(64));
        Runnable work = () -> {
            for (int i = 0; i < 10_000; i++) {
                Placement.place(staging, 0, grant, BASE + 3, 61);
                Placement.gather(grant, BASE, staging, 0, 64);
            }
        };
        assertThat(new AllocationMeter().octetsAllocatedOnceWarm(work)).isZero();
    }

    private Grant grant(MemorySegment memory) {
        return table.registerAs(0x0001_0001, BASE, 1, memory, RIGHTS, TestDomain.OWNER)
                .grant();
    }
}
