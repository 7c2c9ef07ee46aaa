package io.stag.rnic.qp;

import io.stag.rnic.agent.Task;
import io.stag.verbs.ErrorDetail;

/** The connection, as its queue pair sees it. Under the agent's lock, but for {@link #task}. */
public interface QueuePairLink {

    /** What to ring when requests were posted. */
    Task task();

    /** A responder may send now. */
    void peerIsReady();

    /** The stream has its last octets to send, then ends; see that it does in time. */
    void streamFinishing();

    /** Resets the stream at once. */
    void reset(ErrorDetail detail);
}
