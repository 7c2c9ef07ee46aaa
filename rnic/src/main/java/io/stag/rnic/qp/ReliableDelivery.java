package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.flight.FlightEvents;
import io.stag.rnic.reliable.ReliableCounts;
import io.stag.rnic.reliable.ReliableOwner;
import io.stag.rnic.work.CompletionOwner;
import io.stag.rnic.work.ReceiveWork;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.ReliableQueuePair;
import io.stag.verbs.ReliableQueuePairConfig;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Hands on what the engine of a reliable datagram queue pair tells: to completion queues and the error queue. */
final class ReliableDelivery implements ReliableOwner, CompletionOwner {
    private final int id;
    private final RnicAgent agent;
    private final DatagramErrors errors;
    private final CompletionDelivery completions;
    private final ReliableWatch watch;
    private volatile @Nullable ErrorDetail failure;

    ReliableDelivery(
            SoftProtectionDomain domain,
            int id,
            RnicAgent agent,
            ReliableQueuePairConfig config,
            ReliableQueuePair queuePair,
            ReliableCounts counts,
            DatagramErrors errors,
            Consumer<AsyncEvent> events) {
        this.id = id;
        this.agent = agent;
        this.errors = errors;
        watch = new ReliableWatch(queuePair, counts.snapshot(0, 0, 0, 0), agent.nanoTime());
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

    /** What brought the queue pair into the error state, if it is there. Any thread. */
    @Nullable
    ErrorDetail failure() {
        return failure;
    }

    /** The queue pair leaves the error state. */
    void reset() {
        failure = null;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public void completionPolled(Operation operation) {
        // there is always room for completions of what was posted
    }

    @Override
    public void sendCompleted(
            long workId, Operation operation, long length, CompletionStatus status, @Nullable ErrorDetail detail) {
        completions.sendCompleted(workId, operation, length, status, detail);
    }

    @Override
    public void receiveTaken() {
        completions.receiveTaken();
    }

    @Override
    public void receiveCompleted(
            ReceiveWork work,
            Operation operation,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            DatagramInfo info) {
        completions.receiveCompleted(work.id, operation, length, flags, immediate, invalidatedStag, info);
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        completions.receiveFailed(work.id, status, detail);
    }

    @Override
    public void sendingFailed(DatagramAddress peer, ErrorDetail detail) {
        if (failure == null) {
            failure = detail;
        }
        errors.add(peer, detail);
    }

    @Override
    public void peerFailed(DatagramAddress peer, ErrorDetail detail) {
        errors.add(peer, detail);
    }

    @Override
    public boolean wantsRefusals() {
        return errors.hasRoom();
    }

    @Override
    public void refused(DatagramRefusal reason, DatagramAddress source, String fact) {
        errors.refused(reason, source, fact);
    }

    @Override
    public void lossSeen(DatagramAddress peer, int datagrams, boolean timeout) {
        if (FlightEvents.isOn()) {
            watch.lossSeen(peer, datagrams, agent.nanoTime());
        }
    }

    @Override
    public void stalled(DatagramAddress peer) {
        if (FlightEvents.isOn()) {
            watch.stalled(peer, agent.nanoTime());
        }
    }
}
