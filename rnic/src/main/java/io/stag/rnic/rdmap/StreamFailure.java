package io.stag.rnic.rdmap;

import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;

/**
 * Why a stream ends.
 *
 * @param detail for people: layer, clause, fact, Terminate code
 * @param status status of the request that caused it, if one did
 * @param origin where it began
 */
public record StreamFailure(ErrorDetail detail, CompletionStatus status, Origin origin) {

    /** Where a failure began. */
    public enum Origin {
        /** The peer broke the protocol, or reached for memory it may not touch. */
        PEER,
        /** A request of ours could not be carried out; it completes with the status. */
        SEND_WORK,
        /** A receive of ours could not take its message; it completes with the status. */
        RECEIVE_WORK,
        /** The local program asked for it, or its queues failed. */
        LOCAL,
        /** The stream ended with work outstanding. */
        CLOSE
    }
}
