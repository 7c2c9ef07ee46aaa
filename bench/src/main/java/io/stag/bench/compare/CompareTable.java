package io.stag.bench.compare;

import io.stag.bench.compare.Report.Series;
import io.stag.cli.OctetCount;
import io.stag.cli.Table;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints a comparison for people. */
final class CompareTable {
    private CompareTable() {}

    static void print(Report report, PrintWriter out) {
        print("Latency: half the round trip, the whole one for read and atomic", report, true, out);
        print("Bandwidth", report, false, out);
        out.println("Medians of the turns, and where half of them lie; ratios are taken within each round, those of"
                + " ucx_perftest and fi_pingpong to the median.");
        out.println(report.method().text() + ".");
        out.println(report.machine().text());
        report.absent().forEach(out::println);
    }

    private static void print(String title, Report report, boolean latency, PrintWriter out) {
        List<Series> series = report.series().stream()
                .filter(one -> one.isLatency() == latency)
                .toList();
        if (series.isEmpty()) {
            return;
        }
        out.println(title);
        String unit = series.getFirst().unit();
        Table table = new Table(
                "  test",
                "octets",
                unit,
                "half of them",
                "x tcp",
                "half of them",
                "x framed",
                "half of them",
                "CPU us/msg");
        int decimals = latency ? Metric.LATENCY.decimals() : Metric.BANDWIDTH.decimals();
        for (Series one : series) {
            table.row(
                    "  " + one.name(),
                    OctetCount.text(one.size()),
                    one.value().text(decimals),
                    one.value().range(decimals),
                    ratio(one.overTcp()),
                    range(one.overTcp()),
                    ratio(one.overFramed()),
                    range(one.overFramed()),
                    one.cpu().text(2));
        }
        table.print(out);
        out.println();
    }

    private static String ratio(@Nullable Spread ratio) {
        return ratio == null ? "" : ratio.text(2);
    }

    private static String range(@Nullable Spread ratio) {
        return ratio == null ? "" : ratio.range(2);
    }
}
