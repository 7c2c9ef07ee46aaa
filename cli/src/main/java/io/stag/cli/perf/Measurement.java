package io.stag.cli.perf;

import java.util.List;

/**
 * One run with everything that is known about it.
 *
 * @param spec what was run
 * @param result the figures
 * @param percentiles of the latency, from low to high; empty for a bandwidth test
 * @param compilerNanos processor time of the compilers of both processes meanwhile
 */
public record Measurement(RunSpec spec, PerfResult result, List<Percentile> percentiles, long compilerNanos) {
    /**
     * A point of the distribution.
     *
     * @param percent of the samples were as fast, or faster
     * @param us latency in microseconds
     */
    public record Percentile(double percent, double us) {}

    /**
     * Jain's index: the square of the sum over n times the sum of the squares.
     *
     * @param shares what each got
     */
    public static double fairness(long... shares) {
        double sum = 0;
        double squares = 0;
        for (long share : shares) {
            sum += share;
            squares += (double) share * share;
        }
        return squares == 0 ? 1 : sum * sum / (shares.length * squares);
    }
}
