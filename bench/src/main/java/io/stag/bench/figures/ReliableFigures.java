package io.stag.bench.figures;

import io.stag.bench.compare.Html;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.Plot;
import io.stag.bench.compare.Spread;
import io.stag.bench.figures.PathWorker.Outcome;
import io.stag.bench.figures.PathWorker.Who;
import io.stag.cli.Table;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Reliable datagrams beside TCP on the same paths; this is also the form of the JSON file.
 *
 * @param machine where
 * @param rounds how often everything was run
 * @param seconds how long each run took
 * @param delayMillis of all paths, each way
 * @param losses goodput at several losses
 * @param megabitPerSecond of the path that both share
 * @param shared what both had of it, each round one
 */
record ReliableFigures(
        Machine machine,
        int rounds,
        double seconds,
        double delayMillis,
        List<Row> losses,
        double megabitPerSecond,
        List<Outcome> shared) {
    private static final List<String> LOSS_HEADINGS = List.of("packets lost", "TCP", "reliable datagrams", "ratio");
    private static final List<String> SHARE_HEADINGS =
            List.of("round", "TCP MB/s", "reliable MB/s", "of its half", "of TCP's");

    /**
     * Goodput on one path.
     *
     * @param lossPercent of the packets, each way
     * @param tcp millions of octets per second
     * @param reliable the same
     */
    record Row(double lossPercent, Spread tcp, Spread reliable) {
        static Row of(double lossPercent, List<Outcome> outcomes) {
            return new Row(
                    lossPercent,
                    Spread.of(outcomes.stream()
                            .filter(outcome -> outcome.who() == Who.TCP)
                            .mapToDouble(outcome -> mean(outcome.tcp()))),
                    Spread.of(outcomes.stream()
                            .filter(outcome -> outcome.who() == Who.RELIABLE)
                            .mapToDouble(outcome -> mean(outcome.reliable()))));
        }

        double ratio() {
            return reliable.median() / tcp.median();
        }
    }

    /** Without the first quarter, in which both find out how fast they may be. */
    static double mean(List<Double> values) {
        return values.stream()
                .skip(values.size() / 4)
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(0);
    }

    void print(PrintWriter out) {
        table(LOSS_HEADINGS, lossCells(), out);
        if (!shared.isEmpty()) {
            table(SHARE_HEADINGS, shareCells(), out);
        }
        method().forEach(out::println);
        out.flush();
    }

    private static void table(List<String> headings, List<List<String>> cells, PrintWriter out) {
        Table table = new Table(headings.toArray(String[]::new));
        cells.forEach(row -> table.row(row.toArray(String[]::new)));
        table.print(out);
    }

    private List<List<String>> lossCells() {
        return losses.stream()
                .map(row -> List.of(
                        row.lossPercent() + " %",
                        row.tcp().text(2) + " (" + row.tcp().range(2) + ")",
                        row.reliable().text(2) + " (" + row.reliable().range(2) + ")",
                        Spread.number(row.ratio(), 2)))
                .toList();
    }

    private List<List<String>> shareCells() {
        List<List<String>> cells = new ArrayList<>();
        for (int i = 0; i < shared.size(); i++) {
            double tcp = mean(shared.get(i).tcp());
            double reliable = mean(shared.get(i).reliable());
            cells.add(List.of(
                    Integer.toString(i + 1),
                    Spread.number(tcp, 2),
                    Spread.number(reliable, 2),
                    Spread.number(2 * reliable / (tcp + reliable), 2),
                    Spread.number(reliable / tcp, 2)));
        }
        return cells;
    }

    private List<String> method() {
        return List.of(
                "Goodput in MB/s, " + rounds + " rounds of " + seconds
                        + " s, the first quarter of each left out; delay " + delayMillis
                        + " ms each way, loss each way, packets of 1,500 octets.",
                "The path is a TUN device whose packets come back with their addresses exchanged; TCP is the system's,"
                        + " with CUBIC. The shared path carries " + megabitPerSecond
                        + " Mbit/s behind a queue of 20 ms.",
                machine.text());
    }

    /** A page with both plots. */
    Html page() {
        Html page = new Html("Reliable datagrams and TCP on the same path");
        page.note(machine.date());
        method().forEach(page::note);
        page.table(LOSS_HEADINGS, lossCells());
        page.plot(
                new Plot(
                        "Goodput under loss",
                        "packets lost, percent",
                        "MB/s",
                        losses.stream()
                                .map(row -> Double.toString(row.lossPercent()))
                                .toList(),
                        List.of(
                                new Plot.Line(
                                        "TCP CUBIC",
                                        losses.stream()
                                                .map(row -> row.tcp().median())
                                                .toList(),
                                        0,
                                        false),
                                new Plot.Line(
                                        "reliable datagrams",
                                        losses.stream()
                                                .map(row -> row.reliable().median())
                                                .toList(),
                                        2,
                                        false)),
                        Plot.Style.LOGARITHMIC_LINES),
                "A loss without a queue in the network is damage, not congestion: it costs 2 percent of the window.");
        if (!shared.isEmpty()) {
            page.table(SHARE_HEADINGS, shareCells());
            page.plot(sharePlot(shared.getFirst()), "One TCP flow and one of reliable datagrams, begun together.");
        }
        return page;
    }

    private static Plot sharePlot(Outcome outcome) {
        int steps = outcome.tcp().size() / 10;
        return new Plot(
                "A path that both share",
                "seconds",
                "MB/s",
                IntStream.range(0, steps).mapToObj(Integer::toString).toList(),
                List.of(
                        new Plot.Line("TCP CUBIC", perSecond(outcome.tcp(), steps), 0, false),
                        new Plot.Line("reliable datagrams", perSecond(outcome.reliable(), steps), 2, false)),
                Plot.Style.LINES);
    }

    private static List<Double> perSecond(List<Double> tenths, int steps) {
        return IntStream.range(0, steps)
                .mapToObj(step -> DoubleStream.iterate(10 * step, i -> i < 10 * step + 10, i -> i + 1)
                        .map(i -> tenths.get((int) i))
                        .average()
                        .orElse(0))
                .toList();
    }
}
