package io.stag.cli.demo;

/**
 * Something the demo shows.
 *
 * @param title what it is
 * @param action does and verifies it
 */
record Step(String title, Action action) {
    /** Does something between two ends. */
    interface Action {
        /**
         * Fails with {@link io.stag.cli.CommandFailure} when the result is not right.
         *
         * @return what was seen, in a few words
         */
        String run(Pair.Ends ends);
    }
}
