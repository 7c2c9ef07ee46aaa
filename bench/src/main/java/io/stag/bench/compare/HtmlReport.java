package io.stag.bench.compare;

import io.stag.bench.compare.Report.Series;
import io.stag.cli.OctetCount;
import io.stag.cli.perf.Measurement.Percentile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A comparison as a page with plots and tables. */
final class HtmlReport {
    private static final int PERCENTILES_OF = 64;

    private HtmlReport() {}

    static void write(Path file, Report report) throws IOException {
        page(report).write(file);
    }

    static Html page(Report report) {
        Html page = new Html("Stag compared");
        page.note(report.machine().text() + ", Stag " + report.machine().stag() + ", "
                + report.machine().date());
        page.note(report.method().text()
                + ". Medians of the rounds; ratios are taken within each round. Both ends poll.");
        report.absent().forEach(page::note);
        if (!report.goals().isEmpty()) {
            goals(page, report.goals());
        }
        List<Series> latency =
                report.series().stream().filter(Series::isLatency).toList();
        List<Series> bandwidth =
                report.series().stream().filter(one -> !one.isLatency()).toList();
        if (report.goals().isEmpty()) { // what was measured for goals has no common sizes
            plots(page, latency, bandwidth);
        }
        table(page, "Latency in microseconds", latency, Metric.LATENCY.decimals());
        table(page, "Bandwidth in MB/s", bandwidth, Metric.BANDWIDTH.decimals());
        return page;
    }

    private static void plots(Html page, List<Series> latency, List<Series> bandwidth) {
        if (!latency.isEmpty()) {
            page.heading("Latency over size");
            page.plot(
                    overSize(
                            "Latency",
                            "latency, us",
                            latency,
                            one -> one.value().median()),
                    "Half the round trip, the whole one for read. Logarithmic; lower is better.");
            percentiles(page, latency);
        }
        if (!bandwidth.isEmpty()) {
            page.heading("Bandwidth over size");
            page.plot(
                    overSize(
                            "Bandwidth",
                            "MB/s (10^6 octets)",
                            bandwidth,
                            one -> one.value().median()),
                    "What has arrived. Logarithmic; higher is better.");
            page.heading("Processor time over size");
            page.plot(
                    overSize(
                            "Processor time of bandwidth tests",
                            "us per message, both ends",
                            bandwidth,
                            one -> one.cpu().median()),
                    "User and system time of both processes. Logarithmic; lower is better.");
        }
    }

    private static void percentiles(Html page, List<Series> latency) {
        int size = latency.stream()
                .mapToInt(Series::size)
                .boxed()
                .min((one, other) -> Integer.compare(Math.abs(one - PERCENTILES_OF), Math.abs(other - PERCENTILES_OF)))
                .orElse(PERCENTILES_OF);
        List<Series> shown = latency.stream()
                .filter(one -> one.size() == size && !one.percentiles().isEmpty())
                .toList();
        if (shown.isEmpty()) {
            return;
        }
        List<String> places = shown.getFirst().percentiles().stream()
                .map(Percentile::percent)
                .map(percent -> percent == Math.rint(percent) ? Long.toString(Math.round(percent)) : percent.toString())
                .toList();
        List<Plot.Line> lines = new ArrayList<>();
        for (Series one : shown) {
            lines.add(line(
                    one, lines, one.percentiles().stream().map(Percentile::us).toList()));
        }
        page.heading("Latency percentiles");
        page.plot(
                new Plot(
                        "Latency percentiles, " + OctetCount.text(size) + " octets",
                        "percent of the messages that were as fast, or faster",
                        "latency, us",
                        places,
                        lines,
                        Plot.Style.LOGARITHMIC_LINES),
                "In the round whose median is that of all rounds. Logarithmic; lower is better.");
    }

    private static Plot overSize(String title, String unit, List<Series> series, ToDoubleFunction<Series> value) {
        List<Integer> sizes =
                series.stream().map(Series::size).distinct().sorted().toList();
        Map<String, List<Series>> byName = new LinkedHashMap<>();
        series.forEach(one ->
                byName.computeIfAbsent(one.name(), _ -> new ArrayList<>()).add(one));
        List<Plot.Line> lines = new ArrayList<>();
        for (List<Series> of : byName.values()) {
            boolean known = of.stream().mapToDouble(value).noneMatch(Double::isNaN);
            if (known && of.size() == sizes.size()) { // an atomic operation has one size only
                lines.add(line(
                        of.getFirst(),
                        lines,
                        of.stream().map(value::applyAsDouble).toList()));
            }
        }
        return new Plot(
                title,
                "octets per message",
                unit,
                sizes.stream().map(OctetCount::text).toList(),
                lines,
                Plot.Style.LOGARITHMIC_LINES);
    }

    /** The same test without CRC has the same colour, dashed. */
    private static Plot.Line line(Series series, List<Plot.Line> before, List<Double> values) {
        boolean dashed = series.name().contains(",");
        int colour = (int) before.stream().filter(line -> !line.dashed()).count() - (dashed ? 1 : 0);
        return new Plot.Line(series.name(), values, Math.max(0, colour), dashed);
    }

    private static void table(Html page, String title, List<Series> series, int decimals) {
        if (series.isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        for (Series one : series) {
            rows.add(List.of(
                    one.name(),
                    OctetCount.text(one.size()),
                    one.value().text(decimals),
                    one.value().range(decimals),
                    ratio(one.overTcp()),
                    ratio(one.overFramed()),
                    one.cpu().text(2)));
        }
        page.heading(title);
        page.table(
                List.of("test", "octets", "median", "half of them", "x raw TCP", "x framed", "CPU us/message"), rows);
    }

    private static String ratio(@Nullable Spread ratio) {
        return ratio == null || ratio.isEmpty() ? "" : ratio.text(2) + " (" + ratio.range(2) + ")";
    }

    private static void goals(Html page, List<GoalResult> goals) {
        List<List<String>> rows = new ArrayList<>();
        for (GoalResult goal : goals) {
            rows.add(List.of(
                    goal.row() + ": " + goal.what(),
                    goal.absolute().text(goal.metric().decimals()) + " "
                            + goal.metric().unit(),
                    goal.isRatio() ? goal.value().text(2) : "",
                    goal.value().range(goal.decimals()),
                    goal.limit(goal.floor()),
                    goal.limit(goal.aim()),
                    goal.verdictText()));
        }
        page.heading("Goals");
        page.table(List.of("what", "measured", "ratio", "half of them", "floor", "aim", "verdict"), rows);
    }
}
