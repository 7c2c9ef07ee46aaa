package io.stag.verbs;

/** States of a queue pair, as the RDMA verbs define them for iWARP. */
public enum QueuePairState {
    /** Not connected. Requests are accepted and kept. */
    IDLE,
    /** Connected and working. */
    RTS,
    /** An orderly close is under way. */
    CLOSING,
    /** Something broke; a Terminate message is on its way out or came in. */
    TERMINATE,
    /** All requests were flushed; only {@link #IDLE} is next. */
    ERROR
}
