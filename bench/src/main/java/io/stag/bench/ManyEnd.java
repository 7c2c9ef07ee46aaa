package io.stag.bench;

import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.WorkCompletions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * One side of many connections: an RNIC with one completion queue for all, and one region in which every connection has
 * its slot. An idle connection has nothing of ours but its queue pair.
 */
final class ManyEnd implements AutoCloseable {
    private static final int BATCH = 256;
    private static final int DEPTH = 16;
    private static final int COMPLETIONS_PER_CONNECTION = 8;

    final Node node;
    final MemoryRegion region;
    private final CompletionQueue completionQueue;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(BATCH);
    private final Map<Integer, Integer> indexes = new HashMap<>();

    /** What happened to a connection. */
    interface Handler {
        void completed(int index, Operation operation, long id, long immediate);
    }

    ManyEnd(Node node, MemoryRegion region, int connections) {
        this.node = node;
        this.region = region;
        node.rnic.onAsyncEvent(_ -> {}); // connections are closed at one end first, which the other would report
        completionQueue = node.rnic.createCompletionQueue(COMPLETIONS_PER_CONNECTION * (connections + 1));
    }

    QueuePair newQueuePair() {
        return node.domain.createQueuePair(QueuePairConfig.builder(completionQueue)
                .sendDepth(DEPTH)
                .receiveDepth(DEPTH)
                .build());
    }

    /** Completions of the queue pair are reported with this index. */
    void name(QueuePair queuePair, int index) {
        indexes.put(queuePair.id(), index);
    }

    /** Posts a receive without buffers, which is all that immediate data needs. */
    static void postReceive(QueuePair queuePair) {
        ReceiveRequests receives = queuePair.newReceiveRequests();
        receives.receive(0);
        if (receives.post() != 1) {
            throw new Program.Failure("no room for a receive");
        }
    }

    static void post(SendRequests requests, int count) {
        if (requests.post() != count) {
            throw new Program.Failure("no room for " + count + " requests");
        }
    }

    /** Deals with what has completed; waits a little when nothing has. @return how many */
    int reap(Handler handler, Duration timeout) {
        int count = timeout.isZero() ? completionQueue.poll(completions) : completionQueue.await(completions, timeout);
        for (int i = 0; i < count; i++) {
            if (!completions.isSuccess(i)) {
                throw new Program.Failure(completions.describe(i));
            }
            Integer index = indexes.get(completions.queuePairId(i));
            if (index == null) {
                throw new Program.Failure("unknown queue pair: " + completions.describe(i));
            }
            handler.completed(index, completions.operation(i), completions.id(i), completions.immediate(i));
        }
        return count;
    }

    @Override
    public void close() {
        node.close();
    }
}
