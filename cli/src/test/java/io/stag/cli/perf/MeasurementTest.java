package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class MeasurementTest {
    private static final Offset<Double> CLOSE = Offset.offset(1e-9);

    @Test
    void fairnessIsJainsIndex() {
        assertThat(Measurement.fairness(5, 5, 5, 5)).isEqualTo(1);
        assertThat(Measurement.fairness(9, 0, 0)).isCloseTo(1.0 / 3, CLOSE);
        assertThat(Measurement.fairness(1, 2, 3)).isCloseTo(36.0 / (3 * 14), CLOSE);
        assertThat(Measurement.fairness(0, 0)).as("nobody got anything").isEqualTo(1);
    }

    @Test
    void severalConnectionsAreCountedApart() throws Exception {
        RunSpec two = SamplesTest.spec(PerfTest.TCP_BW, 64).on(2, 0);
        Measurement measurement = ControlledRun.measure(two);
        assertThat(measurement.result().fairness()).isCloseTo(1.0, Offset.offset(0.1));
        assertThat(measurement.percentiles()).isEmpty();
        assertThat(ControlledRun.measure(two.on(1, 0)).result().fairness()).isNull();
    }

    @Test
    void percentilesRiseToTheMaximum() throws Exception {
        Measurement measurement = ControlledRun.measure(SamplesTest.spec(PerfTest.TCP_LAT, 64));
        assertThat(measurement.percentiles())
                .extracting(Measurement.Percentile::us)
                .isSorted()
                .hasSizeGreaterThan(5);
        assertThat(measurement.percentiles().getLast().percent()).isEqualTo(100);
    }
}
