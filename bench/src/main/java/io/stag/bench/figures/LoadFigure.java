package io.stag.bench.figures;

import io.stag.bench.compare.Html;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.Plot;
import io.stag.bench.compare.Spread;
import io.stag.cli.OctetCount;
import io.stag.cli.Table;
import io.stag.cli.perf.RunSpec;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/**
 * System load as measured here and as printed in the paper; this is also the form of its JSON file.
 *
 * @param machine where
 * @param rounds how often everything was run, interleaved
 * @param seconds how long each run took
 * @param mbPerS the rate at which everybody sent
 * @param rows what
 */
record LoadFigure(Machine machine, int rounds, double seconds, double mbPerS, List<Row> rows) {
    private static final String TCP = "TCP";
    private static final String NO_CRC = "iWARP, no CRC";
    private static final String CRC = "iWARP, CRC";
    private static final double PAPER_RECEIVER = 90;

    /** The paper's sender with 68 kB, percent. */
    private static final Map<String, Double> PAPER_SENDER =
            Map.of(TCP, LoadExperiment.PAPER_TCP_SENDER, NO_CRC, 50.0, CRC, 70.0);

    /** The paper's sender with 4 kB, points above TCP. */
    private static final Map<String, Double> PAPER_ABOVE_TCP = Map.of(TCP, 0.0, NO_CRC, 20.0, CRC, 40.0);

    /**
     * One run.
     *
     * @param name who
     * @param size octets per message
     * @param sender percent that the counter beside the sender lost
     * @param receiver percent that the counter beside the receiver lost
     * @param mbPerS the rate that was reached
     */
    record Row(String name, int size, Spread sender, Spread receiver, Spread mbPerS) {}

    static String name(RunSpec run) {
        if (!run.test().isVerbs()) {
            return TCP;
        }
        return run.crc() ? CRC : NO_CRC;
    }

    private List<Row> rows(int size) {
        return rows.stream().filter(row -> row.size() == size).toList();
    }

    /** How much more than TCP a sender is loaded, in points. */
    double aboveTcp(Row row) {
        return rows(row.size()).stream()
                .filter(other -> other.name().equals(TCP))
                .mapToDouble(tcp -> row.sender().median() - tcp.sender().median())
                .findFirst()
                .orElse(Double.NaN);
    }

    void print(PrintWriter out) {
        Table table = new Table(HEADINGS.toArray(String[]::new));
        cells().forEach(row -> table.row(row.toArray(String[]::new)));
        table.print(out);
        out.println(method());
        out.println(machine.text());
        out.flush();
    }

    private static final List<String> HEADINGS = List.of(
            "who",
            "octets",
            "sender %",
            "half of them",
            "above TCP",
            "receiver %",
            "half of them",
            "MB/s",
            "paper sender",
            "paper receiver");

    private List<List<String>> cells() {
        return rows.stream()
                .map(row -> List.of(
                        row.name(),
                        OctetCount.text(row.size()),
                        row.sender().text(0),
                        row.sender().range(0),
                        Spread.number(aboveTcp(row), 0),
                        row.receiver().text(0),
                        row.receiver().range(0),
                        row.mbPerS().text(0),
                        paperSender(row),
                        "about 90"))
                .toList();
    }

    private static String paperSender(Row row) {
        return row.size() == LoadExperiment.LARGE
                ? Spread.number(PAPER_SENDER.getOrDefault(row.name(), Double.NaN), 0)
                : "TCP + " + Spread.number(PAPER_ABOVE_TCP.getOrDefault(row.name(), Double.NaN), 0);
    }

    private String method() {
        return rounds + " interleaved rounds of " + seconds + " s each, everybody sends " + Spread.number(mbPerS, 0)
                + " MB/s, nobody polls; load is what a counter of the lowest priority lost on the same processors.";
    }

    Html page() {
        List<Row> large = rows(LoadExperiment.LARGE);
        List<String> names = large.stream().map(Row::name).toList();
        Plot loads = new Plot(
                "System load with 68 KiB messages",
                "who",
                "load, percent of a processor",
                names,
                List.of(
                        line(
                                "sender, here",
                                large.stream().map(row -> row.sender().median()).toList(),
                                2,
                                false),
                        line(
                                "sender, paper",
                                names.stream().map(PAPER_SENDER::get).toList(),
                                2,
                                true),
                        line(
                                "receiver, here",
                                large.stream()
                                        .map(row -> row.receiver().median())
                                        .toList(),
                                4,
                                false),
                        line(
                                "receiver, paper",
                                names.stream().map(_ -> PAPER_RECEIVER).toList(),
                                4,
                                true)),
                Plot.Style.BARS);
        List<Row> small = rows(LoadExperiment.SMALL);
        Plot above = new Plot(
                "What iWARP adds to the load of a sender with 4 KiB messages",
                "who",
                "points above TCP",
                small.stream().map(Row::name).toList(),
                List.of(
                        line(
                                "here",
                                small.stream()
                                        .map(this::aboveTcp)
                                        .map(value -> Math.max(0, value))
                                        .toList(),
                                2,
                                false),
                        line(
                                "paper",
                                small.stream()
                                        .map(row -> PAPER_ABOVE_TCP.get(row.name()))
                                        .toList(),
                                2,
                                true)),
                Plot.Style.BARS);
        return new Html("System load of software iWARP beside TCP")
                .note(machine.text() + ", " + machine.date())
                .note(method())
                .plot(loads, "Section 6.3 and Figure 3 of the paper, which sent over Gigabit Ethernet.")
                .plot(above, "Figure 4 of the paper: about 20 points more than TCP without CRC, 40 with it.")
                .table(HEADINGS, cells());
    }

    private static Plot.Line line(String name, List<Double> values, int colour, boolean light) {
        return new Plot.Line(name, values, colour, light);
    }
}
