package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void theMedianIsTheMiddleOne() {
        assertThat(Spread.of(DoubleStream.of(9, 1, 2))).isEqualTo(new Spread(2, 1, 9, 3));
        assertThat(Spread.of(DoubleStream.of(4, 1, 2, 9)).median()).isEqualTo(3);
    }

    @Test
    void itTellsWhereHalfOfManyLie() {
        assertThat(Spread.of(DoubleStream.of(5, 3, 100, 4, 0))).isEqualTo(new Spread(4, 3, 5, 5));
        assertThat(Spread.of(IntStream.rangeClosed(1, 41).asDoubleStream())).isEqualTo(new Spread(21, 11, 31, 41));
    }

    @Test
    void whatIsMissingDoesNotCount() {
        assertThat(Spread.of(DoubleStream.of(Double.NaN, 5))).isEqualTo(new Spread(5, 5, 5, 1));
        Spread none = Spread.of(DoubleStream.of(Double.NaN));
        assertThat(none.isEmpty()).isTrue();
        assertThat(none.text(2)).isEqualTo("-");
        assertThat(none.range(2)).isEqualTo("-");
    }

    @Test
    void nothingIsMinusZero() {
        assertThat(Spread.number(-0.3, 0)).isEqualTo("0");
        assertThat(Spread.number(-0.001, 2)).isEqualTo("0.00");
        assertThat(Spread.number(-0.6, 0)).isEqualTo("-1");
    }

    @Test
    void ratiosAreTakenRoundByRound() {
        // a slow round for both: the ratio of the medians would be 3, that of each round is 2
        Spread ratio = Spread.ofRatios(List.of(2.0, 6.0, 20.0), List.of(1.0, 2.0, 10.0));
        assertThat(ratio.median()).isEqualTo(2);
        assertThat(ratio.range(1)).isEqualTo("2.0..3.0");
    }

    @Test
    void aRoundWithoutBaselineHasNoRatio() {
        assertThat(Spread.ofRatios(List.of(2.0, 6.0, 5.0), List.of(0.0, Double.NaN, 10.0)))
                .isEqualTo(new Spread(0.5, 0.5, 0.5, 1));
    }
}
