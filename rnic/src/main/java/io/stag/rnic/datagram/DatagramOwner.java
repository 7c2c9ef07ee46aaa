package io.stag.rnic.datagram;

import io.stag.rnic.work.ReceiveWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import org.jspecify.annotations.Nullable;

/** The queue pair above an engine. All calls come from the engine's own methods. */
public interface DatagramOwner {

    /** A request was handed to the network, or failed. */
    void sendCompleted(
            long id, Operation operation, boolean signaled, CompletionStatus status, @Nullable ErrorDetail detail);

    /** A receive left its queue. */
    void receiveTaken();

    /** A Send came; what {@code info} holds may be taken from it. */
    void receiveCompleted(ReceiveWork work, long length, int flags, DatagramInfo info);

    /** The buffers of a receive cannot be used. */
    void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail);

    /** A Write-Record came, perhaps in part; what {@code info} holds may be taken from it. */
    void recordCompleted(int flags, DatagramInfo info);

    /** Octets of a Write-Record were placed. */
    void memoryWritten();

    /** A datagram of {@code source} was refused for a reason that its sender is to blame for. */
    void refused(DatagramRefusal reason, DatagramAddress source, String fact);

    /** Whether {@link #refused} would keep what it is told; if not, nobody needs to write it down. */
    boolean wantsRefusals();
}
