package io.stag.bench.compare;

import io.stag.cli.CommandFailure;
import io.stag.cli.OctetCount;
import io.stag.cli.Progress;
import io.stag.cli.perf.Measurement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What was measured, round by round. A cell that failed once is not tried again, and has no figures: those of the few turns
 * before would pass for all of them.
 *
 * @param measurements by cell, one per round; null where a round has none
 * @param failures why a cell has none
 */
public record Rounds(Map<Cell, List<@Nullable Measurement>> measurements, Map<Cell, String> failures) {
    /** Runs that last until so many samples are taken are long, and alike. */
    private static final int COUNTED_ROUNDS = 5;

    /** Nothing yet. */
    Rounds() {
        this(new LinkedHashMap<>(), new LinkedHashMap<>());
    }

    /**
     * Runs all cells, then all again: as many rounds as wanted.
     *
     * @param cells what; the same one twice is run once
     * @param rounds how many
     * @param seconds how long each run takes
     * @param progress told before each
     */
    public static Rounds run(Bench bench, List<Cell> cells, int rounds, double seconds, Progress progress)
            throws IOException {
        Rounds all = new Rounds();
        all.run(bench, new LinkedHashSet<>(cells), 1, rounds, rounds, COUNTED_ROUNDS, seconds, progress);
        return all;
    }

    /**
     * The same in several launches, over which the rounds are spread. Turns of one launch are not independent: where its
     * memory lies and what its compilers made of the code stay the same.
     *
     * @param benches makes a new one for each launch
     * @param launches how many, no more than rounds
     */
    static Rounds run(
            Supplier<Bench> benches, int launches, List<Cell> cells, int rounds, double seconds, Progress progress)
            throws IOException {
        Rounds all = new Rounds();
        int counted = Math.ceilDiv(COUNTED_ROUNDS, launches);
        int done = 0;
        for (int launch = 1; launch <= launches; launch++) {
            int last = (int) ((long) rounds * launch / launches);
            try (Bench bench = benches.get()) {
                all.run(bench, new LinkedHashSet<>(cells), done + 1, last, rounds, counted, seconds, progress);
            }
            done = last;
        }
        return all;
    }

    private void run(
            Bench bench,
            Set<Cell> distinct,
            int first,
            int last,
            int rounds,
            int counted,
            double seconds,
            Progress progress)
            throws IOException {
        distinct.forEach(cell -> measurements.computeIfAbsent(cell, _ -> new ArrayList<>()));
        for (int round = first; round <= last; round++) {
            int number = 0;
            for (Cell cell : distinct) {
                progress.step(String.format(
                        Locale.ROOT,
                        "round %d of %d, %d of %d: %s, %s octets",
                        round,
                        rounds,
                        ++number,
                        distinct.size(),
                        Contender.nameOf(cell.spec()),
                        OctetCount.text(cell.spec().size())));
                boolean wanted = !failures.containsKey(cell) && (!cell.isCounted() || round - first < counted);
                add(cell, wanted ? tryOnce(bench, cell, seconds) : null);
            }
        }
    }

    /** Adds what was measured elsewhere, of cells that are not here yet. */
    void addAll(Rounds others) {
        others.measurements.forEach(measurements::putIfAbsent);
        others.failures.forEach(failures::putIfAbsent);
    }

    private void add(Cell cell, @Nullable Measurement measurement) {
        of(cell).add(measurement);
    }

    private @Nullable Measurement tryOnce(Bench bench, Cell cell, double seconds) throws IOException {
        try {
            return bench.run(cell.spec(), cell.duration(seconds));
        } catch (CommandFailure e) {
            failures.put(cell, String.valueOf(e.getMessage()));
            return null;
        }
    }

    List<@Nullable Measurement> of(Cell cell) {
        return measurements.getOrDefault(cell, List.of());
    }

    /** A figure in each round, NaN where there is none; nothing of a cell that failed. */
    List<Double> values(Cell cell, Metric metric) {
        return failures.containsKey(cell)
                ? List.of()
                : of(cell).stream().map(metric::of).toList();
    }

    /** What could not be measured and why, a line for each. */
    public List<String> notMeasured() {
        return failures.entrySet().stream()
                .map(failure ->
                        "not measured: " + Contender.nameOf(failure.getKey().spec()) + ", "
                                + OctetCount.text(failure.getKey().spec().size()) + " octets: " + failure.getValue())
                .toList();
    }

    /** A figure of all rounds. */
    public Spread spread(Cell cell, Metric metric) {
        return mean(List.of(cell), metric);
    }

    /** The ratio to another, round by round. */
    public Spread ratio(Cell cell, Cell baseline, Metric metric) {
        return meanRatio(List.of(cell), List.of(baseline), metric);
    }

    /** The mean of a figure of several, round by round; nothing of rounds in which one has none. */
    Spread mean(List<Cell> cells, Metric metric) {
        return Spread.ofMeans(cells.stream().map(cell -> values(cell, metric)).toList());
    }

    /** The mean of the ratios of several, each to another one, round by round. */
    Spread meanRatio(List<Cell> cells, List<Cell> baselines, Metric metric) {
        return Spread.ofMeans(IntStream.range(0, cells.size())
                .mapToObj(i -> Spread.ratios(values(cells.get(i), metric), values(baselines.get(i), metric)))
                .toList());
    }
}
