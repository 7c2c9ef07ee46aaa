package io.stag.bench.compare;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Several values of the same thing.
 *
 * @param median the middle one, or the mean of the two in the middle; NaN when there is none
 * @param low a quarter of them are below, none where there are fewer than five
 * @param high a quarter of them are above, none where there are fewer than five
 * @param count how many
 */
public record Spread(double median, double low, double high, int count) {
    /** Of values among which NaN stands for nothing. */
    public static Spread of(DoubleStream values) {
        double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
        if (sorted.length == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN, 0);
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        int last = sorted.length - 1;
        return new Spread(median, sorted[last / 4], sorted[last - last / 4], sorted.length);
    }

    /** Of the ratios, round by round: what disturbed a round disturbed both. */
    static Spread ofRatios(List<Double> values, List<Double> baseline) {
        return ofMeans(List.of(ratios(values, baseline)));
    }

    /** Ratios, round by round; NaN where there is none. */
    static List<Double> ratios(List<Double> values, List<Double> baseline) {
        return IntStream.range(0, Math.min(values.size(), baseline.size()))
                .mapToObj(i -> values.get(i) / baseline.get(i))
                .map(ratio -> Double.isFinite(ratio) ? ratio : Double.NaN)
                .toList();
    }

    /** Of the means, round by round, in rounds where all have a value. */
    static Spread ofMeans(List<List<Double>> all) {
        int rounds = all.stream().mapToInt(List::size).min().orElse(0);
        return of(IntStream.range(0, rounds)
                .mapToDouble(round -> all.stream()
                        .mapToDouble(values -> values.get(round))
                        .average()
                        .orElse(Double.NaN)));
    }

    /** Whether there is no value. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** The median, or a dash. */
    public String text(int decimals) {
        return number(median, decimals);
    }

    /** The middle half, or a dash. */
    public String range(int decimals) {
        return isEmpty() ? "-" : number(low, decimals) + ".." + number(high, decimals);
    }

    /** A number, or a dash for NaN. */
    public static String number(double value, int decimals) {
        if (Double.isNaN(value)) {
            return "-";
        }
        String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
        return text.matches("-0(\\.0*)?") ? text.substring(1) : text;
    }
}
