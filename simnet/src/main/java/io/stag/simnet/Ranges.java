package io.stag.simnet;

/** Checks of settings. */
final class Ranges {
    private Ranges() {}

    static void probability(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(name + " is no probability: " + value);
        }
    }

    static void notBelow(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is " + value + ", at least " + least + " expected");
        }
    }

    static void delay(long minNanos, long maxNanos) {
        notBelow("minDelayNanos", minNanos, 0);
        notBelow("maxDelayNanos", maxNanos, minNanos);
    }
}
