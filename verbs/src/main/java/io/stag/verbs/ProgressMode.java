package io.stag.verbs;

/** Which thread does the RNIC's work. */
public enum ProgressMode {
    /**
     * Whoever posts, polls or waits does the work, one thread at a time. Lowest latency; a program that calls nothing
     * also serves nothing, not even its peers' RDMA Reads.
     */
    INVOKER,
    /** One agent thread does the work of all queue pairs. */
    SHARED,
    /** Several agent threads, each with its own queue pairs. */
    DEDICATED
}
