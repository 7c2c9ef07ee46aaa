package io.stag.wire.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.wire.Vectors;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AtomicArithmeticTest {
    @ParameterizedTest
    @MethodSource("fetchAdds")
    @Conforms("EXT-006")
    void fetchAddGivesTheResultsOfTheVectors(JsonNode row) {
        long result = AtomicArithmetic.fetchAdd(
                Vectors.number(row.path("original")),
                Vectors.number(row.path("add")),
                Vectors.number(row.path("mask")));
        assertThat(result).isEqualTo(Vectors.number(row.path("result")));
    }

    @ParameterizedTest
    @MethodSource("compareSwaps")
    @Conforms("EXT-007")
    void compareSwapGivesTheResultsOfTheVectors(JsonNode row) {
        long original = Vectors.number(row.path("original"));
        long compare = Vectors.number(row.path("compare"));
        long compareMask = Vectors.number(row.path("compare_mask"));
        long result = AtomicArithmetic.compareSwap(
                original,
                compare,
                compareMask,
                Vectors.number(row.path("swap")),
                Vectors.number(row.path("swap_mask")));
        assertThat(result).isEqualTo(Vectors.number(row.path("result")));
        assertThat(AtomicArithmetic.compareSwapMatches(original, compare, compareMask))
                .isEqualTo(result != original);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms("EXT-006")
    void fetchAddIsWhatAnAdderBitByBitGives(long seed) {
        var random = new SplittableRandom(seed);
        for (int i = 0; i < 200; i++) {
            long original = sparse(random);
            long add = sparse(random);
            long mask = random.nextInt(4) == 0 ? 0 : sparse(random);
            assertThat(AtomicArithmetic.fetchAdd(original, add, mask))
                    .as("%x + %x mask %x, %s", original, add, mask, Seeds.replay(seed))
                    .isEqualTo(addBitByBit(original, add, mask));
            assertThat(AtomicArithmetic.fetchAdd(original, add, 0)).isEqualTo(original + add);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms("EXT-007")
    void compareSwapIsWhatAComparisonBitByBitGives(long seed) {
        var random = new SplittableRandom(seed);
        for (int i = 0; i < 200; i++) {
            long original = sparse(random);
            long compareMask = sparse(random);
            long difference = random.nextBoolean() ? sparse(random) & ~compareMask : 1L << random.nextInt(64);
            long compare = original ^ difference;
            long swap = sparse(random);
            long swapMask = sparse(random);
            assertThat(AtomicArithmetic.compareSwap(original, compare, compareMask, swap, swapMask))
                    .as(Seeds.replay(seed))
                    .isEqualTo(swapBitByBit(original, compare, compareMask, swap, swapMask));
        }
    }

    private static long addBitByBit(long original, long add, long mask) {
        long result = 0;
        int carry = 0;
        for (int bit = 0; bit < 64; bit++) {
            int sum = bit(original, bit) + bit(add, bit) + carry;
            result |= (long) (sum & 1) << bit;
            carry = bit(mask, bit) == 1 ? 0 : sum >>> 1;
        }
        return result;
    }

    private static long swapBitByBit(long original, long compare, long compareMask, long swap, long swapMask) {
        long result = 0;
        for (int bit = 0; bit < 64; bit++) {
            if (bit(compareMask, bit) == 1 && bit(original, bit) != bit(compare, bit)) {
                return original;
            }
            long chosen = bit(swapMask, bit) == 1 ? bit(swap, bit) : bit(original, bit);
            result |= chosen << bit;
        }
        return result;
    }

    private static int bit(long value, int bit) {
        return (int) (value >>> bit & 1);
    }

    /** Numbers with few ones, many ones and about half of each, so that carries run short and long. */
    private static long sparse(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> random.nextLong() & random.nextLong() & random.nextLong();
            case 1 -> random.nextLong() | random.nextLong() | random.nextLong();
            default -> random.nextLong();
        };
    }

    private static Stream<JsonNode> fetchAdds() {
        return Vectors.table("atomic_fetch_add");
    }

    private static Stream<JsonNode> compareSwaps() {
        return Vectors.table("atomic_cmp_swap");
    }
}
