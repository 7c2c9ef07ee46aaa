package io.stag.rnic.work;

import io.stag.verbs.Operation;

/** Kinds of requests in a send queue. */
public enum WorkKind {
    /** Any of the four Sends. */
    SEND(Operation.SEND),
    /** RDMA Write. */
    WRITE(Operation.RDMA_WRITE),
    /** RDMA Write followed by Immediate Data. */
    WRITE_IMMEDIATE(Operation.RDMA_WRITE),
    /** Immediate Data. */
    IMMEDIATE(Operation.IMMEDIATE),
    /** RDMA Read. */
    READ(Operation.RDMA_READ),
    /** Atomic FetchAdd. */
    FETCH_ADD(Operation.FETCH_ADD),
    /** Atomic CmpSwap. */
    COMPARE_SWAP(Operation.COMPARE_SWAP),
    /** Local invalidation. */
    INVALIDATE(Operation.LOCAL_INVALIDATE),
    /** Window bind. */
    BIND(Operation.BIND_WINDOW),
    /** Fast registration. */
    FAST_REGISTER(Operation.FAST_REGISTER);

    private final Operation operation;

    WorkKind(Operation operation) {
        this.operation = operation;
    }

    /** What its completion says. */
    public Operation operation() {
        return operation;
    }

    /** True when the peer answers: it takes one of the outbound reads and completes with the response. */
    public boolean awaitsResponse() {
        return this == READ || this == FETCH_ADD || this == COMPARE_SWAP;
    }

    /** True when it takes octets of the program to the peer. */
    public boolean carriesPayload() {
        return this == SEND || this == WRITE || this == WRITE_IMMEDIATE;
    }

    /** True when nothing goes to the peer. */
    public boolean isLocal() {
        return this == INVALIDATE || this == BIND || this == FAST_REGISTER;
    }
}
