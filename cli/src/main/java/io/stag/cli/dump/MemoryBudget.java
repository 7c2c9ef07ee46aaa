package io.stag.cli.dump;

/** Octets that all TCP streams of a capture may hold back together while they wait for a missing segment. */
final class MemoryBudget {
    private final long limit;
    private long used;

    MemoryBudget(long limit) {
        this.limit = limit;
    }

    /** Takes octets; false, and nothing taken, when there are not enough left. */
    boolean take(long octets) {
        if (used + octets > limit) {
            return false;
        }
        used += octets;
        return true;
    }

    void giveBack(long octets) {
        used -= octets;
    }
}
