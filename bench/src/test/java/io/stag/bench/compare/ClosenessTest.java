package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ClosenessTest {
    private static final RunSpec SPEC = RunSpec.of(PerfTest.TCP_LAT, 4);
    private static final double NEAR = 50;
    private static final double FAR = 160;

    private double distance = NEAR;
    private long waited;
    private int farWaits;
    private int farRuns;

    private final Closeness closeness = new Closeness(() -> distance, millis -> {
        waited += millis;
        if (distance != NEAR && !Double.isNaN(distance) && --farWaits <= 0) {
            distance = NEAR;
        }
    });
    /** The processors move apart during the first runs, and stay so for a while. */
    private final FakeBench runs = new FakeBench(_ -> {
        if (farRuns-- > 0) {
            distance = FAR;
        }
        return Double.isNaN(distance) ? 1 : distance; // NaN would be a run that fails
    });

    private Measurement run() throws IOException {
        try (Bench bench = closeness.over(runs)) {
            return bench.run(SPEC, new RunDuration(1, 0));
        }
    }

    @Test
    void whereProcessorsDoNotMoveNothingIsRepeated() throws IOException {
        assertThat(run().result().cpuUsPerMsg()).isEqualTo(NEAR);
        assertThat(runs.runs).hasSize(1);
        assertThat(closeness.found()).isEqualTo(new Closeness.Found(NEAR, 0, 0));
    }

    @Test
    void aRunDuringWhichTheyMoveApartIsRepeatedWhenTheyAreNearAgain() throws IOException {
        farRuns = 2;
        farWaits = 7;
        assertThat(run().result().cpuUsPerMsg()).isEqualTo(NEAR);
        assertThat(runs.runs).hasSize(3);
        assertThat(closeness.found()).isEqualTo(new Closeness.Found(NEAR, 2, 0));
    }

    @Test
    void oneThatIsFarAgainAndAgainCountsAllTheSame() throws IOException {
        farRuns = Integer.MAX_VALUE;
        farWaits = 1;
        assertThat(run().result().cpuUsPerMsg()).isEqualTo(FAR);
        assertThat(runs.runs).hasSize(4);
        assertThat(closeness.found()).isEqualTo(new Closeness.Found(NEAR, 3, 1));
        assertThat(closeness.found().text())
                .isEqualTo("processors 50 ns apart, 3 runs repeated because they moved, 1 kept although they did");
    }

    @Test
    void whatLastsBecomesUsual() throws IOException {
        farRuns = 1;
        farWaits = Integer.MAX_VALUE;
        for (int i = 0; i < 100; i++) {
            assertThat(run().result().cpuUsPerMsg()).isEqualTo(FAR);
        }
        assertThat(closeness.found().nanoseconds()).isEqualTo(FAR);
        assertThat(runs.runs).hasSizeLessThan(105);
        assertThat(waited).isLessThan(60_000);
    }

    @Test
    void tooNearIsOtherThanUsualAsWell() throws IOException {
        run();
        distance = NEAR / 2;
        farWaits = 1;
        run();
        assertThat(runs.runs).hasSize(2);
        assertThat(waited).as("until it was as before").isEqualTo(5 * 250);
    }

    @Test
    void whereDistancesCannotBeMeasuredEverythingIsRunOnce() throws IOException {
        distance = Double.NaN;
        run();
        run();
        assertThat(runs.runs).hasSize(2);
        assertThat(waited).isZero();
        assertThat(closeness.found()).isNull();
    }

    @Test
    void theDistanceOfRealProcessorsIsPositiveOrUnknown() {
        double found = ProcessorDistance.measure();
        assertThat(Double.isNaN(found) || found > 0).isTrue();
    }
}
