package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.Progress;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private static final RunSpec TCP = RunSpec.of(PerfTest.TCP_LAT, 64);
    private static final RunSpec WRITE = RunSpec.of(PerfTest.WRITE_LAT, 64);

    private static Rounds run(FakeBench bench, int rounds, RunSpec... specs) throws IOException {
        return Rounds.run(
                bench,
                List.of(specs).stream().map(Cell::timed).toList(),
                rounds,
                0.1,
                new Progress(new PrintWriter(Writer.nullWriter())));
    }

    @Test
    void everybodyTakesTurns() throws IOException {
        FakeBench bench = new FakeBench(_ -> 1);
        run(bench, 2, TCP, WRITE, TCP);
        assertThat(bench.runs).as("the same run twice is one").containsExactly(TCP, WRITE, TCP, WRITE);
    }

    @Test
    void whatIsCountedIsLongAndMeasuredLessOften() throws IOException {
        FakeBench bench = new FakeBench(_ -> 1);
        Cell counted = new Cell(WRITE, 1_000_000);
        Rounds rounds = Rounds.run(
                bench, List.of(Cell.timed(TCP), counted), 8, 0.1, new Progress(new PrintWriter(Writer.nullWriter())));
        assertThat(bench.runs).filteredOn(WRITE::equals).hasSize(5);
        assertThat(rounds.spread(counted, Metric.LATENCY)).isEqualTo(new Spread(1, 1, 1, 5));
        assertThat(rounds.spread(Cell.timed(TCP), Metric.LATENCY)).isEqualTo(new Spread(1, 1, 1, 8));
    }

    @Test
    void roundsAreSpreadOverLaunches() throws IOException {
        List<FakeBench> launches = new ArrayList<>();
        Cell counted = new Cell(WRITE, 1_000_000);
        Rounds rounds = Rounds.run(
                () -> {
                    int launch = launches.size() + 1;
                    launches.add(new FakeBench(_ -> launch));
                    return launches.getLast();
                },
                3,
                List.of(Cell.timed(TCP), counted),
                8,
                0.1,
                new Progress(new PrintWriter(Writer.nullWriter())));
        assertThat(rounds.values(Cell.timed(TCP), Metric.LATENCY)).containsExactly(1., 1., 2., 2., 2., 3., 3., 3.);
        assertThat(rounds.values(counted, Metric.LATENCY))
                .as("what is counted is measured a few times, in every launch")
                .containsExactly(1., 1., 2., 2., Double.NaN, 3., 3., Double.NaN);
        assertThat(launches).allMatch(launch -> launch.closed);
    }

    @Test
    void whoFailsInOneLaunchIsNotTriedInTheNext() throws IOException {
        List<FakeBench> launches = new ArrayList<>();
        Rounds rounds = Rounds.run(
                () -> {
                    launches.add(new FakeBench(spec -> spec.equals(WRITE) && launches.size() == 1 ? Double.NaN : 1));
                    return launches.getLast();
                },
                2,
                List.of(Cell.timed(TCP), Cell.timed(WRITE)),
                2,
                0.1,
                new Progress(new PrintWriter(Writer.nullWriter())));
        assertThat(launches.getLast().runs).containsExactly(TCP);
        assertThat(rounds.failures()).containsOnlyKeys(Cell.timed(WRITE));
    }

    @Test
    void ratiosAreThoseOfARound() throws IOException {
        double[] clock = {0};
        FakeBench bench = new FakeBench(spec -> spec.equals(TCP) ? ++clock[0] : 2 * clock[0]);
        Rounds rounds = run(bench, 3, TCP, WRITE);
        assertThat(rounds.ratio(Cell.timed(WRITE), Cell.timed(TCP), Metric.LATENCY))
                .isEqualTo(new Spread(2, 2, 2, 3));
        assertThat(rounds.spread(Cell.timed(TCP), Metric.LATENCY)).isEqualTo(new Spread(2, 1, 3, 3));
    }

    @Test
    void whoFailsIsNotTriedAgainAndTheOthersGoOn() throws IOException {
        FakeBench bench = new FakeBench(spec -> spec.equals(TCP) ? Double.NaN : 1);
        Rounds rounds = run(bench, 3, TCP, WRITE);
        assertThat(bench.runs).containsExactly(TCP, WRITE, WRITE, WRITE);
        assertThat(rounds.failures()).containsEntry(Cell.timed(TCP), "it failed");
        assertThat(rounds.spread(Cell.timed(TCP), Metric.LATENCY).isEmpty()).isTrue();
        assertThat(Report.series(rounds))
                .singleElement()
                .extracting(Report.Series::overTcp)
                .satisfies(ratio -> {
                    assertThat(((Spread) ratio).isEmpty()).isTrue();
                });
    }

    @Test
    void whoFailsLaterHasNoFiguresEither() throws IOException {
        FakeBench bench = FakeBench.failingFrom(2, WRITE);
        Rounds rounds = run(bench, 3, TCP, WRITE);
        assertThat(rounds.spread(Cell.timed(WRITE), Metric.LATENCY).isEmpty()).isTrue();
        assertThat(rounds.ratio(Cell.timed(WRITE), Cell.timed(TCP), Metric.LATENCY)
                        .isEmpty())
                .isTrue();
        assertThat(rounds.spread(Cell.timed(TCP), Metric.LATENCY)).isEqualTo(new Spread(1, 1, 1, 3));
        assertThat(rounds.notMeasured()).containsExactly("not measured: write-lat, 64 octets: it failed");
    }

    @Test
    void baselinesHaveTheSameSizeWaitAndCrc() {
        RunSpec run = WRITE.as(PerfTest.IMM_LAT).withoutCrc().blocking();
        assertThat(Baseline.tcp(Cell.timed(run)).spec()).isEqualTo(TCP.blocking());
        assertThat(Baseline.framed(Cell.timed(run)).spec())
                .isEqualTo(RunSpec.of(PerfTest.FRAMED_LAT, 64).blocking().withoutCrc());
        assertThat(Baseline.framed(Cell.timed(RunSpec.of(PerfTest.NETTY_BW, 8))).spec())
                .isEqualTo(RunSpec.of(PerfTest.FRAMED_BW, 8));
    }

    @Test
    void namesSayWhatIsUnusual() {
        assertThat(Contender.nameOf(WRITE)).isEqualTo("write-lat");
        assertThat(Contender.nameOf(TCP.withoutCrc())).isEqualTo("tcp-lat");
        assertThat(Contender.nameOf(
                        WRITE.withoutCrc().withMarkers().inSegmentsOf(1_436).on(2, 3)))
                .isEqualTo("write-lat, no CRC, markers, segments of 1436, 2 connections, 3 idle besides");
    }
}
