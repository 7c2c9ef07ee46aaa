package io.stag.fuzz;

import java.util.function.Supplier;

/** Assertions for loops that run a hundred thousand times a second: nothing is made while all is well. */
final class Check {
    private Check() {}

    static void that(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    static void that(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise.get());
        }
    }

    static void equal(long actual, long expected, String what) {
        if (actual != expected) {
            throw new AssertionError(what + " is " + actual + " where " + expected + " is right");
        }
    }
}
