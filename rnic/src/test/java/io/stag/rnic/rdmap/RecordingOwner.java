package io.stag.rnic.rdmap;

import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.SendQueue;
import io.stag.rnic.work.SendWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.List;

/** Keeps what a stream reports. */
final class RecordingOwner implements StreamOwner {
    /** One completion, of either queue. */
    record Completion(
            long id,
            Operation operation,
            CompletionStatus status,
            long length,
            int flags,
            long immediate,
            int invalidatedStag) {

        boolean isSolicited() {
            return (flags & WorkCompletions.SOLICITED) != 0;
        }

        boolean hasImmediate() {
            return (flags & WorkCompletions.WITH_IMMEDIATE) != 0;
        }

        boolean hasInvalidatedStag() {
            return (flags & WorkCompletions.WITH_INVALIDATE) != 0;
        }
    }

    final List<Completion> completions = new ArrayList<>();
    final List<StreamFailure> failures = new ArrayList<>();
    final List<ErrorDetail> terminates = new ArrayList<>();
    Runnable onReceive = () -> {};
    Runnable onSend = () -> {};
    int receivesTaken;
    int firstSegments;

    /** Ids of the completions, in order. */
    List<Long> ids() {
        return completions.stream().map(Completion::id).toList();
    }

    /** The failure, of which there is exactly one. */
    StreamFailure failure() {
        if (failures.size() != 1) {
            throw new AssertionError("failures: " + failures);
        }
        return failures.getFirst();
    }

    /** Completes everything left in error, as the queue pair does when its stream has ended. */
    void flush(RdmaStream stream, SendQueue sends, ReceiveQueue receives) {
        for (SendWork work = sends.oldest(); work != null; work = sends.oldest()) {
            CompletionStatus status = work.failure == null ? CompletionStatus.WR_FLUSH_ERR : work.failure;
            completions.add(completion(work.id, work.kind.operation(), status, 0));
            sends.retire();
        }
        ReceiveWork begun = stream.takeReceiveInProgress();
        if (begun != null) {
            completions.add(completion(begun.id, Operation.RECEIVE, CompletionStatus.WR_FLUSH_ERR, 0));
        }
        receives.drain(
                work -> completions.add(completion(work.id, Operation.RECEIVE, CompletionStatus.WR_FLUSH_ERR, 0)));
    }

    @Override
    public void sendCompleted(long id, Operation operation, long length) {
        onSend.run();
        completions.add(completion(id, operation, CompletionStatus.SUCCESS, length));
    }

    @Override
    public void receiveCompleted(
            ReceiveWork work, Operation operation, long length, int flags, long immediate, int invalidatedStag) {
        onReceive.run();
        completions.add(new Completion(
                work.id, operation, CompletionStatus.SUCCESS, length, flags, immediate, invalidatedStag));
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        completions.add(completion(work.id, Operation.RECEIVE, status, 0));
    }

    @Override
    public void receiveTaken() {
        receivesTaken++;
    }

    @Override
    public void firstSegmentReceived() {
        firstSegments++;
    }

    @Override
    public void failed(StreamFailure failure) {
        failures.add(failure);
    }

    @Override
    public void terminateReceived(ErrorDetail detail) {
        terminates.add(detail);
    }

    private static Completion completion(long id, Operation operation, CompletionStatus status, long length) {
        return new Completion(id, operation, status, length, 0, 0, 0);
    }
}
