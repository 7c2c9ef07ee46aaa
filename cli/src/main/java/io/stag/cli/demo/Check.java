package io.stag.cli.demo;

import io.stag.cli.CommandFailure;
import java.util.Objects;

/** Verifies what the demo claims. */
final class Check {
    private Check() {}

    static void isTrue(boolean fact, String otherwise) {
        if (!fact) {
            throw new CommandFailure(otherwise, "");
        }
    }

    static void equal(String what, Object expected, Object actual) {
        isTrue(Objects.equals(expected, actual), what + " is " + actual + " instead of " + expected);
    }
}
