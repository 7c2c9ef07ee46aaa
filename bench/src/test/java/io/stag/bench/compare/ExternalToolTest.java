package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stag.cli.Progress;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tables in the form that the programs' manuals show. */
class ExternalToolTest {
    @Test
    void readsWhatUcxSays() {
        String line = "20000,7.981,8.012,8.020,0.95,0.95,124800,124688";
        assertThat(ExternalTool.UCX.parse(Metric.LATENCY, line)).isEqualTo(7.981);
        assertThat(ExternalTool.UCX.parse(Metric.BANDWIDTH, "1000,520,525,530,1800.0,1900.0,1900,1900"))
                .isCloseTo(1_992.3, within(0.1));
    }

    @Test
    void readsWhatLibfabricSays() {
        String line = "64      20k     =20k    2.4m        0.17s     15.06       4.25       0.24";
        assertThat(ExternalTool.LIBFABRIC.parse(Metric.LATENCY, line)).isEqualTo(4.25);
    }

    @Test
    void anythingElseIsAnError() {
        assertThatThrownBy(() -> ExternalTool.UCX.parse(Metric.LATENCY, "ucx_perftest: cannot open"))
                .isInstanceOf(RuntimeException.class);
    }

    @Test
    void bothEndsGetTheSameTest() {
        String arguments = ExternalTool.UCX.arguments(Metric.BANDWIDTH, 1 << 20);
        assertThat(arguments).contains("-t ucp_put_bw", "-s 1048576", "-n 953");
        assertThat(ExternalTool.UCX.client(arguments)).isEqualTo("ucx_perftest 127.0.0.1 " + arguments);
        assertThat(ExternalTool.UCX.server(arguments)).isEqualTo("ucx_perftest " + arguments);
        assertThat(ExternalTool.LIBFABRIC.measures(Metric.BANDWIDTH)).isFalse();
    }

    @Test
    void whoIsNotInstalledIsNamed() throws IOException {
        ExternalRuns runs = new ExternalRuns(PrivateNetwork.none(), List.of(64), List.of(Metric.LATENCY));
        long installed = List.of(ExternalTool.values()).stream()
                .filter(ExternalTool::isInstalled)
                .count();
        assertThat(runs.absent()).hasSize(ExternalTool.values().length - (int) installed);
        assertThat(runs.absent()).allMatch(line -> line.endsWith(": not installed"));
        Rounds rounds = Rounds.run(
                new FakeBench(_ -> 1),
                List.of(Cell.timed(RunSpec.of(PerfTest.TCP_LAT, 64))),
                1,
                0.1,
                new Progress(new PrintWriter(Writer.nullWriter())));
        assertThat(runs.series(rounds)).as("nothing was run yet").isEmpty();
    }

    @Test
    void programsOfOthersAreComparedWithTheMedianOfTcp() throws IOException {
        double[] clock = {0};
        Rounds rounds = Rounds.run(
                new FakeBench(_ -> ++clock[0]),
                List.of(Cell.timed(RunSpec.of(PerfTest.TCP_LAT, 64))),
                5,
                0.1,
                new Progress(new PrintWriter(Writer.nullWriter())));
        ExternalRuns runs = new ExternalRuns(PrivateNetwork.none(), List.of(), List.of());
        ExternalRuns.Key key = new ExternalRuns.Key(ExternalTool.UCX, Metric.LATENCY, 64);
        runs.found(key, 6);
        runs.found(key, 9);
        assertThat(runs.series(rounds))
                .singleElement()
                .extracting(Report.Series::overTcp)
                .as("TCP had 1 to 5, in turns that say nothing of others")
                .isEqualTo(new Spread(2.5, 2, 3, 2));
    }
}
