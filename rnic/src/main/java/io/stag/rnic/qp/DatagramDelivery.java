package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramCounts;
import io.stag.rnic.datagram.DatagramOwner;
import io.stag.rnic.work.CompletionOwner;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.Operation;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Hands on what the engine of a datagram queue pair tells: to completion queues, waiting threads and the error queue. */
final class DatagramDelivery implements DatagramOwner, CompletionOwner {
    private final SoftProtectionDomain domain;
    private final int id;
    private final RnicAgent agent;
    private final SoftCompletionQueue sendCompletions;
    private final SoftCompletionQueue receiveCompletions;
    private final @Nullable SoftSharedReceiveQueue shared;
    private final int recordDepth;
    private final DatagramCounts counts;
    private final DatagramErrors errors;
    private final ValidityPolling validity;
    private final Consumer<AsyncEvent> events;
    private final AtomicInteger recordsWaiting = new AtomicInteger();

    DatagramDelivery(
            SoftProtectionDomain domain,
            int id,
            RnicAgent agent,
            DatagramQueuePairConfig config,
            DatagramCounts counts,
            DatagramErrors errors,
            ValidityPolling validity,
            Consumer<AsyncEvent> events) {
        this.domain = domain;
        this.id = id;
        this.agent = agent;
        sendCompletions = (SoftCompletionQueue) config.sendCompletionQueue();
        receiveCompletions = (SoftCompletionQueue) config.receiveCompletionQueue();
        shared = (SoftSharedReceiveQueue) config.sharedReceiveQueue().orElse(null);
        recordDepth = config.recordDepth();
        this.counts = counts;
        this.errors = errors;
        this.validity = validity;
        this.events = events;
    }

    /** The queues are in use from now on. */
    void attach() {
        sendCompletions.attach();
        receiveCompletions.attach();
        if (shared != null) {
            shared.attach();
        }
    }

    /** Undoes {@link #attach}. */
    void detach() {
        sendCompletions.detach();
        receiveCompletions.detach();
        if (shared != null) {
            shared.detach();
        }
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public void sendCompleted(
            long workId, Operation operation, boolean signaled, CompletionStatus status, @Nullable ErrorDetail detail) {
        if (signaled || status != CompletionStatus.SUCCESS) {
            complete(sendCompletions, workId, status, operation, 0, 0, detail, null);
        }
    }

    @Override
    public void receiveTaken() {
        if (shared != null) {
            ReceiveQueue receives = shared.queue();
            if (receives.limitReached()) {
                raise(shared.limitReached());
            }
        }
    }

    @Override
    public void receiveCompleted(ReceiveWork work, long length, int flags, DatagramInfo info) {
        complete(receiveCompletions, work.id, CompletionStatus.SUCCESS, Operation.RECEIVE, length, flags, null, info);
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        complete(receiveCompletions, work.id, status, Operation.RECEIVE, 0, 0, detail, null);
    }

    @Override
    public void recordCompleted(int flags, DatagramInfo info) {
        // peers make records as they like: they must not fill a completion queue that others use as well
        if (recordsWaiting.get() >= recordDepth) {
            counts.recordsNotQueued++;
            return;
        }
        recordsWaiting.incrementAndGet();
        if (!receiveCompletions.add(
                agent,
                0,
                CompletionStatus.SUCCESS,
                Operation.WRITE_RECORD,
                this,
                info.validOctets(),
                flags,
                0,
                0,
                null,
                info)) {
            recordsWaiting.decrementAndGet();
            counts.recordsNotQueued++;
        }
    }

    @Override
    public void completionPolled(Operation operation) {
        if (operation == Operation.WRITE_RECORD) {
            recordsWaiting.decrementAndGet();
        }
    }

    @Override
    public void memoryWritten() {
        validity.memoryWritten();
    }

    @Override
    public boolean wantsRefusals() {
        return errors.hasRoom();
    }

    @Override
    public void refused(DatagramRefusal reason, DatagramAddress source, String fact) {
        errors.refused(reason, source, fact);
    }

    private void complete(
            SoftCompletionQueue queue,
            long workId,
            CompletionStatus status,
            Operation operation,
            long length,
            int flags,
            @Nullable ErrorDetail detail,
            @Nullable DatagramInfo info) {
        if (queue.add(agent, workId, status, operation, this, length, flags, 0, 0, detail, info)) {
            return;
        }
        counts.completionsLost++;
        domain.completionLost();
        ErrorDetail overflow = ErrorDetail.of(Layer.VERBS, "RFC 5042 §6.4.6", queue.overflowText());
        raise(new AsyncEvent.CompletionQueueFailed(queue, overflow));
    }

    private void raise(AsyncEvent event) {
        agent.deliver(() -> events.accept(event));
    }
}
