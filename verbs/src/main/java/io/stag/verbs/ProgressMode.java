package io.stag.verbs;

/**
 * Which thread does the RNIC's work.
 *
 * <p>With agent threads the work goes on whatever the program does. While a thread of the program waits for completions
 * or notifications, it does the work of the agent whose completions it waits for, so that nobody has to wake it, and handlers
 * of events may be called in it. The agent's thread takes over again when the waiting has been over for some
 * 50 microseconds, a millisecond at most if waits follow each other closely.
 */
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
