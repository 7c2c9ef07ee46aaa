package io.stag.bench;

import io.stag.verbs.QueuePair;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One real client after the other: connects, moves verified data, closes; tries again when it is turned away. */
final class GoodClients {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration A_MOMENT = Duration.ofMillis(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Node clientNode;
    private final Node serverNode;
    private final ManyEnd clientEnd;
    private final ManyEnd serverEnd;
    private final Listener listener;
    private @Nullable Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable RuntimeException failure;
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile long longestNanos;

    GoodClients(Node clientNode, Node serverNode, Listener listener) {
        this.clientNode = clientNode;
        this.serverNode = serverNode;
        this.listener = listener;
        clientEnd = Witness.end(clientNode, 1);
        serverEnd = Witness.end(serverNode, 1);
    }

    void start() {
        stopping = false;
        served.set(0);
        refused.set(0);
        longestNanos = 0;
        thread = Thread.ofPlatform().daemon().name("good-clients").start(this::run);
    }

    private void run() {
        try {
            while (!stopping) {
                long start = System.nanoTime();
                while (!tryOnce()) {
                    refused.incrementAndGet();
                    LockSupport.parkNanos(PAUSE_NANOS);
                    if (System.nanoTime() - start > PATIENCE.toNanos()) {
                        throw new Program.Failure("not let in for " + PATIENCE);
                    }
                }
                longestNanos = Math.max(longestNanos, System.nanoTime() - start);
                served.incrementAndGet();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    private boolean tryOnce() {
        try (QueuePair initiator = clientEnd.newQueuePair();
                QueuePair responder = serverEnd.newQueuePair()) {
            Node.@Nullable Connected both = connect(initiator, responder);
            if (both == null) {
                return false;
            }
            clientEnd.name(initiator, 0);
            serverEnd.name(responder, 0);
            new ManyTraffic(clientEnd, serverEnd, List.of(initiator), List.of(responder)).run();
            both.disconnect(clientNode, serverNode);
            return true;
        }
    }

    /** Null when either end was refused. */
    private Node.@Nullable Connected connect(QueuePair initiator, QueuePair responder) {
        ConnectionConfig config = ConnectionConfig.defaults();
        try {
            Connection made = clientNode.rnic.connectionManager().connect(initiator, listener.address(), config);
            @Nullable Connection taken = null;
            while (made.state() == Connection.State.CONNECTING) {
                if (taken == null) {
                    taken = listener.await(A_MOMENT)
                            .map(request -> request.accept(responder, config))
                            .orElse(null);
                }
            }
            return taken == null
                    ? null
                    : new Node.Connected(made.awaitEstablished(PATIENCE), taken.awaitEstablished(PATIENCE));
        } catch (VerbsException _) {
            return null;
        }
    }

    /** How many got in and had their data verified. */
    int served() {
        RuntimeException found = failure;
        if (found != null) {
            throw new Program.Failure("a good client failed: " + found.getMessage(), found);
        }
        return served.get();
    }

    /** How many attempts were turned away. */
    int refused() {
        return refused.get();
    }

    /** How long one had to try until it got in, at most. */
    Duration longest() {
        return Duration.ofNanos(longestNanos);
    }

    /** Ends after the present one got in. */
    void stop() {
        stopping = true;
        Thread running = thread;
        if (running != null) {
            try {
                running.join();
            } catch (InterruptedException e) {
                throw new Program.Failure("interrupted", e);
            }
        }
        served();
    }
}
