package io.stag.interop;

/**
 * What a cell's work came to, when it did not fail.
 *
 * @param status how it ended
 * @param iterations pings, messages or connections that were verified
 * @param remark what is worth knowing; may be empty
 */
record Outcome(Status status, long iterations, String remark) {
    static Outcome green(long iterations, String remark) {
        return new Outcome(Status.GREEN, iterations, remark);
    }

    /** It cannot work, and failed as it should. */
    static Outcome none(String reason) {
        return new Outcome(Status.NONE, 0, reason);
    }
}
