package io.stag.verbs.cm;

import io.stag.verbs.ErrorDetail;
import io.stag.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** One connection of a queue pair. All methods may be called from any thread. */
public interface Connection extends AutoCloseable {

    /** Stages of a connection's life. */
    enum State {
        /** Being set up. */
        CONNECTING,
        /** In use. */
        ESTABLISHED,
        /** An orderly close is under way. */
        DISCONNECTING,
        /** Refused by the peer. */
        REJECTED,
        /** Could not be set up. */
        FAILED,
        /** Ended after having been established. */
        DISCONNECTED
    }

    /** Number of the connection within its RNIC, never used again. */
    long id();

    /**
     * The queue pair connected.
     *
     * @throws io.stag.verbs.VerbsException when it is a peer's request that waits for a decision
     */
    QueuePair queuePair();

    /** Present stage. */
    State state();

    /** Our end; the wildcard address before the connection exists. */
    InetSocketAddress localAddress();

    /** The peer's end. */
    InetSocketAddress remoteAddress();

    /** What the two sides agreed on; empty before the peer's answer. */
    Optional<ConnectionInfo> info();

    /** The private data of the peer's startup frame, a copy; empty before its answer. */
    byte[] peerPrivateData();

    /** Why the connection failed or ended. */
    Optional<ErrorDetail> cause();

    /** Age, idle time and what else is known at this moment. */
    ConnectionSnapshot snapshot();

    /**
     * Waits until the connection can be used.
     *
     * @return this
     * @throws io.stag.verbs.VerbsException {@code CONNECTION_REJECTED}, {@code CONNECTION_FAILED}, {@code TIMED_OUT}
     *     (the attempt goes on then) or {@code INTERRUPTED}
     */
    Connection awaitEstablished(Duration timeout);

    /** Starts an orderly close: requests already posted are carried out first. Returns at once. */
    void disconnect();

    /** Resets the stream at once; outstanding requests are flushed. */
    void abort();

    /**
     * Waits until the connection has ended.
     *
     * @return false when the time ran out
     */
    boolean awaitDisconnected(Duration timeout);

    /** Disconnects, waits for the configured close time at most, then aborts. */
    @Override
    void close();
}
