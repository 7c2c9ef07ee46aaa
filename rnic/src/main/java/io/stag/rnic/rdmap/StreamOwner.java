package io.stag.rnic.rdmap;

import io.stag.rnic.work.ReceiveWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;

/** The queue pair, as its stream sees it. All calls come from the agent. */
public interface StreamOwner {

    /** A signalled request of the send queue was carried out; calls come in posting order. */
    void sendCompleted(long id, Operation operation, long length);

    /** A message completed a receive. */
    void receiveCompleted(
            ReceiveWork work, Operation operation, long length, int flags, long immediate, int invalidatedStag);

    /** A receive could not take its message; the failure follows. */
    void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail);

    /** A receive was taken from the receive queue, which may be a shared one. */
    void receiveTaken();

    /** The first valid FPDU came in: from now on a responder may send. */
    void firstSegmentReceived();

    /** The stream ends because of {@code failure}; a Terminate is on its way out, if the peer can take one. */
    void failed(StreamFailure failure);

    /** The Terminate of the failure reported before was handed out. */
    default void terminateSent() {}

    /** The peer sent a Terminate; nothing more is sent or taken. */
    void terminateReceived(ErrorDetail detail);
}
