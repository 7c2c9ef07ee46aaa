package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.simnet.AllocationMeter;
import io.stag.simnet.Conforms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AtomicMemoryTest {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long TOPS_OF_BYTES = 0x8080_8080_8080_8080L;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(32, 8);
    private final AtomicMemory.Original original = new AtomicMemory.Original();

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Test
    @Conforms({"EXT-006", "EXT-009"})
    void addsAndTellsWhatWasThereInTheOrderOfThisMachine() {
        memory.set(ValueLayout.JAVA_LONG, 8, -1L);
        assertThat(AtomicMemory.fetchAdd(memory, 8, 3, 0, original)).isEqualTo(AccessCheck.OK);
        assertThat(original.value()).isEqualTo(-1);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(2);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isZero();
        assertThat(memory.get(ValueLayout.JAVA_LONG, 16)).isZero();
    }

    @Test
    @Conforms("EXT-006")
    void addsFieldByFieldUnderAMask() {
        memory.set(ValueLayout.JAVA_LONG, 0, 0xff01_ff02_0304_05ffL);
        AtomicMemory.fetchAdd(memory, 0, 0x0101_0101_0101_0101L, TOPS_OF_BYTES, original);
        assertThat(original.value()).isEqualTo(0xff01_ff02_0304_05ffL);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x0002_0003_0405_0600L);
    }

    @Test
    @Conforms({"EXT-007", "EXT-009"})
    void swapsOnlyWhenTheComparedBitsAreEqualAndOnlyTheMaskedBits() {
        memory.set(ValueLayout.JAVA_LONG, 0, 0x1111_2222_3333_4444L);
        AccessCheck check =
                AtomicMemory.compareSwap(memory, 0, 0x2222_0000_0000L, 0xffff_0000_0000L, -1, 0xff, original);
        assertThat(check).isEqualTo(AccessCheck.OK);
        assertThat(original.value()).isEqualTo(0x1111_2222_3333_4444L);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x1111_2222_3333_44ffL);

        AtomicMemory.compareSwap(memory, 0, 5, -1, 6, -1, original);
        assertThat(original.value()).as("no match, old value told").isEqualTo(0x1111_2222_3333_44ffL);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x1111_2222_3333_44ffL);
    }

    @Test
    void theAddressMustBeAlignedNotTheOffset() {
        assertThat(AtomicMemory.isAligned(memory.asSlice(2), 6)).isTrue();
        assertThat(AtomicMemory.isAligned(memory.asSlice(2), 2)).isFalse();
        MemorySegment odd = memory.asSlice(4, 20);
        assertThat(AtomicMemory.isAligned(odd, 4)).isTrue();
        assertThat(AtomicMemory.isAligned(odd, 0)).isFalse();
        assertThat(AtomicMemory.fetchAdd(odd, 4, 9, 0, original)).isEqualTo(AccessCheck.OK);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(9);
        for (int offset = 1; offset < 8; offset++) {
            int at = offset;
            assertThatThrownBy(() -> AtomicMemory.fetchAdd(memory, at, 1, 0, original))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> AtomicMemory.compareSwap(memory, at, 0, 0, 1, -1, original))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isZero();
    }

    @Test
    void memoryWhoseArenaIsClosedIsReportedGone() {
        AtomicMemory.fetchAdd(memory, 0, 7, 0, original);
        AtomicMemory.fetchAdd(memory, 0, 0, 0, original);
        arena.close();
        assertThat(AtomicMemory.fetchAdd(memory, 0, 1, 0, original)).isEqualTo(AccessCheck.GONE);
        assertThat(AtomicMemory.fetchAdd(memory, 0, 1, TOPS_OF_BYTES, original)).isEqualTo(AccessCheck.GONE);
        assertThat(AtomicMemory.compareSwap(memory, 0, 0, 0, 1, -1, original)).isEqualTo(AccessCheck.GONE);
        assertThat(original.value()).isEqualTo(7);
    }

    @Test
    void noUpdateIsLostAgainstTheProgramsOwnThreads() throws InterruptedException {
        int rounds = 20_000;
        List<Runnable> workers = List.of(
                () -> WORD.getAndAdd(memory, 0L, 1L),
                () -> AtomicMemory.fetchAdd(memory, 0, 1, 0, new AtomicMemory.Original()),
                () -> AtomicMemory.fetchAdd(memory, 0, 1, 1L << 40, new AtomicMemory.Original()),
                () -> addByCompareSwap(memory));
        List<Thread> threads = new ArrayList<>();
        for (Runnable worker : workers) {
            threads.add(Thread.ofPlatform().name("stag-test-adder").start(() -> {
                for (int i = 0; i < rounds; i++) {
                    worker.run();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo((long) rounds * workers.size());
    }

    @Test
    void allocatesNothing() {
        Runnable work = () -> {
            for (int i = 0; i < 10_000; i++) {
                AtomicMemory.fetchAdd(memory, 0, 1, 0, original);
                AtomicMemory.fetchAdd(memory, 0, 1, TOPS_OF_BYTES, original);
                AtomicMemory.compareSwap(memory, 8, i, -1, i + 1, -1, original);
            }
        };
        assertThat(new AllocationMeter().octetsAllocatedOnceWarm(work)).isZero();
    }

    private static void addByCompareSwap(MemorySegment memory) {
        var seen = new AtomicMemory.Original();
        long expected;
        do {
            expected = (long) WORD.getVolatile(memory, 0L);
            AtomicMemory.compareSwap(memory, 0, expected, -1, expected + 1, -1, seen);
        } while (seen.value() != expected);
    }
}
