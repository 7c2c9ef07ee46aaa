package io.stag.bench.figures;

import io.stag.bench.compare.Html;
import io.stag.bench.compare.Machine;
import io.stag.bench.compare.Plot;
import io.stag.bench.compare.Spread;
import io.stag.cli.OctetCount;
import io.stag.cli.Table;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The paper's Figures 5 to 9 as measured here, beside what the paper says of them; this is also the form of its JSON file.
 *
 * @param machine where
 * @param rounds how often everything was run
 * @param seconds how long each run took
 * @param lossBy how packets were lost; empty when none were
 * @param rows what was measured
 * @param claims what the paper says, and what was found here
 * @param absent what could not be measured, and why
 */
record DatagramFigures(
        Machine machine,
        int rounds,
        double seconds,
        String lossBy,
        List<Row> rows,
        List<Claim> claims,
        List<String> absent) {
    static final int LATENCY = 5;
    static final int BANDWIDTH = 6;
    static final int GROUP = 7;
    static final int SEND_LOSS = 8;
    static final int RECORD_LOSS = 9;
    static final List<Integer> ALL = List.of(LATENCY, BANDWIDTH, GROUP, SEND_LOSS, RECORD_LOSS);

    private static final int SMALL = 2 << 10;
    private static final List<String> HEADINGS =
            List.of("series", "figure", "octets", "loss %", "value", "unit", "half of them", "octets arrived %");
    private static final List<String> CLAIM_HEADINGS = List.of("the paper says", "figure", "here");

    /**
     * One point of a figure.
     *
     * @param figure number of the figure in the paper
     * @param series which line
     * @param size octets per message
     * @param lossPercent of the packets
     * @param value microseconds in Figure 5, millions of octets that arrived in a second in the others
     * @param octetsPercent payload that arrived; empty for connections
     */
    record Row(int figure, String series, int size, double lossPercent, Spread value, Spread octetsPercent) {}

    /**
     * A sentence of the paper.
     *
     * @param figure where
     * @param paper what it says
     * @param here what was found
     */
    record Claim(int figure, String paper, String here) {}

    static DatagramFigures of(
            Machine machine, int rounds, double seconds, String lossBy, List<Row> rows, List<String> absent) {
        List<Claim> claims = Stream.of(
                        less(
                                "UD Send is 18.1 % faster than RC Send up to 2 kB",
                                DatagramExperiment.UD_SEND, DatagramExperiment.RC_SEND, rows),
                        less(
                                "UD Write-Record is 24.4 % faster than RC Write up to 2 kB",
                                DatagramExperiment.UD_RECORD, DatagramExperiment.RC_WRITE, rows),
                        more(
                                "UD Send has 193 % more bandwidth than RC Send at 1 kB",
                                DatagramExperiment.UD_SEND, DatagramExperiment.RC_SEND, 1 << 10, rows),
                        more(
                                "UD Write-Record has 188.8 % more than RC Write at 1 kB",
                                DatagramExperiment.UD_RECORD, DatagramExperiment.RC_WRITE, 1 << 10, rows),
                        more(
                                "UD Send has 33.4 % more than RC Send at 256 kB",
                                DatagramExperiment.UD_SEND, DatagramExperiment.RC_SEND, 256 << 10, rows),
                        more(
                                "UD Write-Record has 256 % more than RC Write at 512 kB",
                                DatagramExperiment.UD_RECORD, DatagramExperiment.RC_WRITE, 512 << 10, rows),
                        group(rows),
                        delivered(SEND_LOSS, "Send/Receive: large messages suffer catastrophically from loss", rows),
                        delivered(RECORD_LOSS, "Write-Record keeps what arrived; a step at 64 kB", rows))
                .flatMap(List::stream)
                .toList();
        return new DatagramFigures(machine, rounds, seconds, lossBy, List.copyOf(rows), claims, List.copyOf(absent));
    }

    private static Stream<Row> of(int figure, String series, List<Row> rows) {
        return rows.stream()
                .filter(row -> row.figure() == figure && row.series().equals(series));
    }

    private static double median(int figure, String series, int size, List<Row> rows) {
        return of(figure, series, rows)
                .filter(row -> row.size() == size)
                .mapToDouble(row -> row.value().median())
                .findFirst()
                .orElse(Double.NaN);
    }

    /** How much less time one takes than the other, the mean over the small sizes. */
    static List<Claim> less(String paper, String series, String other, List<Row> rows) {
        double mean = of(LATENCY, series, rows)
                .filter(row -> row.size() <= SMALL)
                .mapToDouble(row -> 100 * (1 - row.value().median() / median(LATENCY, other, row.size(), rows)))
                .filter(Double::isFinite)
                .average()
                .orElse(Double.NaN);
        return Double.isNaN(mean)
                ? List.of()
                : List.of(new Claim(LATENCY, paper, Spread.number(mean, 1) + " % less time"));
    }

    /** How much more one carries than the other at a size. */
    static List<Claim> more(String paper, String series, String other, int size, List<Row> rows) {
        double ratio = median(BANDWIDTH, series, size, rows) / median(BANDWIDTH, other, size, rows);
        if (!Double.isFinite(ratio)) {
            return List.of();
        }
        String than = ratio < 1 ? " % less" : " % more";
        return List.of(new Claim(BANDWIDTH, paper, Spread.number(100 * Math.abs(ratio - 1), 0) + than));
    }

    private static List<Claim> group(List<Row> rows) {
        return of(GROUP, "3 receivers", rows)
                .max((one, other) -> Integer.compare(one.size(), other.size()))
                .map(row -> List.of(new Claim(
                        GROUP,
                        "With 2 and 3 receivers the aggregate grows nearly linearly; 12 to 13 % less above 64 kB",
                        Spread.number(row.value().median() / median(GROUP, "1 receiver", row.size(), rows), 2)
                                + " times one receiver at " + OctetCount.text(row.size())
                                + ", all on the same processor")))
                .orElse(List.of());
    }

    /** What the largest message of each profile keeps at 1 and at 5 percent loss. */
    private static List<Claim> delivered(int figure, String paper, List<Row> rows) {
        List<Row> own = rows.stream().filter(row -> row.figure() == figure).toList();
        int largest = own.stream().mapToInt(Row::size).max().orElse(0);
        List<String> found = own.stream()
                .filter(row -> row.size() == largest && row.lossPercent() >= 1)
                .map(row -> row.series() + " of " + OctetCount.text(largest) + " at " + row.lossPercent() + " %: "
                        + row.octetsPercent().text(1) + " %")
                .toList();
        return found.isEmpty() ? List.of() : List.of(new Claim(figure, paper, "arrived: " + String.join("; ", found)));
    }

    boolean isComplete() {
        return rows.stream().noneMatch(row -> row.value().isEmpty());
    }

    void print(PrintWriter out) {
        table(HEADINGS, cells(), out);
        table(CLAIM_HEADINGS, claimCells(), out);
        method().forEach(out::println);
        out.flush();
    }

    private static void table(List<String> headings, List<List<String>> cells, PrintWriter out) {
        Table table = new Table(headings.toArray(String[]::new));
        cells.forEach(row -> table.row(row.toArray(String[]::new)));
        table.print(out);
    }

    private List<List<String>> cells() {
        return rows.stream()
                .map(row -> List.of(
                        row.series(),
                        Integer.toString(row.figure()),
                        OctetCount.text(row.size()),
                        Spread.number(row.lossPercent(), 1),
                        row.value().text(row.figure() == LATENCY ? 2 : 0),
                        row.figure() == LATENCY ? "us" : "MB/s",
                        row.value().range(row.figure() == LATENCY ? 2 : 0),
                        row.octetsPercent().text(2)))
                .toList();
    }

    private List<List<String>> claimCells() {
        return claims.stream()
                .map(claim -> List.of(claim.paper(), Integer.toString(claim.figure()), claim.here()))
                .toList();
    }

    private List<String> method() {
        List<String> lines = new ArrayList<>();
        lines.add(rounds + " rounds of " + seconds + " s each; medians. The paper measured on 10 Gigabit Ethernet, here"
                + " both ends are on one machine: compare ratios.");
        if (!lossBy.isEmpty()) {
            lines.add("Loss by " + lossBy + ".");
        }
        lines.add(machine.text());
        lines.addAll(absent);
        return lines;
    }

    /** A page with a plot for each figure. */
    Html page() {
        Html page = new Html("Datagram-iWARP: the paper's Figures 5 to 9");
        page.note(machine.date());
        method().forEach(page::note);
        page.table(CLAIM_HEADINGS, claimCells());
        for (int figure : ALL) {
            List<Row> own = rows.stream().filter(row -> row.figure() == figure).toList();
            if (!own.isEmpty()) {
                page.plot(plot(figure, own), caption(figure));
            }
        }
        return page.table(HEADINGS, cells());
    }

    private static Plot plot(int figure, List<Row> own) {
        boolean byLoss = figure == SEND_LOSS || figure == RECORD_LOSS;
        List<Integer> sizes = own.stream().map(Row::size).distinct().sorted().toList();
        List<Double> losses =
                own.stream().map(Row::lossPercent).distinct().sorted().toList();
        List<Plot.Line> lines = new ArrayList<>();
        for (String series : own.stream().map(Row::series).distinct().toList()) {
            if (byLoss) {
                for (double loss : losses) {
                    lines.add(line(series + ", " + loss + " %", own, series, sizes, loss, lines.size()));
                }
            } else {
                lines.add(line(series, own, series, sizes, 0, lines.size()));
            }
        }
        return new Plot(
                "Figure " + figure + ": " + title(figure),
                "octets per message",
                byLoss ? "octets that arrived, percent" : figure == LATENCY ? "half round trip, us" : "MB/s",
                sizes.stream().map(OctetCount::text).toList(),
                lines,
                figure == LATENCY ? Plot.Style.LOGARITHMIC_LINES : Plot.Style.LINES);
    }

    private static Plot.Line line(
            String name, List<Row> own, String series, List<Integer> sizes, double loss, int number) {
        boolean byLoss = own.getFirst().figure() >= SEND_LOSS;
        List<Double> values = sizes.stream()
                .map(size -> own.stream()
                        .filter(row -> row.series().equals(series) && row.size() == size && row.lossPercent() == loss)
                        .map(row -> (byLoss ? row.octetsPercent() : row.value()).median())
                        .findFirst()
                        .orElse(Double.NaN))
                .toList();
        return new Plot.Line(name, values, number, series.contains("64 KiB"));
    }

    private static String title(int figure) {
        return switch (figure) {
            case LATENCY -> "latency";
            case BANDWIDTH -> "bandwidth";
            case GROUP -> "aggregate bandwidth of a multicast group";
            case SEND_LOSS -> "Send/Receive under loss";
            default -> "Write-Record under loss";
        };
    }

    private static String caption(int figure) {
        return switch (figure) {
            case LATENCY -> "The paper: 27 to 28 us below 128 octets, 5 to 6 us below RC; RC ahead from 16 to 64 kB.";
            case BANDWIDTH -> "The paper: UD ahead everywhere, most at 512 kB, since MPA and TCP are left out.";
            case GROUP ->
                "The paper: nearly linear with 2 and 3 receivers, a kink at the MTU. Here one processor does all.";
            case SEND_LOSS ->
                "The paper's curve falls to nothing for large messages: a 64 KiB datagram is 45 IP fragments and dies"
                    + " with any of them, and the fragments left behind fill the kernel's fragment store, so that even"
                    + " whole datagrams no longer get through. Segments of one MTU avoid both.";
            default ->
                "The paper: partial placement saves what arrived, in steps of 64 kB. With segments of one MTU the loss"
                        + " of octets is the loss of packets.";
        };
    }
}
