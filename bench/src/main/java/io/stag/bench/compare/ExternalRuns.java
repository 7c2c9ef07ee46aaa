package io.stag.bench.compare;

import io.stag.bench.compare.Report.Series;
import io.stag.cli.CommandFailure;
import io.stag.cli.Progress;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/** What programs of others say, once after each group of runs that take turns. */
final class ExternalRuns {
    private final List<String> absent = new ArrayList<>();
    private final Map<Key, List<Double>> values = new LinkedHashMap<>();
    private final PrivateNetwork network;

    record Key(ExternalTool tool, Metric metric, int size) {}

    /** Looks who is there, and plans latency and bandwidth of all sizes as wanted. */
    ExternalRuns(PrivateNetwork network, List<Integer> sizes, List<Metric> metrics) {
        this.network = network;
        if (metrics.isEmpty()) {
            return; // nobody asks for them
        }
        for (ExternalTool tool : ExternalTool.values()) {
            if (!tool.isInstalled()) {
                absent.add(tool.command() + ": not installed");
                continue;
            }
            for (Metric metric : metrics) {
                sizes.stream()
                        .filter(_ -> tool.measures(metric))
                        .forEach(size -> values.put(new Key(tool, metric, size), new ArrayList<>()));
            }
        }
    }

    void round(Progress progress) throws IOException {
        for (Key key : values.keySet()) {
            progress.step(key.tool.nameOf(key.metric) + ", " + key.size + " octets");
            try {
                found(key, key.tool.run(network, key.metric, key.size));
            } catch (CommandFailure e) {
                found(key, Double.NaN);
                absent.add(String.valueOf(e.getMessage()));
            }
        }
    }

    /** Adds a figure. */
    void found(Key key, double value) {
        values.computeIfAbsent(key, _ -> new ArrayList<>()).add(value);
    }

    /** Who is not there, or failed. */
    List<String> absent() {
        return absent.stream().distinct().toList();
    }

    /** What was found, as a multiple of the median of raw TCP: they take no turns with it. */
    List<Series> series(Rounds rounds) {
        List<Series> series = new ArrayList<>();
        values.forEach((key, found) -> {
            Cell tcp =
                    Cell.timed(RunSpec.of(key.metric == Metric.LATENCY ? PerfTest.TCP_LAT : PerfTest.TCP_BW, key.size));
            Spread value = Spread.of(found.stream().mapToDouble(Double::doubleValue));
            if (!value.isEmpty()) {
                series.add(new Series(
                        key.tool.nameOf(key.metric),
                        key.tool.command(),
                        key.size,
                        value,
                        key.metric.unit(),
                        Spread.of(found.stream()
                                .mapToDouble(one ->
                                        one / rounds.spread(tcp, key.metric).median())),
                        null,
                        Spread.of(DoubleStream.empty()),
                        List.of(),
                        null,
                        Series.turns(found)));
            }
        });
        return series;
    }
}
