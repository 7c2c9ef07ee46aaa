package io.stag.rnic.mpa;

import static io.stag.rnic.mpa.StartupErrors.mpa;

import io.stag.rnic.mpa.StartupFrameReader.Due;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Active side of the MPA startup (RFC 5044, section 7.1; RFC 6581): sends the Request, takes the Reply. Does no I/O and
 * reads no clock; belongs to one thread.
 *
 * <p>Driver: hand out {@link #pollTransmit} until it gives 0, then feed what arrives. After every {@code handle*} call
 * ask {@link #pollEvent}; exactly one event comes, and after it no octets are taken or given and
 * {@link #pollTimeout} has no deadline. Otherwise the deadline never changes.
 */
public final class MpaInitiator implements StartupMachine {
    private enum State {
        SEND_REQUEST,
        AWAIT_REPLY,
        FULL_OPERATION,
        REJECTED,
        FAILED
    }

    private final StartupOffer offer;
    private final long deadlineNanos;
    private final StartupFrameWriter request;
    private final StartupFrameReader reply = new StartupFrameReader(Due.REPLY, this::checkHeader);
    private State state = State.SEND_REQUEST;
    private @Nullable StartupEvent event;

    /**
     * A startup that begins with the first octet of a fresh TCP connection.
     *
     * @param offer what we ask for
     * @param privateData for the peer's upper layer: up to 512 octets, in revision 2 up to 508
     * @param deadlineNanos instant at which the exchange must be over; {@link Long#MAX_VALUE} for none
     */
    public MpaInitiator(StartupOffer offer, byte[] privateData, long deadlineNanos) {
        this.offer = offer;
        this.deadlineNanos = deadlineNanos;
        this.request = StartupFrameWriter.request(
                offer.markers(), offer.crc(), offer.revision(), isEnhanced() ? requestWord() : null, privateData);
    }

    /**
     * Takes octets of the stream, exactly to the end of the Reply.
     *
     * @return how many were taken; what is left belongs to the first FPDU, or to nobody when the startup ended
     */
    @Override
    public int handleOctets(MemorySegment in, long offset, int length) {
        if (isOver()) {
            return 0;
        }
        int taken = reply.handleOctets(in, offset, length);
        ErrorDetail error = reply.error();
        if (error != null) {
            end(State.FAILED, new StartupEvent.Failed(error, false));
        } else if (reply.isComplete()) {
            handleReply();
        }
        return taken;
    }

    /** The peer sends nothing more: it closed, or reset, the TCP connection. */
    @Override
    public void handleEndOfStream() {
        if (isOver()) {
            return;
        }
        if (reply.received() > 0) {
            fail(mpa(StartupErrors.EXCHANGE + "(3)", "TCP ended inside the MPA Reply: " + reply.progress() + " came"));
            return;
        }
        // A peer without RFC 6581 closes on the Request, so it must have had the whole of it.
        boolean unenhancedPeer = isEnhanced() && state == State.AWAIT_REPLY;
        ErrorDetail detail = unenhancedPeer
                ? StartupErrors.transport(
                        "the peer closed TCP without an MPA Reply: it may not know revision 2" + " (RFC 6581 §10)")
                : StartupErrors.transport("the peer closed TCP without an MPA Reply");
        end(State.FAILED, new StartupEvent.Failed(detail, unenhancedPeer && offer.fallBackToRevision1()));
    }

    /** Tells the time; nothing happens before the deadline. */
    public void handleTimeout(long nowNanos) {
        if (isOver() || nowNanos < deadlineNanos) {
            return;
        }
        fail(mpa(
                StartupErrors.EXCHANGE + "(10)",
                state == State.SEND_REQUEST
                        ? "the time for the startup is over and TCP has not taken the MPA Request"
                        : "the time for the startup is over and no MPA Reply came: " + reply.progress()));
    }

    /**
     * Hands out the Request.
     *
     * @return octets written to {@code out}, which may be only a piece; 0 when there is nothing to send
     */
    @Override
    public int pollTransmit(MemorySegment out, long offset, int capacity) {
        if (state != State.SEND_REQUEST) {
            return 0;
        }
        int step = request.pollTransmit(out, offset, capacity);
        if (request.isDone()) {
            state = State.AWAIT_REPLY;
        }
        return step;
    }

    /** When to call {@link #handleTimeout}; {@link Long#MAX_VALUE} when never. */
    public long pollTimeout() {
        return isOver() ? Long.MAX_VALUE : deadlineNanos;
    }

    /** The outcome, once; null when there is none yet or no more. */
    public @Nullable StartupEvent pollEvent() {
        StartupEvent polled = event;
        event = null;
        return polled;
    }

    /** The peer's private data, a copy; there when the Reply was valid, also when it refused. */
    public byte[] privateData() {
        if (!reply.isComplete()) {
            throw new IllegalStateException(state + ": no valid MPA Reply");
        }
        return reply.privateData();
    }

    /** Revision 2 is only asked for to negotiate IRD and ORD, so it always comes with the enhanced word. */
    private boolean isEnhanced() {
        return offer.revision() >= 2;
    }

    private EnhancedWord requestWord() {
        return offer.peerToPeer()
                ? EnhancedTerms.peerToPeer(offer.readyToReceive(), offer.ird(), offer.ord())
                : EnhancedTerms.clientServer(offer.ird(), offer.ord());
    }

    private @Nullable ErrorDetail checkHeader(MpaFrame header) {
        if (header.revision() != offer.revision()) {
            return mpa(
                    isEnhanced() ? StartupErrors.INTEROPERABILITY : StartupErrors.FRAME,
                    "the MPA Reply has revision " + header.revision() + " but the Request had " + offer.revision()
                            + rejectText(header));
        }
        if (isEnhanced() && !header.enhanced()) {
            return mpa(
                    StartupErrors.INTEROPERABILITY,
                    "the MPA Reply to an enhanced Request is not enhanced (S=0)" + rejectText(header));
        }
        return null;
    }

    private static String rejectText(MpaFrame header) {
        return header.reject() ? "; it also refuses the connection (R=1)" : "";
    }

    private void handleReply() {
        if (state == State.SEND_REQUEST) {
            fail(mpa(StartupErrors.EXCHANGE + "(2)", "an MPA Reply came before the MPA Request was sent"));
        } else if (reply.frame().reject()) {
            Negotiated stated = reply.isEnhanced() ? stated(reply.enhancedWord()) : plain();
            end(State.REJECTED, new StartupEvent.Rejected(stated, rejection()));
        } else if (reply.isEnhanced()) {
            handleEnhancedReply(reply.enhancedWord());
        } else {
            end(State.FULL_OPERATION, new StartupEvent.Established(plain()));
        }
    }

    private void handleEnhancedReply(EnhancedWord word) {
        int ird = EnhancedTerms.ird(offer, word.ord());
        int ord = EnhancedTerms.ord(offer, word.ird());
        boolean peerToPeer = isPeerToPeer(word);
        Set<ReadyToReceive> agreed = agreed(word);
        ReadyToReceive chosen = agreed.isEmpty() ? null : EnhancedTerms.preferred(agreed);
        Negotiated negotiated = negotiated(peerToPeer, chosen, agreed, ird, ord, word.ird(), word.ord());
        if (EnhancedTerms.isNegotiated(word.ord()) && word.ord() > ird) {
            terminate(
                    negotiated,
                    TerminateCode.MPA_INSUFFICIENT_IRD,
                    StartupErrors.DEPTHS,
                    "the peer's ORD " + word.ord() + " is above the " + offer.maxIrd()
                            + " inbound Reads we can hold (IRD)");
        } else if (peerToPeer && chosen == null) {
            terminate(
                    negotiated,
                    TerminateCode.MPA_NO_MATCHING_RTR,
                    StartupErrors.MODEL,
                    "no ready-to-receive message in common: we can send "
                            + EnhancedTerms.text(offer.readyToReceive()) + ", the peer takes "
                            + EnhancedTerms.text(EnhancedTerms.kinds(word)));
        } else {
            end(State.FULL_OPERATION, new StartupEvent.Established(negotiated));
        }
    }

    /** The initiator decides; a Reply with A=0 names no kind we could send, which leaves the client-server model. */
    private boolean isPeerToPeer(EnhancedWord word) {
        return offer.peerToPeer() && word.peerToPeer();
    }

    private Set<ReadyToReceive> agreed(EnhancedWord word) {
        return isPeerToPeer(word) ? EnhancedTerms.common(offer.readyToReceive(), EnhancedTerms.kinds(word)) : Set.of();
    }

    private Negotiated plain() {
        return negotiated(false, null, Set.of(), offer.ird(), offer.ord(), Negotiated.UNKNOWN, Negotiated.UNKNOWN);
    }

    private Negotiated stated(EnhancedWord word) {
        return negotiated(isPeerToPeer(word), null, agreed(word), offer.ird(), offer.ord(), word.ird(), word.ord());
    }

    private Negotiated negotiated(
            boolean peerToPeer,
            @Nullable ReadyToReceive chosen,
            Set<ReadyToReceive> agreed,
            int ird,
            int ord,
            int peerIrd,
            int peerOrd) {
        MpaFrame frame = reply.frame();
        return new Negotiated(
                frame.revision(),
                offer.crc() || frame.crc(),
                frame.markers(),
                offer.markers(),
                peerToPeer,
                chosen,
                agreed,
                ird,
                ord,
                peerIrd,
                peerOrd);
    }

    private ErrorDetail rejection() {
        int length = reply.privateData().length;
        String fact = "the peer refused the connection (R=1)"
                + (length == 0 ? "" : " with " + length + " octets of private data");
        return mpa(StartupErrors.EXCHANGE + "(3)", fact);
    }

    private void terminate(Negotiated negotiated, TerminateCode code, String clause, String fact) {
        ErrorDetail detail = new ErrorDetail(ErrorDetail.Layer.MPA, clause, fact, code.wireValue());
        end(State.FULL_OPERATION, new StartupEvent.TerminateNeeded(negotiated, code, detail));
    }

    private void fail(ErrorDetail detail) {
        end(State.FAILED, new StartupEvent.Failed(detail, false));
    }

    private void end(State last, StartupEvent outcome) {
        state = last;
        event = outcome;
    }

    private boolean isOver() {
        return switch (state) {
            case SEND_REQUEST, AWAIT_REPLY -> false;
            case FULL_OPERATION, REJECTED, FAILED -> true;
        };
    }
}
