package io.stag.interop;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;

/** Stag's end where the peer is another program than rping: one queue pair with messages of one size. */
final class VerbsPeer implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);

    private final int size;
    private final Rnic rnic;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private final WorkCompletions completion = WorkCompletions.ofCapacity(1);

    /** A peer for so many messages at once each way, of so many octets. */
    VerbsPeer(int depth, int size) {
        this.size = size;
        rnic = Rnic.open(RnicConfig.builder().name("interop").build());
        domain = rnic.allocateProtectionDomain();
        queue = rnic.createCompletionQueue(2 * depth + 2);
        queuePair = domain.createQueuePair(QueuePairConfig.builder(queue)
                .sendDepth(depth)
                .receiveDepth(depth)
                .maxInboundReads(1)
                .maxOutboundReads(1)
                .build());
        memory = domain.allocate(Math.max(size, Long.BYTES), EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
    }

    QueuePair queuePair() {
        return queuePair;
    }

    MemoryRegion memory() {
        return memory;
    }

    SendRequests requests() {
        return queuePair.newSendRequests();
    }

    Connection connect(InetSocketAddress address, ConnectionConfig config) {
        return rnic.connectionManager().connect(queuePair, address, config).awaitEstablished(LIMIT);
    }

    Listener listen(int port) {
        return rnic.connectionManager().listen(new InetSocketAddress(port), 4);
    }

    Connection accept(Listener listener, ConnectionConfig config) {
        return listener.await(LIMIT)
                .orElseThrow(() -> new CellFailure("nobody connected within " + LIMIT.toSeconds() + " s"))
                .accept(queuePair, config)
                .awaitEstablished(LIMIT);
    }

    void postReceives(int count) {
        for (int i = 0; i < count; i++) {
            queuePair.newReceiveRequests().receive(i).into(memory, 0, size).post();
        }
    }

    void send(int count) {
        for (int i = 0; i < count; i++) {
            if (requests().send(i).from(memory, 0, size).post() != 1) {
                throw new IllegalStateException("the send queue is full");
            }
        }
    }

    /** Waits for so many completions, all successful and of one kind. */
    void await(Operation expected, int count) {
        for (int i = 0; i < count; i++) {
            WorkCompletions next = next();
            if (!next.isSuccess(0) || next.operation(0) != expected) {
                throw new CellFailure("completion " + i + " is " + next.describe(0) + ", expected " + expected);
            }
            if (expected == Operation.RECEIVE && next.length(0) != size) {
                throw new CellFailure("message " + i + " has " + next.length(0) + " octets, expected " + size);
            }
        }
    }

    /** The next completion. */
    WorkCompletions next() {
        if (queue.await(completion, LIMIT) == 0) {
            throw new CellFailure("no completion within " + LIMIT.toSeconds() + " s");
        }
        return completion;
    }

    @Override
    public void close() {
        rnic.close();
    }
}
