package io.stag.bench;

import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One RNIC of a stress round, with the ends that live on it. */
final class StressNode {
    private static final int SHARED_CAPACITY = 4096;

    final Node node;
    final Failures failures;
    private final Map<Integer, StressEnd> ends = new ConcurrentHashMap<>();
    private final @Nullable CompletionQueue shared;
    private volatile boolean gone;

    StressNode(RnicConfig config, boolean oneCompletionQueue, Failures failures) {
        this.failures = failures;
        node = new Node(config);
        node.rnic.onAsyncEvent(this::onEvent);
        shared = oneCompletionQueue ? node.rnic.createCompletionQueue(SHARED_CAPACITY) : null;
    }

    private void onEvent(AsyncEvent event) {
        failures.checkText(event.detail().toString());
        if (event instanceof AsyncEvent.CompletionQueueFailed) {
            failures.add("a completion queue overflowed: " + event.detail());
        }
    }

    CompletionQueue completionQueue(int capacity) {
        CompletionQueue common = shared;
        return common != null ? common : node.rnic.createCompletionQueue(capacity);
    }

    void add(StressEnd end) {
        ends.put(end.queuePair.id(), end);
    }

    /** Hands completions to the ends they belong to. */
    void distribute(WorkCompletions completions) {
        for (int i = 0; i < completions.size(); i++) {
            StressEnd end = ends.get(completions.queuePairId(i));
            if (end == null) {
                failures.add("a completion of an unknown queue pair: " + completions.describe(i));
                continue;
            }
            Operation operation = completions.operation(i);
            end.completed(
                    operation == Operation.RECEIVE || operation == Operation.RECEIVE_IMMEDIATE,
                    completions.isSuccess(i));
            ErrorDetail detail = completions.detail(i);
            if (detail != null) {
                failures.checkText(detail.toString());
            }
        }
    }

    /** Takes a connection that somebody makes only to close it. */
    void withoutTraffic(ConnectionRequest request, ConnectionConfig config) {
        try (CompletionQueue completions = node.rnic.createCompletionQueue(2);
                QueuePair queuePair = node.domain.createQueuePair(
                        QueuePairConfig.builder(completions).build());
                Connection connection = request.accept(queuePair, config)) {
            connection.awaitDisconnected(Duration.ofMillis(100));
        }
    }

    /** Closes the RNIC; from then on no completion is owed. */
    void close() {
        gone = true;
        node.close();
    }

    boolean isGone() {
        return gone;
    }
}
