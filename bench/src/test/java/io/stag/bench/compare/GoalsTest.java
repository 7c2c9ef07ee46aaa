package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.Progress;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoalsTest {
    private static final RunSpec TCP = RunSpec.of(PerfTest.TCP_LAT, 64);
    private static final RunSpec WRITE = RunSpec.of(PerfTest.WRITE_LAT, 64);

    private static GoalResult judge(Goal goal, double baseline, double value) throws IOException {
        FakeBench bench = new FakeBench(spec -> spec.test().layer() == PerfTest.Layer.TCP ? baseline : value);
        return goal.judge(Rounds.run(bench, goal.cells(), 3, 0.1, new Progress(new PrintWriter(Writer.nullWriter()))));
    }

    @ParameterizedTest
    @CsvSource({"10, AIM", "11, AIM", "11.5, FLOOR", "12, FLOOR", "12.1, MISSED", "15, MISSED"})
    void lessLatencyIsBetter(double value, GoalResult.Verdict verdict) throws IOException {
        Goal goal = new Goal("row", "what", Metric.LATENCY, Cell.timed(WRITE), Cell.timed(TCP), 1.2, 1.1);
        assertThat(judge(goal, 10, value).verdict()).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({"10, AIM", "9.5, FLOOR", "9, FLOOR", "4.5, MISSED"})
    void moreBandwidthIsBetter(double value, GoalResult.Verdict verdict) throws IOException {
        Goal goal = new Goal(
                "row",
                "what",
                Metric.BANDWIDTH,
                Cell.timed(RunSpec.of(PerfTest.WRITE_BW, 64)),
                Cell.timed(RunSpec.of(PerfTest.TCP_BW, 64)),
                0.9,
                1.0);
        GoalResult result = judge(goal, 10, value);
        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(result.limit(result.floor())).isEqualTo(">= 0.90 x");
    }

    @Test
    void aMissSaysByHowMuch() throws IOException {
        Goal latency = new Goal("row", "what", Metric.LATENCY, Cell.timed(WRITE), Cell.timed(TCP), 1.2, null);
        assertThat(judge(latency, 10, 18).verdictText()).isEqualTo("missed by 50 %");
        Goal rate = new Goal(
                "row", "what", Metric.MESSAGE_RATE, Cell.timed(RunSpec.of(PerfTest.WRITE_BW, 64)), null, 8.0, null);
        assertThat(judge(rate, 0, 6).verdictText()).isEqualTo("missed by 25 %");
        Goal aimOnly = new Goal("row", "what", Metric.LATENCY, Cell.timed(WRITE), Cell.timed(TCP), null, 1.0);
        assertThat(judge(aimOnly, 10, 11).verdictText()).isEqualTo("10 % off the aim");
    }

    @Test
    void whatFailedWasNotMeasured() throws IOException {
        Goal goal = new Goal("row", "what", Metric.LATENCY, Cell.timed(WRITE), Cell.timed(TCP), 1.2, 1.1);
        GoalResult result = judge(goal, Double.NaN, 1);
        assertThat(result.verdict()).isEqualTo(GoalResult.Verdict.NOT_MEASURED);
        assertThat(result.verdictText()).isEqualTo("not measured: it failed");
    }

    /** 12 to 10 and 20 to 40 are 1.2 and 0.5; all octets of one beside those of the other would be 0.64. */
    @Test
    void theMeanOfSeveralRatiosCounts() throws IOException {
        RunSpec larger = RunSpec.of(PerfTest.WRITE_LAT, 4096);
        RunSpec largerTcp = larger.as(PerfTest.TCP_LAT);
        FakeBench bench = new FakeBench(
                spec -> spec.equals(WRITE) ? 12.0 : spec.equals(TCP) ? 10.0 : spec.equals(larger) ? 20.0 : 40.0);
        Goal goal = new Goal(
                "row",
                "what",
                Metric.LATENCY,
                List.of(Cell.timed(WRITE), Cell.timed(larger)),
                List.of(Cell.timed(TCP), Cell.timed(largerTcp)),
                0.85,
                null);
        assertThat(goal.cells())
                .extracting(Cell::spec)
                .as("each beside what it is compared with")
                .containsExactly(TCP, WRITE, largerTcp, larger);
        GoalResult result =
                goal.judge(Rounds.run(bench, goal.cells(), 3, 0.1, new Progress(new PrintWriter(Writer.nullWriter()))));
        assertThat(result.value().median()).isEqualTo(0.85);
        assertThat(result.absolute().median()).isEqualTo(16);
        assertThat(result.isRatio()).isTrue();
        assertThat(result.verdict()).isEqualTo(GoalResult.Verdict.FLOOR);
    }

    @Test
    void oneOfSeveralThatFailedLeavesNoMean() throws IOException {
        Goal goal = new Goal(
                "row",
                "what",
                Metric.LATENCY,
                List.of(Cell.timed(WRITE), Cell.timed(RunSpec.of(PerfTest.WRITE_LAT, 4096))),
                List.of(Cell.timed(TCP), Cell.timed(TCP)),
                1.0,
                null);
        FakeBench bench = FakeBench.failingFrom(2, WRITE);
        GoalResult result =
                goal.judge(Rounds.run(bench, goal.cells(), 3, 0.1, new Progress(new PrintWriter(Writer.nullWriter()))));
        assertThat(result.verdictText()).isEqualTo("not measured: it failed");
    }

    @Test
    void everyRowOfTheGoalsIsThere() {
        assertThat(Goals.all().stream().map(Goal::row).distinct())
                .containsExactly(
                        "small latency",
                        "blocking latency",
                        "64 KiB latency",
                        "bandwidth 64 KiB",
                        "bandwidth 1 MiB",
                        "bandwidth 4 MiB",
                        "Read bandwidth",
                        "Read latency",
                        "message rate",
                        "segments",
                        "markers",
                        "processor time",
                        "atomics",
                        "dedicated, parked",
                        "allocation",
                        "one among 1,000",
                        "64 connections",
                        "datagram latency",
                        "datagram bandwidth",
                        "reliable datagram bandwidth",
                        "reliable datagram latency");
    }

    @Test
    void aRunThatFailsAfterItsFirstTurnReachesNothing() throws IOException {
        Goal goal = new Goal("row", "what", Metric.LATENCY, Cell.timed(WRITE), Cell.timed(TCP), 1.2, 1.1);
        FakeBench bench = FakeBench.failingFrom(2, WRITE);
        GoalResult result = goal.judge(
                Rounds.run(bench, goal.cells(), 30, 0.1, new Progress(new PrintWriter(Writer.nullWriter()))));
        assertThat(result.verdictText()).isEqualTo("not measured: it failed");
    }

    @Test
    void theTableNamesRowsAndMisses() throws IOException {
        Goal goal = new Goal("some row", "a / b", Metric.LATENCY, Cell.timed(WRITE), Cell.timed(TCP), 1.2, 1.1);
        StringWriter text = new StringWriter();
        GoalTable.print(List.of(judge(goal, 10, 18), judge(goal, 10, 10)), new PrintWriter(text, true));
        assertThat(text.toString())
                .contains("SOME ROW", "a / b", "18.00 us", "1.80", "<= 1.20 x", "missed by 50 %", "aim reached")
                .contains("1 of 2 goals missed");
    }
}
