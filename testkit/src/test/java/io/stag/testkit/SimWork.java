package io.stag.testkit;

import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import org.jspecify.annotations.Nullable;

/** One request of a simulated program, and what must become of it. */
final class SimWork {
    final long id;
    final Operation operation;
    final boolean signaled;
    /** Payload octets. */
    final int length;
    /** First octet of the payload in the pattern of whoever sends it. */
    final int patternAt;
    /** Where the payload goes: in the peer's exposed memory (Write) or in our sinks (Read, atomic). */
    final int slot;

    boolean solicited;
    boolean withImmediate;
    long immediate;
    int invalidatedStag;
    /** Cannot succeed, on purpose. */
    boolean wrong;
    /** Index of the counter of a FetchAdd. */
    int counter = -1;
    /** Result that a CmpSwap must have. */
    long expectedResult;
    /** Writes of the same queue pair that come before it in the stream. */
    int writesBefore;

    @Nullable
    CompletionStatus status;
    /** Seen complete, and overwritten with a sentinel that must stay. */
    boolean retired;

    SimWork(long id, Operation operation, boolean signaled, int length, int patternAt, int slot) {
        this.id = id;
        this.operation = operation;
        this.signaled = signaled;
        this.length = length;
        this.patternAt = patternAt;
        this.slot = slot;
    }

    boolean isQueueZeroMessage() {
        return operation == Operation.SEND || withImmediate;
    }

    @Override
    public String toString() {
        return operation + " " + id + " of " + length + " octets" + (signaled ? "" : ", unsignalled")
                + (wrong ? ", wrong on purpose" : "") + ", " + status;
    }
}
