package io.stag.rnic.transport;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Where streams come from: the operating system's TCP, or a simulated network. Each agent has one. All methods but
 * {@link #wakeup} are called by the agent; {@link #select} by one thread at a time, without the agent's lock.
 */
public interface Transport extends AutoCloseable {

    /** Collects handlers whose stream or listener has something to do. */
    interface ReadySet {
        /** Notes a handler; the agent calls it later, under its lock. */
        void add(ReadyHandler handler);
    }

    /** Called under the agent's lock when a stream may be read, written or finished connecting, or a listener accept. */
    interface ReadyHandler {
        /** Does what is possible without waiting. */
        void onReady();
    }

    /**
     * Collects what is ready.
     *
     * @param timeoutNanos how long to wait when nothing is: 0 not at all, {@link Long#MAX_VALUE} until {@link #wakeup}
     */
    void select(long timeoutNanos, ReadySet ready) throws IOException;

    /** Ends a present or the next waiting {@link #select}. Any thread. */
    void wakeup();

    /** True when a {@link #select} is due soon even if nothing is awaited, for instance to finish closing. */
    boolean needsSelect();

    /** Opens a stream; it becomes ready when the attempt has an outcome, unless it has one when this returns. */
    TransportStream connect(InetSocketAddress remote, ReadyHandler handler) throws IOException;

    /** Listens. */
    TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler handler) throws IOException;

    /** Takes over a stream that another agent's transport of the same kind accepted. */
    void adopt(TransportStream stream, ReadyHandler handler) throws IOException;

    /**
     * Opens a place for datagrams; it is ready at once, and reported while datagrams wait.
     *
     * @throws UnsupportedOperationException when there are only streams here
     */
    default DatagramPort openDatagramPort(DatagramPortOptions options, ReadyHandler handler) throws IOException {
        throw new UnsupportedOperationException("this transport has no datagrams");
    }

    @Override
    void close() throws IOException;
}
