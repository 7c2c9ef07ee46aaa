package io.stag.cli.rping;

import io.stag.cli.CommandFailure;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one end of an rping connection has: a queue pair with one receive always posted, a message to send, a buffer that
 * the peer may read and write. One thread uses it.
 */
final class RpingEndpoint implements AutoCloseable {
    private static final int SEND_DEPTH = 16;
    private static final int RECEIVE_DEPTH = 2;
    private static final Duration WAIT = Duration.ofMillis(100);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
    private static final Set<Access> LOCAL = EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE);
    private static final Set<Access> REMOTE =
            EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);

    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final QueuePair queuePair;
    private final SendRequests sends;
    private final ReceiveRequests receives;
    private final MemoryRegion receiveMessage;
    private final MemoryRegion sendMessage;
    private final MemoryRegion buffer;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(SEND_DEPTH);
    private final Deque<Operation> events = new ArrayDeque<>();
    private Announcement announced = new Announcement(0, 0, 0);
    private long nextId;
    private boolean ended;
    private @Nullable Connection connection;

    RpingEndpoint(Rnic rnic, int size) {
        domain = rnic.allocateProtectionDomain();
        queue = rnic.createCompletionQueue(2 * SEND_DEPTH + RECEIVE_DEPTH);
        queuePair = domain.createQueuePair(QueuePairConfig.builder(queue)
                .sendDepth(SEND_DEPTH)
                .receiveDepth(RECEIVE_DEPTH)
                .maxSegments(1)
                .maxInboundReads(1)
                .maxOutboundReads(1)
                .build());
        sends = queuePair.newSendRequests();
        receives = queuePair.newReceiveRequests();
        receiveMessage = domain.allocate(Announcement.LENGTH, LOCAL);
        sendMessage = domain.allocate(Announcement.LENGTH, LOCAL);
        buffer = domain.allocate(size, REMOTE);
        postReceive(); // before the connection exists: the peer may send at once
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** The connection of the queue pair, now established. */
    void connected(Connection established) {
        connection = established;
    }

    /** Memory of the buffer that the peer reads and writes, and that our own Reads and Writes use. */
    MemorySegment buffer() {
        return buffer.segment();
    }

    /** Where the buffer is, for the peer. */
    Announcement announcement(int size) {
        return announcement(buffer, size);
    }

    static Announcement announcement(MemoryRegion region, int size) {
        return new Announcement(region.remoteOffset(0), region.stag(), size);
    }

    /** Another buffer that the peer may read. */
    MemoryRegion allocate(int size) {
        return domain.allocate(size, REMOTE);
    }

    /** What the peer announced last. */
    Announcement announced() {
        return announced;
    }

    /** Sends an announcement. */
    void send(Announcement announcement) {
        announcement.put(sendMessage.segment());
        goAhead();
    }

    /** Sends a message whose content does not matter. */
    void goAhead() {
        sends.send(nextId++).from(sendMessage, 0, Announcement.LENGTH);
        post();
    }

    /** Reads the announced buffer of the peer into ours. */
    void read() {
        sends.read(nextId++, announced.key(), announced.address()).into(buffer, 0, announced.size());
        post();
    }

    /** Writes our buffer into the announced one of the peer. */
    void write(int length) {
        sends.write(nextId++, announced.key(), announced.address()).from(buffer, 0, length);
        post();
    }

    /**
     * Waits for the next event that is not the completion of a Send.
     *
     * @return false when the connection has ended in an orderly way
     */
    boolean await(Operation expected) {
        while (events.isEmpty() && !ended) {
            boolean over = isOver(); // asked first: what completed before the end is still to be taken
            int count = queue.await(completions, WAIT);
            for (int i = 0; i < count; i++) {
                handle(i);
            }
            ended |= over && count == 0;
        }
        Operation event = events.poll();
        if (event == null) {
            if (connection != null) {
                connection.awaitDisconnected(CLOSE_LIMIT); // before that, an orderly close may look like a cause
            }
            queuePair.firstCause().ifPresent(cause -> {
                throw new CommandFailure("the connection failed: " + cause, "");
            });
            return false;
        }
        if (event != expected) {
            throw new CommandFailure(
                    "the peer does not keep to rping's order: " + event + " while waiting for " + expected,
                    "Does it speak rping?");
        }
        return true;
    }

    private boolean isOver() {
        return connection != null && connection.state() == Connection.State.DISCONNECTED;
    }

    private void handle(int index) {
        if (completions.status(index) == CompletionStatus.WR_FLUSH_ERR) {
            ended = true;
            return;
        }
        if (!completions.isSuccess(index)) {
            throw new CommandFailure(completions.describe(index), "");
        }
        Operation operation = completions.operation(index);
        if (operation == Operation.SEND) {
            return;
        }
        if (operation == Operation.RECEIVE) {
            if (completions.length(index) != Announcement.LENGTH) {
                throw new CommandFailure(
                        "a message of " + completions.length(index) + " octets, rping's have " + Announcement.LENGTH,
                        "Does the peer speak rping?");
            }
            announced = Announcement.read(receiveMessage.segment());
            postReceive();
        }
        events.add(operation);
    }

    private void postReceive() {
        receives.receive(nextId++).into(receiveMessage, 0, Announcement.LENGTH).post();
    }

    private void post() {
        if (sends.post() != 1) {
            throw new IllegalStateException("the send queue is full");
        }
    }

    @Override
    public void close() {
        queuePair.close();
        buffer.close();
        sendMessage.close();
        receiveMessage.close();
        queue.close();
        domain.close();
    }
}
