package io.stag.rnic.mpa;

import static io.stag.rnic.mpa.StartupErrors.mpa;

import io.stag.rnic.mpa.StartupFrameReader.Due;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Passive side of the MPA startup (RFC 5044, section 7.1; RFC 6581): takes the Request, waits for a decision, sends the
 * Reply. Does no I/O and reads no clock; belongs to one thread.
 *
 * <p>Driver: feed what arrives and ask {@link #pollEvent} after every {@code handle*} call. After
 * {@link StartupEvent.RequestReceived} call {@link #accept} or {@link #reject}, then hand out {@link #pollTransmit} until
 * it gives 0 and ask {@link #pollEvent} again. Keep feeding while the decision is open: the peer may go away, and must
 * not send anything. After the last event no octets are taken or given and {@link #pollTimeout} has no deadline;
 * otherwise the deadline never changes.
 */
public final class MpaResponder implements StartupMachine {
    private enum State {
        AWAIT_REQUEST,
        AWAIT_DECISION,
        SEND_REPLY,
        FULL_OPERATION,
        REJECTED,
        FAILED
    }

    private final int maxRevision;
    private final long deadlineNanos;
    private final StartupFrameReader request = new StartupFrameReader(Due.REQUEST, this::checkHeader);
    private State state = State.AWAIT_REQUEST;
    private @Nullable StartupFrameWriter reply;
    private @Nullable StartupEvent replyOutcome;
    private @Nullable StartupEvent event;

    /**
     * A startup that begins with the first octet of a fresh TCP connection.
     *
     * @param maxRevision 2, or 1 to close on what a peer of RFC 6581 sends
     * @param deadlineNanos instant at which the exchange, decision included, must be over; {@link Long#MAX_VALUE} for
     *     none
     */
    public MpaResponder(int maxRevision, long deadlineNanos) {
        if (maxRevision != 1 && maxRevision != 2) {
            throw new IllegalArgumentException("MPA revision " + maxRevision + " is neither 1 nor 2");
        }
        this.maxRevision = maxRevision;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Takes octets of the stream, exactly to the end of the Request. Any octet behind it, before the Reply was handed
     * out, is an error of the peer.
     *
     * @return how many were taken; once established what is left belongs to the first FPDU, else to nobody
     */
    @Override
    public int handleOctets(MemorySegment in, long offset, int length) {
        return switch (state) {
            case AWAIT_REQUEST -> handleRequestOctets(in, offset, length);
            case AWAIT_DECISION, SEND_REPLY -> {
                if (length > 0) {
                    failOnSurplus();
                }
                yield 0;
            }
            case FULL_OPERATION, REJECTED, FAILED -> 0;
        };
    }

    /** The peer sends nothing more: it closed, or reset, the TCP connection. */
    @Override
    public void handleEndOfStream() {
        switch (state) {
            case AWAIT_REQUEST ->
                fail(
                        request.received() == 0
                                ? StartupErrors.transport("the peer closed TCP without an MPA Request")
                                : mpa(
                                        StartupErrors.EXCHANGE + "(2)",
                                        "TCP ended inside the MPA Request: " + request.progress() + " came"));
            case AWAIT_DECISION, SEND_REPLY ->
                fail(StartupErrors.transport("the peer closed TCP before its MPA Request was answered"));
            case FULL_OPERATION, REJECTED, FAILED -> {}
        }
    }

    /** Tells the time; nothing happens before the deadline. */
    public void handleTimeout(long nowNanos) {
        if (nowNanos < deadlineNanos) {
            return;
        }
        switch (state) {
            case AWAIT_REQUEST ->
                fail(
                        request.received() == 0
                                ? mpa(
                                        StartupErrors.EXCHANGE + "(8)",
                                        "the time for the startup is over and no MPA Request came: the peer may be"
                                                + " waiting for one itself")
                                : mpa(
                                        StartupErrors.EXCHANGE + "(10)",
                                        "the time for the startup is over and the MPA Request is incomplete: "
                                                + request.progress() + " came"));
            case AWAIT_DECISION ->
                fail(mpa(
                        StartupErrors.EXCHANGE + "(10)",
                        "the time for the startup is over and the MPA Request was neither accepted nor refused"));
            case SEND_REPLY ->
                fail(mpa(
                        StartupErrors.EXCHANGE + "(10)",
                        "the time for the startup is over and TCP has not taken the MPA Reply"));
            case FULL_OPERATION, REJECTED, FAILED -> {}
        }
    }

    /**
     * Accepts the Request. The receive side must be ready when the Reply leaves.
     *
     * @param offer what we can do; its revision, peer-to-peer wish and fall-back are the initiator's to decide
     * @param privateData for the peer's upper layer, up to {@link #privateDataLimit()} octets
     */
    public void accept(StartupOffer offer, byte[] privateData) {
        requireDecisionDue();
        MpaFrame frame = request.frame();
        boolean crc = frame.crc() || offer.crc();
        EnhancedWord peer = request.isEnhanced() ? request.enhancedWord() : null;
        Set<ReadyToReceive> named = peer != null && peer.peerToPeer() ? named(offer, peer) : Set.of();
        int ird = peer == null ? offer.ird() : EnhancedTerms.ird(offer, peer.ord());
        if (ird == 0 && named.contains(ReadyToReceive.READ)) {
            ird = 1; // the zero-length Read itself needs the slot
        }
        int ord = peer == null ? offer.ord() : EnhancedTerms.ord(offer, peer.ird());
        Negotiated negotiated = new Negotiated(
                frame.revision(),
                crc,
                frame.markers(),
                offer.markers(),
                peer != null && peer.peerToPeer(),
                null,
                named,
                ird,
                ord,
                peer == null ? Negotiated.UNKNOWN : peer.ird(),
                peer == null ? Negotiated.UNKNOWN : peer.ord());
        EnhancedWord word = peer == null ? null : replyWord(peer, named, ird, ord);
        // C says what will be used rather than what we would like: some initiators insist on seeing their own wish.
        send(
                StartupFrameWriter.reply(offer.markers(), crc, false, frame.revision(), word, privateData),
                new StartupEvent.Established(negotiated));
    }

    /**
     * Refuses the Request and says nothing about IRD and ORD.
     *
     * @param privateData for the peer's upper layer, up to {@link #privateDataLimit()} octets
     */
    public void reject(byte[] privateData) {
        reject(EnhancedWord.NOT_NEGOTIATED, EnhancedWord.NOT_NEGOTIATED, privateData);
    }

    /**
     * Refuses the Request and tells the peer, when it speaks RFC 6581, what would have been needed.
     *
     * @param ird IRD that we would have had
     * @param ord ORD that the upper layer insists on
     * @param privateData for the peer's upper layer, up to {@link #privateDataLimit()} octets
     */
    public void reject(int ird, int ord, byte[] privateData) {
        requireDecisionDue();
        MpaFrame frame = request.frame();
        EnhancedWord word = null;
        if (request.isEnhanced()) {
            EnhancedWord peer = request.enhancedWord();
            Set<ReadyToReceive> offered = EnhancedTerms.kinds(peer);
            word = replyWord(peer, offered.isEmpty() ? EnumSet.of(ReadyToReceive.WRITE) : offered, ird, ord);
        }
        send(
                StartupFrameWriter.reply(false, frame.crc(), true, frame.revision(), word, privateData),
                new StartupEvent.RejectionSent());
    }

    /**
     * Hands out the Reply.
     *
     * @return octets written to {@code out}, which may be only a piece; 0 when there is nothing to send
     */
    @Override
    public int pollTransmit(MemorySegment out, long offset, int capacity) {
        if (state != State.SEND_REPLY || reply == null) {
            return 0;
        }
        int step = reply.pollTransmit(out, offset, capacity);
        if (reply.isDone()) {
            state = replyOutcome instanceof StartupEvent.Established ? State.FULL_OPERATION : State.REJECTED;
            event = replyOutcome;
        }
        return step;
    }

    /** When to call {@link #handleTimeout}; {@link Long#MAX_VALUE} when never. */
    public long pollTimeout() {
        return switch (state) {
            case AWAIT_REQUEST, AWAIT_DECISION, SEND_REPLY -> deadlineNanos;
            case FULL_OPERATION, REJECTED, FAILED -> Long.MAX_VALUE;
        };
    }

    /** What happened, once; null when there is nothing new. */
    public @Nullable StartupEvent pollEvent() {
        StartupEvent polled = event;
        event = null;
        return polled;
    }

    /** The peer's private data, a copy; there from {@link StartupEvent.RequestReceived} on. */
    public byte[] privateData() {
        requireRequest();
        return request.privateData();
    }

    /** Octets of private data a Reply to this Request may carry: 512, or 508 when it is enhanced. */
    public int privateDataLimit() {
        requireRequest();
        return StartupFrameWriter.privateDataLimit(request.isEnhanced());
    }

    private int handleRequestOctets(MemorySegment in, long offset, int length) {
        int taken = request.handleOctets(in, offset, length);
        ErrorDetail error = request.error();
        if (error != null) {
            fail(error);
        } else if (request.isComplete()) {
            state = State.AWAIT_DECISION;
            event = requestReceived();
            if (taken < length) {
                failOnSurplus();
            }
        }
        return taken;
    }

    private @Nullable ErrorDetail checkHeader(MpaFrame header) {
        int revision = header.revision();
        if (revision >= 1 && revision <= maxRevision) {
            return null;
        }
        if (revision == 2) {
            return mpa(
                    StartupErrors.INTEROPERABILITY,
                    "the MPA Request has revision 2, which is switched off here: only 1 is accepted");
        }
        return mpa(
                StartupErrors.FRAME,
                "the MPA Request has revision " + revision + ", which is not supported"
                        + (revision == 0 ? ": it is older than RFC 5044" : ""));
    }

    private StartupEvent requestReceived() {
        MpaFrame frame = request.frame();
        if (!request.isEnhanced()) {
            return new StartupEvent.RequestReceived(
                    frame.revision(),
                    false,
                    frame.crc(),
                    frame.markers(),
                    false,
                    Set.of(),
                    Negotiated.UNKNOWN,
                    Negotiated.UNKNOWN);
        }
        EnhancedWord word = request.enhancedWord();
        return new StartupEvent.RequestReceived(
                frame.revision(),
                true,
                frame.crc(),
                frame.markers(),
                word.peerToPeer(),
                EnhancedTerms.kinds(word),
                word.ird(),
                word.ord());
    }

    /** Every offered kind we can take; when there is none, what we can take, so that the initiator can tell why. */
    private static Set<ReadyToReceive> named(StartupOffer offer, EnhancedWord peer) {
        EnumSet<ReadyToReceive> takeable = EnumSet.noneOf(ReadyToReceive.class);
        takeable.addAll(offer.readyToReceive());
        if (offer.maxIrd() == 0) {
            takeable.remove(ReadyToReceive.READ);
        }
        if (takeable.isEmpty()) {
            throw new IllegalArgumentException("the offer can take no kind of ready-to-receive message: "
                    + EnhancedTerms.text(offer.readyToReceive()) + " with an IRD of at most " + offer.maxIrd());
        }
        Set<ReadyToReceive> common = EnhancedTerms.common(takeable, EnhancedTerms.kinds(peer));
        return common.isEmpty() ? takeable : common;
    }

    /** A depth the peer left to the upper layer is left to it in the Reply too. */
    private static EnhancedWord replyWord(EnhancedWord peer, Set<ReadyToReceive> named, int ird, int ord) {
        int replyIrd = EnhancedTerms.isNegotiated(peer.ord()) ? ird : EnhancedWord.NOT_NEGOTIATED;
        int replyOrd = EnhancedTerms.isNegotiated(peer.ird()) ? ord : EnhancedWord.NOT_NEGOTIATED;
        return peer.peerToPeer()
                ? EnhancedTerms.peerToPeer(named, replyIrd, replyOrd)
                : EnhancedTerms.clientServer(replyIrd, replyOrd);
    }

    private void send(StartupFrameWriter frame, StartupEvent outcome) {
        reply = frame;
        replyOutcome = outcome;
        state = State.SEND_REPLY;
    }

    private void failOnSurplus() {
        fail(mpa(
                StartupErrors.EXCHANGE + "(3)",
                "octets came behind the MPA Request: the initiator must wait for the MPA Reply"));
    }

    /** Also takes back a Request that nobody has polled yet: there is nothing left to decide. */
    private void fail(ErrorDetail detail) {
        state = State.FAILED;
        event = new StartupEvent.Failed(detail, false);
    }

    private void requireRequest() {
        if (!request.isComplete()) {
            throw new IllegalStateException(state + ": no valid MPA Request");
        }
    }

    private void requireDecisionDue() {
        if (state != State.AWAIT_DECISION) {
            throw new IllegalStateException(state + ", expected " + State.AWAIT_DECISION);
        }
    }
}
