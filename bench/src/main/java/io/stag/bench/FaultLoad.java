package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import java.time.Duration;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/** A queue pair with requests outstanding, all of which have to come back. */
final class FaultLoad implements AutoCloseable {
    private static final int RECEIVES = 4;
    private static final int SENDS = 16; // of 4 MiB each: more than all socket buffers between the ends can hold
    private static final int READ_EVERY = 4;
    private static final int READ_LENGTH = 64 << 10;
    private static final Duration A_MOMENT = Duration.ofMillis(10);

    final QueuePair queuePair;
    private final CompletionQueue queue;
    private final MemoryRegion memory;
    private final SendRequests sends;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(SENDS + RECEIVES);
    private long posted;
    private long succeeded;
    private long flushed;

    FaultLoad(Node node) {
        memory = node.domain.allocate(FaultPeer.MEMORY, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE));
        queue = node.rnic.createCompletionQueue(2 * (SENDS + RECEIVES));
        queuePair = node.domain.createQueuePair(QueuePairConfig.builder(queue)
                .sendDepth(SENDS)
                .receiveDepth(RECEIVES)
                .build());
        sends = queuePair.newSendRequests();
        ReceiveRequests receives = queuePair.newReceiveRequests();
        for (int i = 0; i < RECEIVES; i++) {
            receives.receive(i).into(memory, 0, 1);
        }
        posted = receives.post();
    }

    /** Posts until the send queue is full: Writes, and some Reads. */
    void fill(int stag) {
        int taken;
        do {
            if (posted % READ_EVERY == 0) {
                sends.read(posted, stag, 0).into(memory, 0, READ_LENGTH);
            } else {
                sends.write(posted, stag, 0).from(memory, 0, FaultPeer.MEMORY);
            }
            taken = sends.post();
            posted += taken;
        } while (taken > 0);
    }

    /**
     * Takes completions, waiting a moment for them.
     *
     * @param cause what ended the connection; null when all should be well
     */
    void reap(@Nullable ErrorDetail cause) {
        int count = queue.await(completions, A_MOMENT);
        for (int i = 0; i < count; i++) {
            if (completions.isSuccess(i)) {
                succeeded++;
                continue;
            }
            flushed++;
            ErrorDetail detail = completions.detail(i);
            if (cause != null && (detail == null || !detail.fact().contains(cause.fact()))) {
                throw new Program.Failure("not flushed because of '" + cause + "': " + completions.describe(i));
            }
        }
    }

    boolean isOutstanding() {
        return succeeded + flushed < posted;
    }

    long succeeded() {
        return succeeded;
    }

    long flushed() {
        return flushed;
    }

    @Override
    public void close() {
        queuePair.close();
        queue.close();
        memory.close();
    }
}
