package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.work.CompletionOwner;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.Operation;
import io.stag.verbs.SharedReceiveQueue;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Brings the completions of a queue pair without connection to its completion queues. Agent, unless said otherwise. */
final class CompletionDelivery {
    private final SoftProtectionDomain domain;
    private final RnicAgent agent;
    private final CompletionOwner owner;
    private final UsedQueues used;
    private final SoftCompletionQueue sends;
    private final SoftCompletionQueue receives;
    private final @Nullable SoftSharedReceiveQueue shared;
    private final Runnable onLost;
    private final Consumer<AsyncEvent> events;

    /** For the queue pair {@code owner}; {@code onLost} counts completions that found no room. */
    CompletionDelivery(
            SoftProtectionDomain domain,
            RnicAgent agent,
            CompletionOwner owner,
            CompletionQueue sends,
            CompletionQueue receives,
            Optional<SharedReceiveQueue> shared,
            Runnable onLost,
            Consumer<AsyncEvent> events) {
        this.domain = domain;
        this.agent = agent;
        this.owner = owner;
        used = UsedQueues.of(sends, receives, shared);
        this.sends = used.sends();
        this.receives = used.receives();
        this.shared = used.shared();
        this.onLost = onLost;
        this.events = events;
    }

    /** The queues are in use from now on. */
    void attach() {
        used.attach(agent);
    }

    /** Undoes {@link #attach}. */
    void detach() {
        used.detach();
    }

    void sendCompleted(
            long id, Operation operation, long length, CompletionStatus status, @Nullable ErrorDetail detail) {
        complete(sends, id, status, operation, length, 0, 0, 0, detail, null);
    }

    void receiveTaken() {
        if (shared != null && shared.queue().limitReached()) {
            raise(shared.limitReached());
        }
    }

    void receiveCompleted(
            long id,
            Operation operation,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            DatagramInfo info) {
        complete(
                receives,
                id,
                CompletionStatus.SUCCESS,
                operation,
                length,
                flags,
                immediate,
                invalidatedStag,
                null,
                info);
    }

    void receiveFailed(long id, CompletionStatus status, ErrorDetail detail) {
        complete(receives, id, status, Operation.RECEIVE, 0, 0, 0, 0, detail, null);
    }

    /** A completion that belongs to no request. @return whether there was room */
    boolean offer(Operation operation, long length, int flags, DatagramInfo info) {
        return receives.add(agent, 0, CompletionStatus.SUCCESS, operation, owner, length, flags, 0, 0, null, info);
    }

    private void complete(
            SoftCompletionQueue queue,
            long id,
            CompletionStatus status,
            Operation operation,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            @Nullable ErrorDetail detail,
            @Nullable DatagramInfo info) {
        if (queue.add(agent, id, status, operation, owner, length, flags, immediate, invalidatedStag, detail, info)) {
            return;
        }
        onLost.run();
        domain.completionLost();
        ErrorDetail overflow = ErrorDetail.of(Layer.VERBS, "RFC 5042 §6.4.6", queue.overflowText());
        raise(new AsyncEvent.CompletionQueueFailed(queue, overflow));
    }

    private void raise(AsyncEvent event) {
        agent.deliver(() -> events.accept(event));
    }
}
