package io.stag.verbs.cm;

import io.stag.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Makes and takes connections. All methods may be called from any thread. */
public interface ConnectionManager {

    /**
     * Starts to connect {@code queuePair}, which must be Idle, and returns at once. {@link Connection#awaitEstablished}
     * waits for the outcome; {@link #onEvent} reports it.
     */
    Connection connect(QueuePair queuePair, InetSocketAddress remote, ConnectionConfig config);

    /**
     * Listens at an address; port 0 chooses a free one.
     *
     * @param backlog requests that may wait for a decision; further connections are closed
     */
    Listener listen(InetSocketAddress address, int backlog);

    /** All connections of the RNIC that have not ended, those in set-up included, in order of their numbers. */
    List<Connection> connections();

    /** The connection with a number, unless it has ended. */
    Optional<Connection> find(long id);

    /**
     * Sets a handler for everything that happens to connections. It is called on the thread that drives the RNIC,
     * outside all locks, and should return soon.
     */
    void onEvent(Consumer<ConnectionEvent> handler);
}
