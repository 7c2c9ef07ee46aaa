package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.AllocationMeter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LookupAllocationTest {
    private static final int RIGHTS = Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE_WRITE;
    private static final int ROUNDS = 10_000;

    private long rounds;
    private long allowed;

    @Test
    void lookupCheckAndCountingAllocateNothing() {
        var table = new StagTable(new SplittableRandom(3), 100);
        MemorySegment memory = Arena.ofAuto().allocate(4096);
        int[] stags = new int[64];
        for (int i = 0; i < stags.length; i++) {
            stags[i] = table.register(1, memory, RIGHTS, TestDomain.OWNER).stag();
        }
        Runnable work = () -> {
            rounds += ROUNDS;
            for (int i = 0; i < ROUNDS; i++) {
                Grant grant = table.lookup(stags[i % stags.length]);
                if (grant != null && grant.check(1, 5, Rights.REMOTE_WRITE, i & 0xff, 1460) == AccessCheck.OK) {
                    grant.entry().countRemoteWrites(1);
                    allowed++;
                }
                table.lookup(i);
                table.invalidate(i, 1, 5, true, true);
            }
        };
        assertThat(new AllocationMeter().octetsAllocatedOnceWarm(work)).isZero();
        assertThat(allowed).isEqualTo(rounds);
    }
}
