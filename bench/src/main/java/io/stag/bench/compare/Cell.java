package io.stag.bench.compare;

import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;

/**
 * What is run once in each round.
 *
 * @param spec the run
 * @param iterations samples to take, or 0 for as many as the time allows
 */
public record Cell(RunSpec spec, long iterations) {
    /** As many samples as the time allows. */
    public static Cell timed(RunSpec spec) {
        return new Cell(spec, 0);
    }

    boolean isCounted() {
        return iterations > 0;
    }

    RunDuration duration(double seconds) {
        return isCounted() ? new RunDuration(0, iterations) : new RunDuration(seconds, 0);
    }
}
