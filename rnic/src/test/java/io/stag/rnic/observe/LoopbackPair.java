package io.stag.rnic.observe;

import io.stag.rnic.transport.NioTransport;
import io.stag.verbs.QueuePair;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Two RNICs connected over loopback, with a clock that the test moves. */
final class LoopbackPair implements AutoCloseable {
    /** The initiator speaks first and sends nothing of its own accord, so that counts are exact. */
    static final ConnectionConfig PLAIN =
            ConnectionConfig.builder().peerToPeer(false).build();

    private static final int MANY = 5_000_000;

    final AtomicLong clock = new AtomicLong(-5_000_000_000L); // nanoTime may be negative
    final LoopbackEnd client;
    final LoopbackEnd server;
    final Listener listener;

    /** A connection from both sides. */
    record Link(Connection client, Connection server) {}

    LoopbackPair() {
        client = new LoopbackEnd("client", NioTransport::new, clock::get);
        server = new LoopbackEnd("server", NioTransport::new, clock::get);
        listener =
                server.rnic.connectionManager().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    }

    void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    void runUntil(BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            if (i > MANY) {
                throw new AssertionError(
                        "it did not happen:\n" + client.rnic.snapshot() + "\n" + server.rnic.snapshot());
            }
            client.rnic.progress();
            server.rnic.progress();
        }
    }

    /** Lets both sides do whatever is left to do. */
    void settle() {
        for (int i = 0; i < 1_000; i++) {
            client.rnic.progress();
            server.rnic.progress();
        }
    }

    Connection connect(QueuePair queuePair, ConnectionConfig config) {
        return client.rnic.connectionManager().connect(queuePair, listener.address(), config);
    }

    ConnectionRequest request() {
        AtomicReference<Optional<ConnectionRequest>> request = new AtomicReference<>(Optional.empty());
        runUntil(() -> {
            request.set(listener.poll());
            return request.get().isPresent();
        });
        return request.get().orElseThrow();
    }

    Link link(ConnectionConfig config) {
        Connection near = connect(client.newQueuePair(), config);
        Connection far = request().accept(server.newQueuePair(), config);
        runUntil(() -> near.state() == Connection.State.ESTABLISHED && far.state() == Connection.State.ESTABLISHED);
        settle();
        return new Link(near, far);
    }

    @Override
    public void close() {
        client.rnic.close();
        server.rnic.close();
    }
}
