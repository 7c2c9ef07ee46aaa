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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** Stag's end where the peer is another program than rping: one queue pair with messages of one size. */
final class VerbsPeer implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);

    private static final int PRIME = 31; // the content of messages repeats after 256 octets only
    private static final byte NOT_SENT = 0x5A;

    private final int size;
    private final Rnic rnic;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private final MemoryRegion inbox; // a place for each message
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
        Set<Access> rights = EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE);
        memory = domain.allocate(Math.max(size, Long.BYTES), rights);
        inbox = domain.allocate((long) depth * size, rights);
        for (int i = 0; i < size; i++) {
            memory.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * PRIME + 1));
        }
        inbox.segment().fill(NOT_SENT);
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
            queuePair
                    .newReceiveRequests()
                    .receive(i)
                    .into(inbox, (long) i * size, size)
                    .post();
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

    /** So many received messages must have the content that was sent. */
    void expectEcho(int count) {
        expectContent(count, memory.segment().asSlice(0, size));
    }

    /** So many received messages must have this content. */
    void expectContent(int count, MemorySegment expected) {
        for (int i = 0; i < count; i++) {
            long wrong = inbox.segment().asSlice((long) i * size, size).mismatch(expected);
            if (wrong >= 0) {
                throw new CellFailure("message " + i + " is not what was sent, from octet " + wrong);
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
