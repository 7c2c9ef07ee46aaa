package io.stag.cli.misbehave;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.wire.NetworkOrder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One connection of an RNIC to be misbehaved against: has memory of every kind and announces it in the way of rping. When
 * the connection is over, it tells whether a case got through to memory that no case may change.
 */
final class Target implements AutoCloseable {
    private static final int SIZE = 4_096;
    private static final int LARGE_SIZE = 8 << 20;
    private static final int MESSAGE = 64;
    private static final int RECEIVES = 4; // few, so that Sends can run out of them
    private static final int READS = 4;
    private static final int DEPTH = 4;
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Set<Access> LOCAL = EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE);

    private final List<AutoCloseable> owned = new ArrayList<>();
    private final CompletionQueue queue;
    private final QueuePair queuePair;
    private final MemoryRegion buffer;
    private final MemoryRegion messages;
    private final List<MemoryRegion> untouchable = new ArrayList<>();
    private final Buffers.Special special;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(2 * DEPTH + RECEIVES);

    Target(Rnic rnic) {
        ProtectionDomain domain = own(rnic.allocateProtectionDomain());
        ProtectionDomain other = own(rnic.allocateProtectionDomain());
        queue = own(rnic.createCompletionQueue(DEPTH + RECEIVES));
        queuePair = own(domain.createQueuePair(QueuePairConfig.builder(queue)
                .sendDepth(DEPTH)
                .receiveDepth(RECEIVES)
                .maxInboundReads(READS)
                .maxOutboundReads(1)
                .build()));
        messages = own(domain.allocate((RECEIVES + 1) * MESSAGE, LOCAL));
        buffer = own(domain.allocate(
                SIZE, rights(Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_INVALIDATE)));
        MemoryRegion large = own(domain.allocate(LARGE_SIZE, rights(Access.REMOTE_READ)));
        special = new Buffers.Special(
                SIZE,
                guarded(domain, rights(Access.REMOTE_READ)),
                guarded(domain, rights(Access.REMOTE_WRITE)),
                guarded(domain, LOCAL),
                guarded(other, rights(Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_INVALIDATE)),
                stale(domain),
                large.stag(),
                LARGE_SIZE);
        for (int i = 0; i < RECEIVES; i++) {
            queuePair
                    .newReceiveRequests()
                    .receive(i)
                    .into(messages, (long) i * MESSAGE, MESSAGE)
                    .post();
        }
    }

    private static Set<Access> rights(Access... remote) {
        Set<Access> rights = EnumSet.copyOf(LOCAL);
        rights.addAll(List.of(remote));
        return rights;
    }

    private <T extends AutoCloseable> T own(T resource) {
        owned.add(resource);
        return resource;
    }

    private int guarded(ProtectionDomain domain, Set<Access> rights) {
        MemoryRegion region = own(domain.allocate(SIZE, rights));
        untouchable.add(region);
        return region.stag();
    }

    private static int stale(ProtectionDomain domain) {
        try (MemoryRegion region = domain.allocate(SIZE, rights(Access.REMOTE_READ, Access.REMOTE_WRITE))) {
            return region.stag();
        }
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** As rping's server: reads what the peer announces, then lets it go on. Returns when the connection is over. */
    void serve(Connection connection) {
        if (await(connection, Operation.RECEIVE)) {
            MemorySegment message = messages.segment();
            queuePair
                    .newSendRequests()
                    .read(0, message.get(NetworkOrder.U32, 8), message.get(NetworkOrder.U64, 0))
                    .into(buffer, 0, Math.clamp(message.get(NetworkOrder.U32, 12), 0, SIZE))
                    .post();
            if (await(connection, Operation.RDMA_READ)) {
                announce();
            }
        }
        awaitEnd(connection);
    }

    /** As rping's client: announces a buffer. Returns when the connection is over. */
    void offer(Connection connection) {
        announce();
        awaitEnd(connection);
    }

    private void announce() {
        long at = (long) RECEIVES * MESSAGE;
        MemorySegment message = messages.segment();
        message.set(NetworkOrder.U64, at, buffer.remoteOffset(0));
        message.set(NetworkOrder.U32, at + 8, buffer.stag());
        message.set(NetworkOrder.U32, at + 12, SIZE);
        special.put(message, at + Buffers.ANNOUNCEMENT);
        queuePair
                .newSendRequests()
                .send(0)
                .from(messages, at, Buffers.ANNOUNCEMENT + Buffers.Special.LENGTH)
                .post();
    }

    /** Waits for a completion; false when the connection ended first, or the completion is an error. */
    private boolean await(Connection connection, Operation operation) {
        while (true) {
            boolean over = isOver(connection); // asked first: what completed before the end is still to be taken
            int count = queue.await(completions, STEP);
            for (int i = 0; i < count; i++) {
                if (!completions.isSuccess(i)) {
                    return false;
                } else if (completions.operation(i) == operation) {
                    return true;
                }
            }
            if (over && count == 0) {
                return false;
            }
        }
    }

    private static void awaitEnd(Connection connection) {
        while (!isOver(connection)) {
            connection.awaitDisconnected(STEP);
        }
    }

    private static boolean isOver(Connection connection) {
        return switch (connection.state()) {
            case CONNECTING, ESTABLISHED, DISCONNECTING -> false;
            case REJECTED, FAILED, DISCONNECTED -> true;
        };
    }

    /** Whether no case got through to memory it must not change: foreign buffers, and the second half of its own. */
    boolean isIntact() {
        return untouchable.stream().allMatch(region -> isZero(region.segment()))
                && isZero(buffer.segment().asSlice(SIZE / 2));
    }

    private static boolean isZero(MemorySegment memory) {
        for (long i = 0; i < memory.byteSize(); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        for (AutoCloseable resource : owned.reversed()) {
            try {
                resource.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
