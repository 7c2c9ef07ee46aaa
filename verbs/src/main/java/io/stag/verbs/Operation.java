package io.stag.verbs;

/** Which kind of work request a completion belongs to. */
public enum Operation {
    /** Any of the four Sends. */
    SEND,
    /** RDMA Write, with or without immediate data. */
    RDMA_WRITE,
    /** RDMA Read. */
    RDMA_READ,
    /** Atomic fetch and add. */
    FETCH_ADD,
    /** Atomic compare and swap. */
    COMPARE_SWAP,
    /** Immediate data sent on its own. */
    IMMEDIATE,
    /** Local invalidation of an STag. */
    LOCAL_INVALIDATE,
    /** Binding of a memory window. */
    BIND_WINDOW,
    /** Fast registration of memory. */
    FAST_REGISTER,
    /** A receive that a Send completed. */
    RECEIVE,
    /** A receive that immediate data completed. */
    RECEIVE_IMMEDIATE,
    /** No request of ours: a peer's Write-Record was placed in our memory; {@link WorkCompletions#datagram} tells where. */
    WRITE_RECORD
}
