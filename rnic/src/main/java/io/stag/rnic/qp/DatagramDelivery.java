package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramCounts;
import io.stag.rnic.datagram.DatagramOwner;
import io.stag.rnic.work.CompletionOwner;
import io.stag.rnic.work.ReceiveWork;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Hands on what the engine of a datagram queue pair tells: to completion queues, waiting threads and the error queue. */
final class DatagramDelivery implements DatagramOwner, CompletionOwner {
    private final int id;
    private final int recordDepth;
    private final DatagramCounts counts;
    private final DatagramErrors errors;
    private final ValidityPolling validity;
    private final CompletionDelivery completions;
    // what is still waiting is the difference: two numbers with one writer each cost less than one with two
    private long recordsQueued; // by the agent
    private final AtomicLong recordsPolled = new AtomicLong(); // by whoever polls, one at a time

    DatagramDelivery(
            SoftProtectionDomain domain,
            int id,
            RnicAgent agent,
            DatagramQueuePairConfig config,
            DatagramCounts counts,
            DatagramErrors errors,
            ValidityPolling validity,
            Consumer<AsyncEvent> events) {
        this.id = id;
        recordDepth = config.recordDepth();
        this.counts = counts;
        this.errors = errors;
        this.validity = validity;
        completions = new CompletionDelivery(
                domain,
                agent,
                this,
                config.sendCompletionQueue(),
                config.receiveCompletionQueue(),
                config.sharedReceiveQueue(),
                () -> counts.completionsLost++,
                events);
    }

    /** The queues are in use from now on. */
    void attach() {
        completions.attach();
    }

    /** Undoes {@link #attach}. */
    void detach() {
        completions.detach();
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public void sendCompleted(
            long workId, Operation operation, boolean signaled, CompletionStatus status, @Nullable ErrorDetail detail) {
        if (signaled || status != CompletionStatus.SUCCESS) {
            completions.sendCompleted(workId, operation, 0, status, detail);
        }
    }

    @Override
    public void receiveTaken() {
        completions.receiveTaken();
    }

    @Override
    public void receiveCompleted(ReceiveWork work, long length, int flags, DatagramInfo info) {
        completions.receiveCompleted(work.id, Operation.RECEIVE, length, flags, 0, 0, info);
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        completions.receiveFailed(work.id, status, detail);
    }

    @Override
    public void recordCompleted(int flags, DatagramInfo info) {
        // peers make records as they like: they must not fill a completion queue that others use as well
        if (recordsQueued - recordsPolled.getAcquire() < recordDepth
                && completions.offer(Operation.WRITE_RECORD, info.validOctets(), flags, info)) {
            recordsQueued++;
        } else {
            counts.recordsNotQueued++;
        }
    }

    @Override
    public void completionPolled(Operation operation) {
        if (operation == Operation.WRITE_RECORD) {
            recordsPolled.setRelease(recordsPolled.getPlain() + 1);
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
}
