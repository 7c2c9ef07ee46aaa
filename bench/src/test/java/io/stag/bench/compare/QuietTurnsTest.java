package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuietTurnsTest {
    private static final RunSpec SPEC = RunSpec.of(PerfTest.TCP_LAT, 4);
    private static final RunDuration A_MOMENT = new RunDuration(0.1, 0);
    private static final double NEAR = 50;
    private static final double FAR = 160;

    private double distance = NEAR;
    private long waited;
    private int farWaits;
    private int farRuns;

    private final QuietTurns turns = new QuietTurns(() -> distance, millis -> {
        waited += millis;
        if (distance == FAR && --farWaits <= 0) {
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

    private Measurement run(RunDuration duration) throws IOException {
        try (Bench bench = turns.over(runs)) {
            return bench.run(SPEC, duration);
        }
    }

    @Test
    void whereProcessorsDoNotMoveNothingIsRepeated() throws IOException {
        assertThat(run(A_MOMENT).result().cpuUsPerMsg()).isEqualTo(NEAR);
        assertThat(runs.runs).hasSize(1);
        assertThat(turns.found()).isEqualTo(new QuietTurns.Found(NEAR, 1, 0, 0, 0));
        assertThat(turns.found().text()).isEqualTo("processors 50 ns apart");
    }

    @Test
    void aTurnInWhichTheyMoveApartIsRepeatedWhenTheyAreNearAgain() throws IOException {
        farRuns = 2;
        farWaits = 7;
        assertThat(run(A_MOMENT).result().cpuUsPerMsg()).isEqualTo(NEAR);
        assertThat(runs.runs).hasSize(3);
        assertThat(turns.found()).isEqualTo(new QuietTurns.Found(NEAR, 1, 2, 0, 0));
    }

    @Test
    void oneThatIsFarAgainAndAgainCountsAllTheSame() throws IOException {
        farRuns = Integer.MAX_VALUE;
        farWaits = 1;
        assertThat(run(A_MOMENT).result().cpuUsPerMsg()).isEqualTo(FAR);
        assertThat(runs.runs).hasSize(10);
        assertThat(turns.found()).isEqualTo(new QuietTurns.Found(NEAR, 1, 9, 0, 1));
        assertThat(turns.found().text())
                .isEqualTo("processors 50 ns apart, 1 turns, and 9 not counted in which they moved, 0 in which code was"
                        + " compiled, 1 kept all the same");
    }

    @Test
    void whatLastsBecomesUsual() throws IOException {
        farRuns = 1;
        farWaits = Integer.MAX_VALUE;
        for (int i = 0; i < 100; i++) {
            assertThat(run(A_MOMENT).result().cpuUsPerMsg()).isEqualTo(FAR);
        }
        assertThat(turns.found().nanoseconds()).isEqualTo(FAR);
        assertThat(runs.runs).hasSizeLessThan(120);
        assertThat(waited).isLessThan(10_000);
    }

    @Test
    void aTurnInWhichCodeIsCompiledIsRepeated() throws IOException {
        runs.compilerNanos.addAll(List.of(484_000_000L, 5_000_001L, 5_000_000L));
        assertThat(run(A_MOMENT).compilerNanos()).isEqualTo(5_000_000);
        assertThat(turns.found()).isEqualTo(new QuietTurns.Found(NEAR, 1, 0, 2, 0));
        assertThat(turns.found().text())
                .isEqualTo("processors 50 ns apart, 1 turns, and 0 not counted in which they moved, 2 in which code was"
                        + " compiled");
    }

    @Test
    void whoRunsForLongIsRunOnce() throws IOException {
        farRuns = 5;
        farWaits = 1;
        run(new RunDuration(0, 1_000_000));
        run(new RunDuration(0.5, 0));
        assertThat(runs.runs).hasSize(2);
        assertThat(waited).isZero();
    }

    @Test
    void whereDistancesCannotBeMeasuredEverythingIsRunOnce() throws IOException {
        distance = Double.NaN;
        run(A_MOMENT);
        run(A_MOMENT);
        assertThat(runs.runs).hasSize(2);
        assertThat(waited).isZero();
        assertThat(turns.found()).isNull();
    }

    @Test
    void theDistanceOfRealProcessorsIsPositiveOrUnknown() {
        double found = ProcessorDistance.measure();
        assertThat(Double.isNaN(found) || found > 0).isTrue();
    }
}
