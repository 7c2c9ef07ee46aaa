package io.stag.rnic.reliable;

import io.stag.rnic.work.SendWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import org.jspecify.annotations.Nullable;

/** A message to a peer: a request of the program, or an answer to one of the peer's. Filled again and again. */
final class Outgoing {
    /** What it is. */
    enum Kind {
        /** A request of the program. */
        REQUEST,
        /** Answer to a Read. */
        READ_RESPONSE,
        /** Answer to an atomic operation. */
        ATOMIC_RESPONSE,
        /** Tells the peer that its stream is refused. */
        TERMINATE
    }

    @Nullable
    Outgoing next;

    Kind kind = Kind.REQUEST;

    /** The request. */
    @Nullable
    SendWork work;

    /** Life of the peer that an answer is for. */
    int epoch;

    /** Where it was asked, so that its place is free when the answer has left. */
    @Nullable
    Source source;

    boolean begun;
    boolean allSent;
    int lastPsn; // once all was sent
    boolean answered; // a request that has one: its response came

    /** A request that failed before anything of it was sent. */
    @Nullable
    CompletionStatus failure;

    @Nullable
    ErrorDetail detail;

    // answers
    int msn;
    int sinkStag;
    long sinkOffset;
    int sourceStag;
    long sourceOffset;
    long size;
    int requestMsn;
    final AtomicOperation atomic = new AtomicOperation();
    long value; // before an atomic operation, once it was carried out
    byte[] terminate = new byte[0];

    Outgoing() {}

    /** As if it were new. */
    void clear() {
        next = null;
        kind = Kind.REQUEST;
        work = null;
        epoch = 0;
        source = null;
        begun = false;
        allSent = false;
        lastPsn = 0;
        answered = false;
        failure = null;
        detail = null;
    }

    SendWork request() {
        SendWork request = work;
        if (request == null) {
            throw new IllegalStateException("no request");
        }
        return request;
    }

    /** Octets of payload that are cut into segments. */
    long length() {
        return switch (kind) {
            case REQUEST -> request().payloadLength();
            case READ_RESPONSE -> size;
            case ATOMIC_RESPONSE, TERMINATE -> 0;
        };
    }
}
