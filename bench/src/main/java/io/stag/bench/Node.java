package io.stag.bench;

import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An RNIC with a protection domain, and how two of them are connected over loopback by one thread. */
final class Node implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(20);

    final Rnic rnic;
    final ProtectionDomain domain;

    Node(RnicConfig config) {
        rnic = Rnic.open(config);
        domain = rnic.allocateProtectionDomain();
    }

    static RnicConfig config(String name, ProgressMode progress) {
        return RnicConfig.builder().name(name).progress(progress).build();
    }

    /** One that is not shown to management tools, which would need memory of their own. */
    static Node unobserved(String name, ProgressMode progress) {
        return new Node(
                RnicConfig.builder().name(name).jmx(false).progress(progress).build());
    }

    Listener listen(int backlog) {
        return rnic.connectionManager().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), backlog);
    }

    /** Both ends of a connection. */
    record Connected(Connection initiator, Connection responder) {

        /** Closes in order, driving both RNICs. */
        void disconnect(Node from, Node to) {
            initiator.disconnect();
            long deadline = System.nanoTime() + CONNECT_TIMEOUT.toNanos();
            while (initiator.state() == Connection.State.DISCONNECTING
                    || responder.state() == Connection.State.ESTABLISHED) {
                if (from.rnic.progress() + to.rnic.progress() == 0) {
                    Thread.onSpinWait();
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new Program.Failure("not closed within " + CONNECT_TIMEOUT + ": " + initiator.state() + ", "
                            + responder.state());
                }
            }
        }
    }

    /** Connects two queue pairs; drives both RNICs meanwhile, so it works with every kind of progress. */
    static Connected connect(
            Node from, QueuePair initiator, Node to, QueuePair responder, Listener listener, ConnectionConfig config) {
        Connection made = from.rnic.connectionManager().connect(initiator, listener.address(), config);
        @Nullable Connection taken = null;
        long deadline = System.nanoTime() + CONNECT_TIMEOUT.toNanos();
        while (taken == null
                || made.state() == Connection.State.CONNECTING
                || taken.state() == Connection.State.CONNECTING) {
            if (taken == null) {
                Optional<ConnectionRequest> request = listener.poll();
                if (request.isPresent()) {
                    taken = request.get().accept(responder, config);
                }
            }
            if (from.rnic.progress() + to.rnic.progress() == 0) {
                Thread.onSpinWait();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new Program.Failure("no connection within " + CONNECT_TIMEOUT + ": " + made.state() + " "
                        + made.cause() + ", " + (taken == null ? "no request" : taken.state() + " " + taken.cause()));
            }
        }
        made.awaitEstablished(CONNECT_TIMEOUT); // throws what went wrong
        taken.awaitEstablished(CONNECT_TIMEOUT);
        return new Connected(made, taken);
    }

    @Override
    public void close() {
        rnic.close();
    }
}
