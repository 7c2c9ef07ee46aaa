package io.stag.cli.demo;

import io.stag.cli.CommandFailure;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.Rnic;
import io.stag.verbs.SendRequests;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** One end of the demo's connection, with memory that the other end may use in every way. */
final class Peer {
    /** Octets of {@link #memory}. */
    static final int MEMORY = 1 << 16;

    private static final Duration WAIT = Duration.ofMillis(50);
    private static final long LIMIT_NANOS = 5_000_000_000L;
    private static final int QUEUE = 64;
    private static final VarHandle OCTET = ValueLayout.JAVA_BYTE.varHandle();

    final ProtectionDomain domain;
    final MemoryRegion memory;
    final QueuePair queuePair;
    final SendRequests sends;
    private final @Nullable SharedReceiveQueue shared;
    private final ReceiveRequests receives;
    private final CompletionQueue queue;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(QUEUE);
    private final Deque<Completion> arrived = new ArrayDeque<>();
    private long nextId = 1;

    Peer(Rnic rnic, boolean sharedReceives) {
        domain = rnic.allocateProtectionDomain();
        queue = rnic.createCompletionQueue(4 * QUEUE);
        memory = domain.allocate(MEMORY, EnumSet.complementOf(EnumSet.of(Access.VIRTUAL_ADDRESS)));
        QueuePairConfig.Builder config = QueuePairConfig.builder(queue);
        shared = sharedReceives ? domain.createSharedReceiveQueue(QUEUE, 1) : null;
        if (shared != null) {
            config.sharedReceiveQueue(shared);
        }
        queuePair = domain.createQueuePair(config.build());
        sends = queuePair.newSendRequests();
        receives = shared == null ? queuePair.newReceiveRequests() : shared.newReceiveRequests();
    }

    /** An identifier for the next request. */
    long nextId() {
        return nextId++;
    }

    /** Posts a receive into part of the memory. */
    long postReceive(long offset, long length) {
        long id = nextId();
        Check.equal(
                "receives taken",
                1,
                receives.receive(id).into(memory, offset, length).post());
        return id;
    }

    /** Posts the one request under construction and waits until it is done. */
    Completion postAndAwait(long id) {
        Check.equal("requests taken", 1, sends.post());
        return await(id);
    }

    /** Waits for a request; it must have succeeded. */
    Completion await(long id) {
        Completion completion = awaitAnyStatus(id);
        Check.isTrue(completion.status() == CompletionStatus.SUCCESS, completion.text());
        return completion;
    }

    Completion awaitAnyStatus(long id) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (System.nanoTime() - deadline < 0) {
            Completion found = take(id);
            if (found != null) {
                return found;
            }
            int count = queue.await(completions, WAIT);
            for (int i = 0; i < count; i++) {
                arrived.add(Completion.of(completions, i));
            }
        }
        throw new CommandFailure(
                "no completion within " + LIMIT_NANOS / 1_000_000_000 + " s"
                        + queuePair.firstCause().map(cause -> "; " + cause).orElse(""),
                "");
    }

    private @Nullable Completion take(long id) {
        for (Iterator<Completion> all = arrived.iterator(); all.hasNext(); ) {
            Completion completion = all.next();
            if (completion.id() == id) {
                all.remove();
                return completion;
            }
        }
        return null;
    }

    /** Fills part of the memory with octets that depend on the seed. */
    void fill(long offset, long length, int seed) {
        fill(memory.segment(), offset, length, seed);
    }

    static void fill(MemorySegment segment, long offset, long length, int seed) {
        for (long i = 0; i < length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, offset + i, octet(i, seed));
        }
    }

    /** Fails unless part of the memory is as {@link #fill} makes it. */
    void verify(long offset, long length, int seed) {
        verify(memory.segment(), offset, length, seed);
    }

    static void verify(MemorySegment segment, long offset, long length, int seed) {
        for (long i = 0; i < length; i++) {
            byte octet = segment.get(ValueLayout.JAVA_BYTE, offset + i);
            Check.isTrue(octet == octet(i, seed), "octet " + i + " of " + length + " is wrong");
        }
    }

    /** Waits until the last octet has been written by the other end, without any completion here. */
    static void awaitWritten(MemorySegment segment, long offset, long length, int seed) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while ((byte) OCTET.getAcquire(segment, offset + length - 1) != octet(length - 1, seed)) {
            Check.isTrue(System.nanoTime() - deadline < 0, "nothing was written within 5 s");
            Thread.onSpinWait();
        }
    }

    private static byte octet(long index, int seed) {
        return (byte) (index * 31 + (index >>> 8) + 17L * seed + 1);
    }
}
