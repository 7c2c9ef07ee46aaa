package io.stag.verbs;

/** Receives that several queue pairs share; a message takes the oldest. A failing queue pair does not flush it. */
public interface SharedReceiveQueue extends AutoCloseable {

    /** Number of receives it can hold. */
    int capacity();

    /** Number of receives not taken by a message; above the capacity for a while when messages that failed gave some back. */
    int available();

    /** A new, reusable list for posting; one thread at a time. */
    ReceiveRequests newReceiveRequests();

    /** Fires {@link AsyncEvent.ReceiveLimitReached} once when fewer than {@code limit} receives are left; 0 disarms. */
    void armLimit(int limit);

    /** Refused while queue pairs use the queue. */
    @Override
    void close();
}
