package io.stag.cli.perf;

/**
 * How long to measure.
 *
 * @param seconds time, or 0 for no limit
 * @param iterations samples, or 0 for no limit
 * @param mbPerS millions of octets per second that a bandwidth test sends at most, or 0 for no limit
 */
public record RunDuration(double seconds, long iterations, double mbPerS) {
    /** As fast as it goes. */
    public RunDuration(double seconds, long iterations) {
        this(seconds, iterations, 0);
    }

    RunDuration warmUp(double least) {
        double half = seconds == 0 ? 0 : Math.clamp(seconds / 2, 0.2, 1.0);
        return new RunDuration(Math.max(least, half), 0, mbPerS);
    }
}
