package io.stag.bench.peer;

import io.stag.cli.perf.RunSpec;

/** What the tests of this package can do. */
final class OneConnection {
    private OneConnection() {}

    /** Refuses runs that would not measure what they say. */
    static RunSpec only(RunSpec spec) {
        if (spec.connections() != 1 || spec.idleConnections() != 0) {
            throw new IllegalArgumentException(
                    spec.test() + " uses one connection; leave --connections and" + " --idle-connections away");
        }
        return spec;
    }
}
