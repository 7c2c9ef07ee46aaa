package io.stag.bench.figures;

import io.stag.bench.compare.Cell;
import io.stag.bench.compare.Html;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.Metric;
import io.stag.bench.compare.Plot;
import io.stag.bench.compare.Report;
import io.stag.bench.compare.Rounds;
import io.stag.bench.compare.Spread;
import io.stag.cli.OctetCount;
import io.stag.cli.Table;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Table 1 of the paper, as measured here and as printed there; this is also the form of its JSON file.
 *
 * @param machine where
 * @param method how
 * @param rows what
 */
record OscTable1(Machine machine, Report.Method method, List<Row> rows) {
    private static final int SMALL = 4;
    private static final int LARGE = 64 << 10;

    /**
     * One row.
     *
     * @param name who
     * @param size octets
     * @param us latency here
     * @param overTcp its ratio to TCP, round by round
     * @param paperUs latency in the paper
     * @param paperOverTcp its ratio to TCP there
     */
    record Row(String name, int size, Spread us, Spread overTcp, double paperUs, double paperOverTcp) {}

    /** What must be measured. */
    static List<RunSpec> runs() {
        List<RunSpec> runs = new ArrayList<>();
        for (int size : new int[] {SMALL, LARGE}) {
            RunSpec write = RunSpec.of(PerfTest.WRITE_LAT, size);
            runs.addAll(List.of(write.as(PerfTest.TCP_LAT), write.withoutCrc(), write));
        }
        return runs;
    }

    static OscTable1 of(Machine machine, Report.Method method, Rounds rounds) {
        List<Row> rows = new ArrayList<>();
        for (RunSpec run : runs()) {
            Cell cell = Cell.timed(run);
            Cell tcp = Cell.timed(RunSpec.of(PerfTest.TCP_LAT, run.size()));
            rows.add(new Row(
                    name(run),
                    run.size(),
                    rounds.spread(cell, Metric.LATENCY),
                    rounds.ratio(cell, tcp, Metric.LATENCY),
                    paper(run),
                    paper(run) / paper(tcp.spec())));
        }
        return new OscTable1(machine, method, rows);
    }

    private static String name(RunSpec run) {
        if (!run.test().isVerbs()) {
            return "TCP";
        }
        return run.crc() ? "iWARP, CRC on" : "iWARP, CRC off";
    }

    /** Microseconds in the paper's table, software to software. */
    private static double paper(RunSpec run) {
        if (!run.test().isVerbs()) {
            return run.size() == SMALL ? 62.7 : 624.5;
        } else if (run.crc()) {
            return run.size() == SMALL ? 62.2 : 1_401.9;
        }
        return run.size() == SMALL ? 62.7 : 687.5;
    }

    boolean isComplete() {
        return rows.stream().noneMatch(row -> row.us().isEmpty());
    }

    void print(PrintWriter out) {
        Table table =
                new Table("who", "octets", "us", "half of them", "x TCP", "half of them", "paper us", "paper x TCP");
        cells().forEach(row -> table.row(row.toArray(String[]::new)));
        table.print(out);
        out.println(method.text() + ".");
        out.println(machine.text());
        out.flush();
    }

    private List<List<String>> cells() {
        return rows.stream()
                .map(row -> List.of(
                        row.name(),
                        OctetCount.text(row.size()),
                        row.us().text(2),
                        row.us().range(2),
                        row.overTcp().text(2),
                        row.overTcp().range(2),
                        Spread.number(row.paperUs(), 1),
                        Spread.number(row.paperOverTcp(), 2)))
                .toList();
    }

    Html page() {
        List<Row> compared =
                rows.stream().filter(row -> !row.name().equals("TCP")).toList();
        Plot plot = new Plot(
                "Latency of RDMA Writes as a multiple of TCP",
                "octets, CRC",
                "ratio to TCP",
                compared.stream()
                        .map(row -> OctetCount.text(row.size()) + row.name().replace("iWARP", ""))
                        .toList(),
                List.of(
                        new Plot.Line(
                                "Stag, this machine",
                                compared.stream()
                                        .map(row -> row.overTcp().median())
                                        .toList(),
                                2,
                                false),
                        new Plot.Line(
                                "paper, 2005",
                                compared.stream().map(Row::paperOverTcp).toList(),
                                1,
                                false)),
                Plot.Style.BARS);
        return new Html("Latency of software iWARP beside TCP")
                .note(machine.text() + ", " + machine.date())
                .note(method.text() + ".")
                .plot(plot, "1.0 would be as fast as TCP. Half round trips, last octet polled; Table 1 of the paper.")
                .table(
                        List.of(
                                "who",
                                "octets",
                                "us",
                                "half of them",
                                "x TCP",
                                "half of them",
                                "paper, us",
                                "paper, x TCP"),
                        cells());
    }
}
