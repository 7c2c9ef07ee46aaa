package io.stag.rnic.mpa;

import io.stag.verbs.ErrorDetail;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.rdmap.TerminateCode;
import java.util.Set;

/** What a startup machine tells its driver. Every event but {@link RequestReceived} is the machine's last. */
public sealed interface StartupEvent {

    /**
     * Responder: a valid Request is there and waits for {@link MpaResponder#accept} or {@link MpaResponder#reject}. Its
     * private data: {@link MpaResponder#privateData()}.
     *
     * @param revision Rev
     * @param enhanced whether the Request carries IRD, ORD and the connection model (RFC 6581)
     * @param crcWanted C
     * @param markersWanted M: the peer wants Markers in what we send
     * @param peerToPeer whether the peer wants the peer-to-peer model
     * @param offered kinds of first message the peer can send; empty in the client-server model
     * @param peerIrd the peer's IRD as stated, or {@link Negotiated#UNKNOWN}
     * @param peerOrd the peer's ORD as stated, or {@link Negotiated#UNKNOWN}
     */
    record RequestReceived(
            int revision,
            boolean enhanced,
            boolean crcWanted,
            boolean markersWanted,
            boolean peerToPeer,
            Set<ReadyToReceive> offered,
            int peerIrd,
            int peerOrd)
            implements StartupEvent {

        /** Keeps a copy of the set. */
        public RequestReceived {
            offered = Set.copyOf(offered);
        }
    }

    /**
     * Full Operation begins. Initiator: the Reply accepts. Responder: the Reply was handed out to its last octet.
     *
     * @param negotiated what was agreed
     */
    record Established(Negotiated negotiated) implements StartupEvent {}

    /**
     * Initiator: the peer refused in a valid Reply. MPA is left, TCP still stands.
     *
     * @param negotiated what the peer stated; {@code ird} and {@code ord} are our own, unchanged
     * @param detail the refusal
     */
    record Rejected(Negotiated negotiated, ErrorDetail detail) implements StartupEvent {}

    /** Responder: the refusing Reply was handed out to its last octet. MPA is left, TCP still stands. */
    record RejectionSent() implements StartupEvent {}

    /**
     * The startup failed: close TCP, nothing more is sent.
     *
     * @param detail why
     * @param retryWithRevision1 initiator: the peer may be one without RFC 6581, and the offer allows to try again, once,
     *     on a new TCP connection with revision 1
     */
    record Failed(ErrorDetail detail, boolean retryWithRevision1) implements StartupEvent {}

    /**
     * Initiator: the Reply is valid but cannot be lived with; a Terminate is to be sent as the first and only FPDU, with
     * the negotiated CRC and Markers.
     *
     * @param negotiated what was agreed otherwise
     * @param code {@link TerminateCode#MPA_INSUFFICIENT_IRD} or {@link TerminateCode#MPA_NO_MATCHING_RTR}
     * @param detail why
     */
    record TerminateNeeded(Negotiated negotiated, TerminateCode code, ErrorDetail detail) implements StartupEvent {}
}
