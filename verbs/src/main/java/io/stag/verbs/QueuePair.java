package io.stag.verbs;

import java.util.Optional;

/**
 * A send queue and a receive queue, joined to one stream by the connection manager. Posting is safe from any thread;
 * each thread uses its own request lists.
 */
public interface QueuePair extends AutoCloseable {

    /** Number of this queue pair, unique in its RNIC; completions carry it. */
    int id();

    /** Present state. */
    QueuePairState state();

    /** What it was created with. */
    QueuePairConfig config();

    /** The domain it belongs to. */
    ProtectionDomain protectionDomain();

    /** A new, reusable list for posting to the send queue; one thread at a time. */
    SendRequests newSendRequests();

    /**
     * A new, reusable list for posting to the receive queue; one thread at a time.
     *
     * @throws VerbsException when the queue pair takes its receives from a shared receive queue
     */
    ReceiveRequests newReceiveRequests();

    /**
     * Asks for a state change. Allowed: {@code RTS} to {@code CLOSING}, {@code TERMINATE} or {@code ERROR};
     * {@code IDLE} to {@code ERROR}; {@code ERROR} to {@code IDLE} once all requests were flushed.
     *
     * @throws VerbsException when the transition does not exist; nothing changes then
     */
    void modify(QueuePairState target);

    /** Why the queue pair left {@code RTS} for another reason than an orderly close. */
    Optional<ErrorDetail> firstCause();

    /** Counters. */
    QueuePairSnapshot snapshot();

    /** Destroys the queue pair in any state; outstanding requests vanish without completion. Refused while windows are bound. */
    @Override
    void close();
}
