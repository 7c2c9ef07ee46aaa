package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.QueuePair;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Connections that have nothing to do with a fault, and verified traffic on them, to see that they do not suffer. */
final class Witness {
    private static final int CONNECTIONS = 4;
    private static final int ROUNDS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ManyTraffic traffic;
    private @Nullable Thread thread;
    private volatile boolean stopping;
    private final AtomicLong rounds = new AtomicLong();
    private volatile @Nullable RuntimeException failure;

    /** Connects the two RNICs. */
    Witness(Node client, Node server) {
        ManyEnd clientEnd = end(client, CONNECTIONS);
        ManyEnd serverEnd = end(server, CONNECTIONS);
        List<QueuePair> clientPairs = new ArrayList<>();
        List<QueuePair> serverPairs = new ArrayList<>();
        try (Listener listener = server.listen(CONNECTIONS)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                QueuePair initiator = clientEnd.newQueuePair();
                QueuePair responder = serverEnd.newQueuePair();
                Node.connect(client, initiator, server, responder, listener, ConnectionConfig.defaults());
                clientEnd.name(initiator, i);
                serverEnd.name(responder, i);
                clientPairs.add(initiator);
                serverPairs.add(responder);
            }
        }
        traffic = new ManyTraffic(clientEnd, serverEnd, clientPairs, serverPairs);
    }

    /** An end with memory for so many connections. */
    static ManyEnd end(Node node, int connections) {
        MemoryRegion memory = node.domain.allocate(
                (long) connections * ManyTraffic.SLOT,
                EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
        return new ManyEnd(node, memory, connections);
    }

    /** Begins with the traffic. */
    void start() {
        stopping = false;
        rounds.set(0);
        thread = Thread.ofPlatform().daemon().name("witness").start(this::run);
    }

    private void run() {
        try {
            while (!stopping) {
                traffic.run();
                rounds.incrementAndGet();
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** Rounds of traffic on all connections, every octet verified, since {@link #start}. */
    long rounds() {
        RuntimeException found = failure;
        if (found != null) {
            throw new Program.Failure("the other connections suffered: " + found.getMessage(), found);
        }
        return rounds.get();
    }

    /** Rounds since {@link #rounds()} was {@code before}; waits for some, so that it is seen that traffic goes on. */
    long verifiedSince(long before) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (rounds() - before < ROUNDS) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            if (System.nanoTime() - deadline > 0) {
                throw new Program.Failure("the other connections stand still");
            }
        }
        return rounds() - before;
    }

    /** Ends the traffic after a whole round. @return {@link #rounds()} */
    long stop() {
        stopping = true;
        Thread running = thread;
        if (running != null) {
            try {
                running.join();
            } catch (InterruptedException e) {
                throw new Program.Failure("interrupted", e);
            }
        }
        return rounds();
    }
}
