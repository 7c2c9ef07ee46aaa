package io.stag.cli.perf;

import java.util.Locale;

/** How a side waits for the other. */
public enum WaitMode {
    /** Looks again and again: lowest latency, a core in use. */
    POLL,
    /** Sleeps until something comes. */
    BLOCK;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
