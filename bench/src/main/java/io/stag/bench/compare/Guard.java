package io.stag.bench.compare;

import io.stag.cli.OctetCount;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The ratios that should not get worse, and how they are compared with what they were. */
final class Guard {
    private Guard() {}

    /**
     * A ratio to be watched.
     *
     * @param name in the baseline file
     * @param metric which figure
     * @param measured of this run
     * @param against over that one
     */
    record Watched(String name, Metric metric, Cell measured, Cell against) {}

    /**
     * The ratios as they were; this is the baseline file.
     *
     * @param machine where
     * @param method how
     * @param ratios by name
     */
    record Ratios(Machine machine, Report.Method method, Map<String, Spread> ratios) {}

    /**
     * A ratio now and then.
     *
     * @param name which
     * @param then in the baseline
     * @param now in this run
     * @param worsePercent how much worse it got; negative when it got better
     * @param verdict what that means
     */
    record Finding(String name, Spread then, Spread now, double worsePercent, Verdict verdict) {}

    /** What became of a ratio. */
    enum Verdict {
        SAME("as before"),
        BETTER("better"),
        WORSE("worse"),
        NEW("not in the baseline"),
        NOT_MEASURED("not measured");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** What is watched: small and large, latency, bandwidth and processor time, beside raw TCP. */
    static List<Watched> watched() {
        List<Watched> all = new ArrayList<>();
        for (int size : new int[] {64, 64 << 10}) {
            for (PerfTest test : List.of(PerfTest.WRITE_LAT, PerfTest.SEND_LAT, PerfTest.READ_LAT)) {
                add(all, Metric.LATENCY, RunSpec.of(test, size));
            }
        }
        add(all, Metric.LATENCY, RunSpec.of(PerfTest.ATOMIC_LAT, PerfTest.ATOMIC_SIZE));
        add(all, Metric.LATENCY, RunSpec.of(PerfTest.IMM_LAT, 64).blocking());
        for (int size : new int[] {64, 64 << 10, 1 << 20}) {
            add(all, Metric.BANDWIDTH, RunSpec.of(PerfTest.WRITE_BW, size));
        }
        add(all, Metric.BANDWIDTH, RunSpec.of(PerfTest.WRITE_BW, 1 << 20).withoutCrc());
        add(all, Metric.BANDWIDTH, RunSpec.of(PerfTest.SEND_BW, 1 << 20));
        add(all, Metric.BANDWIDTH, RunSpec.of(PerfTest.READ_BW, 1 << 20));
        add(all, Metric.CPU, RunSpec.of(PerfTest.WRITE_BW, 1 << 20));
        return all;
    }

    private static void add(List<Watched> all, Metric metric, RunSpec run) {
        Cell cell = Cell.timed(run);
        String name = (metric == Metric.CPU ? "CPU of " : "") + Contender.nameOf(run) + " "
                + OctetCount.text(run.size()) + " / raw TCP";
        all.add(new Watched(name, metric, cell, Baseline.tcp(cell)));
    }

    /**
     * Compares. A ratio is worse when its median lies more than the tolerance beyond that of the baseline, and the
     * middle halves of the two do not overlap: on a machine that does other things too, medians alone move by themselves.
     */
    static List<Finding> compare(Map<String, Spread> then, Map<String, Spread> now, double tolerancePercent) {
        Map<String, Watched> watched = new TreeMap<>();
        watched().forEach(one -> watched.put(one.name(), one));
        List<Finding> findings = new ArrayList<>();
        now.forEach((name, spread) -> {
            Watched one = watched.get(name);
            boolean moreIsBetter = one != null && one.metric().moreIsBetter();
            findings.add(judge(name, then.getOrDefault(name, NOTHING), spread, moreIsBetter, tolerancePercent));
        });
        return findings;
    }

    private static final Spread NOTHING = new Spread(Double.NaN, Double.NaN, Double.NaN, 0);

    private static Finding judge(String name, Spread then, Spread now, boolean moreIsBetter, double tolerancePercent) {
        if (now.isEmpty()) {
            return new Finding(name, then, now, Double.NaN, Verdict.NOT_MEASURED);
        } else if (then.isEmpty()) {
            return new Finding(name, then, now, Double.NaN, Verdict.NEW);
        }
        double change = moreIsBetter ? then.median() / now.median() - 1 : now.median() / then.median() - 1;
        boolean apart = now.low() > then.high() || now.high() < then.low();
        Verdict verdict = Verdict.SAME;
        if (apart && 100 * Math.abs(change) > tolerancePercent) {
            verdict = change > 0 ? Verdict.WORSE : Verdict.BETTER;
        }
        return new Finding(name, then, now, 100 * change, verdict);
    }
}
