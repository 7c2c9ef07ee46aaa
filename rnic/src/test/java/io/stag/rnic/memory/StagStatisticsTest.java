package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StagStatisticsTest {
    private static final int REGISTRATIONS = 10_000;
    private static final int BUCKETS = 256;

    private final MemorySegment memory = Arena.ofAuto().allocate(8);
    private final StagTable table = new StagTable(new SplittableRandom(42), REGISTRATIONS);

    @Test
    @Conforms("SEC-006")
    void stagsAreSpreadEvenlyAndNeighboursInTimeAreFarApart() {
        int[] high = new int[BUCKETS];
        int[] low = new int[BUCKETS];
        int[] keys = new int[BUCKETS];
        int[] steps = new int[BUCKETS];
        int before = 0;
        for (int i = 0; i < REGISTRATIONS; i++) {
            int stag = register().stag();
            high[stag >>> 24]++;
            low[stag >>> 8 & 0xff]++;
            keys[stag & 0xff]++;
            steps[(stag >>> 8) - (before >>> 8) >>> 16 & 0xff]++;
            before = stag;
        }
        // 255 degrees of freedom: mean 255, standard deviation 22.6; 400 is more than six of them away
        assertThat(chiSquare(high)).as("upper octet of the index").isLessThan(400);
        assertThat(chiSquare(low)).as("lower octet of the index").isLessThan(400);
        assertThat(chiSquare(keys)).as("key").isLessThan(400);
        assertThat(chiSquare(steps)).as("step from one STag to the next").isLessThan(400);
        assertThat(table.size()).isEqualTo(REGISTRATIONS);
    }

    @Test
    @Conforms("SEC-007")
    void aFreedIndexIsNotGivenAgainSoon() {
        var seen = new BitSet();
        for (int i = 0; i < REGISTRATIONS; i++) {
            SoftMemoryRegion region = register();
            assertThat(seen.get(region.index())).isFalse();
            seen.set(region.index());
            region.close();
        }
    }

    private SoftMemoryRegion register() {
        return table.register(1, memory, Rights.LOCAL_READ, TestDomain.OWNER);
    }

    private static double chiSquare(int[] counts) {
        double expected = (double) REGISTRATIONS / BUCKETS;
        double sum = 0;
        for (int count : counts) {
            sum += (count - expected) * (count - expected) / expected;
        }
        return sum;
    }
}
