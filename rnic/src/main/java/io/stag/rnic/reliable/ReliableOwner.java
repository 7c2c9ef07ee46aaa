package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.work.ReceiveWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import org.jspecify.annotations.Nullable;

/** The queue pair above an engine. All calls come from the engine's own methods. */
public interface ReliableOwner {

    /** A request is complete; those to one peer come in the order of posting. Unsignalled ones are told only if they failed. */
    void sendCompleted(
            long id, Operation operation, long length, CompletionStatus status, @Nullable ErrorDetail detail);

    /** A receive left its queue. */
    void receiveTaken();

    /** A message completed a receive; what {@code info} holds may be taken from it. */
    void receiveCompleted(
            ReceiveWork work,
            Operation operation,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            DatagramInfo info);

    /** A receive could not take its message. */
    void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail);

    /** Requests to {@code peer} failed: the queue pair is in the error state until {@link ReliableEngine#reset}. */
    void sendingFailed(DatagramAddress peer, ErrorDetail detail);

    /** A peer broke a rule and was told so. */
    void peerFailed(DatagramAddress peer, ErrorDetail detail);

    /** A datagram of {@code source} was refused for a reason that its sender is to blame for. */
    void refused(DatagramRefusal reason, DatagramAddress source, String fact);

    /** Whether {@link #refused} would keep what it is told; if not, nobody needs to write it down. */
    boolean wantsRefusals();

    /** Datagrams to {@code peer} count as lost. */
    default void lossSeen(DatagramAddress peer, int datagrams, boolean timeout) {}

    /** Sending to {@code peer} waits for the peer: it has no receive, or gives no credit. */
    default void stalled(DatagramAddress peer) {}
}
