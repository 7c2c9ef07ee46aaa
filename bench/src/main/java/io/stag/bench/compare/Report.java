package io.stag.bench.compare;

import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.PerfResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison found; this is also the form of its JSON file.
 *
 * @param machine where
 * @param method how
 * @param series what was measured
 * @param goals what was reached; empty unless asked for
 * @param absent who could not be measured, and why
 */
public record Report(Machine machine, Method method, List<Series> series, List<GoalResult> goals, List<String> absent) {
    /**
     * How it was measured.
     *
     * @param rounds how many turns each run had, among those that it is compared with
     * @param launches how often their processes were started anew, over which the turns were spread
     * @param seconds how long a turn took
     * @param pinned whether client and server kept to different processors
     * @param congestionControl what TCP used, in all runs
     * @param privateNetwork whether the processes had a loopback of their own
     * @param turns how many there were, and how far apart the processors; null where that is not known
     */
    public record Method(
            int rounds,
            int launches,
            double seconds,
            boolean pinned,
            @Nullable String congestionControl,
            boolean privateNetwork,
            QuietTurns.@Nullable Found turns) {
        /** All of it in a few words. */
        public String text() {
            return rounds + " rounds in turns of " + seconds + " s, "
                    + (launches > 1 ? "in " + launches + " launches, " : "")
                    + (pinned ? "client and server pinned to different processors, " : "")
                    + "TCP congestion control " + Objects.requireNonNullElse(congestionControl, "unknown")
                    + (privateNetwork ? " on a loopback of their own" : "")
                    + (turns == null ? "" : ", " + turns.text());
        }
    }

    /**
     * One contender at one size.
     *
     * @param name who, see {@link Contender#nameOf}
     * @param test which test
     * @param size octets per message
     * @param value its latency or bandwidth
     * @param unit of the value
     * @param overTcp ratio to raw TCP of the same round; null where there is none
     * @param overFramed ratio to the framing loop of the same round, CRC alike; null where there is none
     * @param cpu microseconds of processor time per message, both ends
     * @param percentiles of the latency, in the turn nearest to the median
     * @param typical all figures of that turn; null for programs of others
     * @param turns the value of each turn
     */
    record Series(
            String name,
            String test,
            int size,
            Spread value,
            String unit,
            @Nullable Spread overTcp,
            @Nullable Spread overFramed,
            Spread cpu,
            List<Measurement.Percentile> percentiles,
            @Nullable PerfResult typical,
            List<@Nullable Double> turns) {
        static List<@Nullable Double> turns(List<Double> values) {
            return values.stream()
                    .<@Nullable Double>map(value -> value.isNaN() ? null : value)
                    .toList();
        }

        boolean isLatency() {
            return unit.equals(Metric.LATENCY.unit());
        }
    }

    /** The series of what was measured. */
    static List<Series> series(Rounds rounds) {
        List<Series> all = new ArrayList<>();
        for (Cell cell : rounds.measurements().keySet()) {
            if (!rounds.failures().containsKey(cell)) {
                all.add(series(rounds, cell));
            }
        }
        return all;
    }

    private static Series series(Rounds rounds, Cell cell) {
        Metric metric = cell.spec().test().isLatency() ? Metric.LATENCY : Metric.BANDWIDTH;
        Spread value = rounds.spread(cell, metric);
        Measurement typical = typical(rounds, cell, metric, value.median());
        return new Series(
                Contender.nameOf(cell.spec()),
                cell.spec().test().toString(),
                cell.spec().size(),
                value,
                metric.unit(),
                ratio(rounds, cell, Baseline.tcp(cell), metric),
                ratio(rounds, cell, Baseline.framed(cell), metric),
                rounds.spread(cell, Metric.CPU),
                typical == null ? List.of() : typical.percentiles(),
                typical == null ? null : typical.result(),
                Series.turns(rounds.values(cell, metric)));
    }

    private static @Nullable Spread ratio(Rounds rounds, Cell cell, Cell baseline, Metric metric) {
        if (cell.equals(baseline) || !rounds.measurements().containsKey(baseline)) {
            return null;
        }
        return rounds.ratio(cell, baseline, metric);
    }

    /** Percentiles of different turns cannot be averaged; those of a typical one are shown. */
    private static @Nullable Measurement typical(Rounds rounds, Cell cell, Metric metric, double median) {
        return rounds.of(cell).stream()
                .filter(Objects::nonNull)
                .min(Comparator.comparingDouble(one -> Math.abs(metric.of(one) - median)))
                .orElse(null);
    }
}
