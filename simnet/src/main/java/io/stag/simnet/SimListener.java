package io.stag.simnet;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Optional;

/** Takes connections. Made by {@link SimNetwork#listen(InetSocketAddress)}. */
public final class SimListener {
    private final SimNetwork network;
    private final InetSocketAddress address;
    private final int backlog;
    private final ArrayDeque<SimStream> waiting = new ArrayDeque<>();
    private boolean open = true;

    SimListener(SimNetwork network, InetSocketAddress address, int backlog) {
        this.network = network;
        this.address = address;
        this.backlog = backlog;
    }

    /**
     * Where this listens.
     *
     * @return the address, with the port that was chosen
     */
    public InetSocketAddress localAddress() {
        return address;
    }

    /**
     * Whether a connection waits.
     *
     * @return true when {@link #accept()} would give one
     */
    public boolean acceptable() {
        return !waiting.isEmpty();
    }

    /**
     * Takes the oldest connection that waits. It may have failed in the meantime.
     *
     * @return a stream, or nothing when none waits
     */
    public Optional<SimStream> accept() {
        return Optional.ofNullable(waiting.poll());
    }

    /** Stops listening; connections that were not accepted are reset. */
    public void close() {
        if (!open) {
            return;
        }
        open = false;
        network.closed(this);
        waiting.forEach(SimStream::reset);
        waiting.clear();
    }

    boolean offer(SimStream stream) {
        if (waiting.size() >= backlog) {
            return false;
        }
        waiting.add(stream);
        return true;
    }
}
