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

    /** Who is answered. */
    @Nullable
    Source source;

    int answeredStream; // of that source
    boolean takesPlace; // among those that the source may have waiting, until it has left

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
        takesPlace = false;
        begun = false;
        allSent = false;
        lastPsn = 0;
        answered = false;
        failure = null;
        detail = null;
    }

    /** Its source may ask for something else in its stead. */
    void freePlace() {
        Source asked = source;
        if (takesPlace && asked != null) {
            takesPlace = false;
            asked.waitingRequests--;
        }
    }

    /** It will not arrive: should its source still wait for it, a refusal tells. */
    void lost() {
        freePlace();
        Source asked = source;
        if (asked != null && answersPresentStream()) {
            asked.answersLost = true;
        }
    }

    /** Whether its source has not begun another stream since it asked. */
    boolean answersPresentStream() {
        Source asked = source;
        return asked != null && asked.stream == answeredStream;
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
