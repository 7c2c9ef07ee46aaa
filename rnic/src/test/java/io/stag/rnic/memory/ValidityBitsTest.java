package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.verbs.ValidityMap;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ValidityBitsTest {
    private static final int BLOCK = 64;

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms("DG-028")
    void tellsOnceWhatWasMarked(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int length = 1 + random.nextInt(40_000);
        int blocks = Math.ceilDiv(length, BLOCK);
        ValidityBits bits = new ValidityBits(length);
        boolean[] marked = new boolean[blocks];
        ValidityMap map = ValidityMap.ofLength(length);
        for (int i = 0; i < 100; i++) {
            if (random.nextBoolean()) {
                int first = random.nextInt(blocks);
                int end = first + random.nextInt(blocks - first + 1);
                bits.mark(first, end);
                Arrays.fill(marked, first, end, true);
            } else {
                int offset = random.nextInt(length);
                int count = random.nextInt(length - offset + 1);
                check(bits, marked, map, offset, count, Seeds.replay(seed));
            }
        }
    }

    private static void check(
            ValidityBits bits, boolean[] marked, ValidityMap map, int offset, int length, String hint) {
        int first = offset / BLOCK;
        int end = length == 0 ? first : (offset + length - 1) / BLOCK + 1;
        int count = 0;
        for (int block = first; block < end; block++) {
            count += marked[block] ? 1 : 0;
        }
        assertThat(bits.hasAny(offset, length)).as(hint).isEqualTo(count > 0);
        assertThat(bits.take(offset, length, map)).as(hint).isEqualTo(count);
        assertThat(map.validBlocks()).as(hint).isEqualTo(count);
        assertThat(map.start()).as(hint).isEqualTo((long) first * BLOCK);
        assertThat(map.end()).as(hint).isEqualTo((long) end * BLOCK);
        long next = map.nextValid(0);
        for (int block = first; block < end; block++) {
            boolean valid = map.isValid((long) block * BLOCK);
            assertThat(valid).as("block %d, %s", block, hint).isEqualTo(marked[block]);
            if (valid) {
                assertThat(next).as(hint).isEqualTo((long) block * BLOCK);
                next = map.nextValid(next + BLOCK);
            }
        }
        assertThat(next).as(hint).isEqualTo(map.end());
        Arrays.fill(marked, first, end, false);
        assertThat(bits.take(offset, length, map)).as(hint).isZero();
    }
}
