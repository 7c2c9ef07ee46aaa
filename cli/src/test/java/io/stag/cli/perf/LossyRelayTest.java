package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LossyRelayTest {
    private static final int TRIES = 200_000;

    @ParameterizedTest
    @CsvSource({"1472, 0.01, 0.01", "1473, 0.01, 0.0199", "60000, 0.01, 0.3377", "1472, 0, 0"})
    void aDatagramIsLostWithAnyOfItsFragments(int octets, double loss, double expected) {
        SplittableRandom random = new SplittableRandom(1);
        long lost = IntStream.range(0, TRIES)
                .filter(_ -> LossyRelay.isLost(octets, loss, random))
                .count();
        assertThat((double) lost / TRIES).isEqualTo(expected, Offset.offset(0.005));
    }
}
