package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** What source and target of a soak have in common: memory, a queue pair, and rounds announced as immediate data. */
abstract class SoakEnd implements Runnable {
    /** The round that says that there are no more. */
    static final long END = -1;

    static final int DEPTH = 2048;

    /** Memory on both sides of the region that nobody may touch. */
    private static final long GUARD = 4096;

    private static final byte UNTOUCHED = 0x5A;
    private static final int RECEIVES = 8;
    private static final int BATCH = 64;

    final SoakPlan plan;
    final MemoryRegion region;
    final MemorySegment memory;
    final QueuePair queuePair;
    final SendRequests sends;
    private final MemorySegment guarded;
    private final CompletionQueue completionQueue;
    private final ReceiveRequests receives;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(BATCH);
    private final BooleanSupplier stop;
    private long completed;
    private long posted;

    SoakEnd(Node node, Arena arena, SoakPlan plan, Set<Access> rights, BooleanSupplier stop) {
        this.plan = plan;
        this.stop = stop;
        long length = Math.max(1, 2 * plan.half());
        guarded = arena.allocate(length + 2 * GUARD, Long.BYTES);
        guarded.fill(UNTOUCHED);
        memory = guarded.asSlice(GUARD, length).fill((byte) 0);
        region = node.domain.register(memory, rights);
        completionQueue = node.rnic.createCompletionQueue(DEPTH + RECEIVES);
        queuePair = node.domain.createQueuePair(QueuePairConfig.builder(completionQueue)
                .sendDepth(DEPTH)
                .receiveDepth(RECEIVES)
                .build());
        sends = queuePair.newSendRequests();
        receives = queuePair.newReceiveRequests();
        for (int i = 0; i < RECEIVES; i++) {
            receives.receive(0);
        }
        receives.post();
    }

    /** The other end has announced a round. */
    abstract void announced(long round);

    /** Identifier of the next request. */
    final long nextId() {
        return ++posted;
    }

    /** Waits until so many requests can be posted. */
    final void makeRoom(int requests) {
        while (posted - completed + requests > DEPTH) {
            progress(Duration.ofMillis(100));
        }
    }

    /** Posts what the list holds; all of it fits, since {@link #makeRoom} was asked before. */
    final void post(int requests) {
        int taken = sends.post();
        if (taken != requests) {
            throw new Program.Failure(taken + " of " + requests + " requests taken with room for all of them");
        }
    }

    final void announce(long round) {
        makeRoom(1);
        sends.immediate(nextId(), round);
        post(1);
    }

    /** Waits for completions and deals with them. */
    final void progress(Duration timeout) {
        if (stop.getAsBoolean()) {
            throw new Program.Failure("stopped, because the other end failed");
        }
        int count = completionQueue.await(completions, timeout);
        for (int i = 0; i < count; i++) {
            if (!completions.isSuccess(i)) {
                throw new Program.Failure(completions.describe(i));
            }
            if (completions.operation(i) == Operation.RECEIVE_IMMEDIATE) {
                receives.receive(0);
                receives.post();
                announced(completions.immediate(i));
            } else {
                completed = completions.id(i); // in order, so everything before is done too
            }
        }
    }

    /** Checks the memory around the region. */
    final void checkGuards() {
        checkGuard(0);
        checkGuard(guarded.byteSize() - GUARD);
    }

    private void checkGuard(long offset) {
        for (long i = offset; i < offset + GUARD; i++) {
            if (guarded.get(ValueLayout.JAVA_BYTE, i) != UNTOUCHED) {
                throw new Program.Failure(
                        "an octet outside the region was written, " + (i - GUARD) + " from its start");
            }
        }
    }
}
