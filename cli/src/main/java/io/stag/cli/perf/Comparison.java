package io.stag.cli.perf;

import io.stag.cli.Progress;
import io.stag.cli.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A short table for the demo: the verbs beside raw TCP, measured in the same run. */
public final class Comparison {
    private static final int SMALL = 64;
    private static final int LARGE = 64 << 10;
    private static final RunDuration DURATION = new RunDuration(0.6, 0);

    private static final List<PerfTest> LATENCY =
            List.of(PerfTest.TCP_LAT, PerfTest.WRITE_LAT, PerfTest.SEND_LAT, PerfTest.READ_LAT, PerfTest.ATOMIC_LAT);
    private static final List<PerfTest> BANDWIDTH =
            List.of(PerfTest.TCP_BW, PerfTest.FRAMED_BW, PerfTest.WRITE_BW, PerfTest.READ_BW);

    private Comparison() {}

    /**
     * Measures in two processes and prints.
     *
     * @param out where the table goes
     * @param progress where the progress goes
     */
    public static void print(PrintWriter out, Progress progress) throws IOException {
        List<RunSpec> runs = new ArrayList<>();
        LATENCY.forEach(test -> runs.add(RunSpec.of(test, test == PerfTest.ATOMIC_LAT ? PerfTest.ATOMIC_SIZE : SMALL)));
        BANDWIDTH.forEach(test -> runs.add(RunSpec.of(test, LARGE)));
        List<Measurement> measurements = new PerfRun(DURATION, true, progress).inTwoProcesses(runs);
        progress.close();
        out.println("Between two processes, polling, CRC on:");
        Table table = new Table("  test", "octets", "p50 us", "p99 us", "MB/s");
        for (Measurement measurement : measurements) {
            PerfResult result = measurement.result();
            table.row(
                    "  " + result.test(),
                    Integer.toString(result.size()),
                    ResultTable.number(result.p50Us(), 1),
                    ResultTable.number(result.p99Us(), 1),
                    ResultTable.number(result.mbPerS(), 0));
        }
        table.print(out);
        out.println("Latency is half the round trip, the whole one for read and atomic. More: stag perf --help");
        out.flush();
    }
}
