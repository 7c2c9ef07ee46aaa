package io.stag.cli.misbehave;

import io.stag.cli.Endpoints;
import io.stag.verbs.Rnic;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Offers {@link Target}s to a misbehaving peer, one per connection. */
final class TargetHost implements AutoCloseable {
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(15);

    private final Rnic rnic;
    private final ConnectionConfig config;
    private final Consumer<String> log;
    private final AtomicInteger damaged = new AtomicInteger();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("stag-target-", 0).factory());

    TargetHost(Rnic rnic, ConnectionConfig config, Consumer<String> log) {
        this.rnic = rnic;
        this.config = config;
        this.log = log;
    }

    /** Targets whose memory was changed by a case that must not reach it. */
    int damaged() {
        return damaged.get();
    }

    /** Serves connections, any number at once, until the listener is closed. */
    void serve(Listener listener) {
        while (true) {
            Optional<ConnectionRequest> request = listener.await(STEP);
            request.ifPresent(found -> threads.execute(() -> serve(found)));
        }
    }

    private void serve(ConnectionRequest request) {
        String name = "peer " + Endpoints.text(request.remoteAddress());
        try (Target target = new Target(rnic)) {
            Connection connection = request.accept(target.queuePair(), config);
            target.serve(connection);
            report(name, target, connection);
        } catch (VerbsException e) {
            log.accept(name + ": " + e.getMessage());
        }
    }

    /** Connects again and again, until the peer no longer listens. */
    void connect(InetSocketAddress peer) {
        boolean listening = true;
        while (listening) {
            listening = connectOnce(peer);
        }
    }

    private boolean connectOnce(InetSocketAddress peer) {
        try (Target target = new Target(rnic)) {
            Connection connection = rnic.connectionManager().connect(target.queuePair(), peer, config);
            try {
                connection.awaitEstablished(CONNECT_LIMIT);
                target.offer(connection);
            } catch (VerbsException e) {
                log.accept("connection " + connection.id() + ": " + e.getMessage());
                connection.abort();
                return isTcpConnected(connection);
            }
            report("connection " + connection.id(), target, connection);
            return true;
        }
    }

    /** The address of this end is known only then; what failed after that may be a case. */
    private static boolean isTcpConnected(Connection connection) {
        return !connection.localAddress().getAddress().isAnyLocalAddress();
    }

    private void report(String name, Target target, Connection connection) {
        log.accept(name + ": " + connection.cause().map(Object::toString).orElse("closed in order"));
        if (!target.isIntact()) {
            damaged.incrementAndGet();
            log.accept(name + ": DAMAGE, memory was changed that this peer had no right to change");
        }
    }

    /** Waits until the connections served are over. */
    @Override
    public void close() {
        threads.close();
    }
}
