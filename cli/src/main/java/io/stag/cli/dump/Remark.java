package io.stag.cli.dump;

/**
 * Something worth saying about a frame.
 *
 * @param isAnomaly whether a rule was broken
 * @param text what is the case
 * @param clause the rule; empty when there is none
 */
record Remark(boolean isAnomaly, String text, String clause) {
    static Remark anomaly(String text, String clause) {
        return new Remark(true, text, clause);
    }

    static Remark note(String text, String clause) {
        return new Remark(false, text, clause);
    }

    @Override
    public String toString() {
        return (isAnomaly ? "!! " : "-- ") + text + (clause.isEmpty() ? "" : " (" + clause + ")");
    }
}
