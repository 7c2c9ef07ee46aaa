package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.mpa.FpduDecoder;
import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.SendQueue;
import io.stag.rnic.work.SendWork;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.Operation;
import io.stag.wire.rdmap.TerminateCode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * RDMAP, DDP and MPA's full operation over one stream of octets, for one queue pair. Does no I/O and reads no clock.
 *
 * <p>The driver calls {@link #pollTransmit} to get octets and {@link #transmitted} when the stream took them,
 * {@link #received} with what came in, and closes its sending direction once {@link #outputFinished} says so. After any
 * of these calls, and after work was posted, {@link #pollTransmit} may have something new.
 */
public final class RdmaStream {
    /** For less than that, a system call costs more than the peer gains by having what comes before a moment earlier. */
    private static final int SHORT_END = 4 * 1024;

    final StreamSettings settings;
    final SendQueue sends;
    final ReceiveQueue receives;
    final StagTable stags;
    final int domain;
    final int queuePair;
    final StreamOwner owner;
    final StreamCounters counters;
    final OutstandingRequests outstanding;
    final InboundRequests inbound;
    final TerminateMessage terminate = new TerminateMessage();
    final FpduDecoder decoder;
    final int firstMsn;

    private final OutboundMessages outbound;
    private final InboundSegments segments;
    private final long segmentsBefore; // the counters belong to the queue pair, which may have had other streams
    private boolean sendingAllowed;
    private boolean peerHeard;
    private boolean stopped; // nothing is taken any more, and nothing sent but a Terminate
    private boolean finishRequested;
    private boolean terminatePending;
    private boolean terminateStaged;
    private long staged;
    private int sizeBefore;
    private @Nullable Splices splices; // for the present poll; empty before it
    private int most; // octets of a poll
    private int leastGathered;
    private long accepted;

    /** A stream in its initial state: all MSNs 1, marker position 0. */
    public RdmaStream(
            StreamSettings settings,
            SendQueue sends,
            ReceiveQueue receives,
            StagTable stags,
            int domain,
            int queuePair,
            StreamOwner owner,
            StreamCounters counters) {
        this(settings, sends, receives, stags, domain, queuePair, owner, counters, 1);
    }

    /** Like the other one, with another first MSN of all queues: for tests of its wrap. */
    RdmaStream(
            StreamSettings settings,
            SendQueue sends,
            ReceiveQueue receives,
            StagTable stags,
            int domain,
            int queuePair,
            StreamOwner owner,
            StreamCounters counters,
            int firstMsn) {
        this.settings = settings;
        this.sends = sends;
        this.receives = receives;
        this.stags = stags;
        this.domain = domain;
        this.queuePair = queuePair;
        this.owner = owner;
        this.counters = counters;
        this.firstMsn = firstMsn;
        outstanding = new OutstandingRequests(settings.ord());
        inbound = new InboundRequests(settings.ird());
        outbound = new OutboundMessages(this);
        segments = new InboundSegments(this);
        decoder = new FpduDecoder(settings.crc(), settings.markersReceived(), 0);
        sendingAllowed = settings.initiator();
        segmentsBefore = counters.segmentsReceived;
    }

    /** Appends as many FPDUs as fit and are ready. */
    public void pollTransmit(StagingBuffer out) {
        pollTransmit(out, null, Integer.MAX_VALUE);
    }

    /**
     * Like the other one, but large payload may stay where it is, if there are {@code splices}, empty ones, to note it.
     *
     * @param enough an FPDU that would make it more is left for the next poll, unless it is the first
     */
    public void pollTransmit(StagingBuffer out, @Nullable Splices pieces, int enough) {
        if (splices != pieces) { // a store costs more, since the garbage collector keeps books of them
            splices = pieces;
        }
        most = enough;
        sizeBefore = out.size();
        if (!stopped && sendingAllowed) {
            outbound.emit(out);
        }
        // not behind a piece, which may turn out to be gone and take what follows with it
        if (terminatePending && spliced() == 0 && outbound.emitTerminate(out)) {
            terminatePending = false;
            terminateStaged = true;
            counters.terminatesSent++;
            owner.terminateSent();
        }
        staged = positionAfter(out);
    }

    /** Whether what is {@code left} of a message of which {@code done} octets are polled is not worth another poll. */
    static boolean isShortEnd(long done, long left) {
        return done > 0 && left < SHORT_END;
    }

    private int spliced() {
        Splices pieces = splices;
        return pieces == null ? 0 : pieces.total();
    }

    /** For payload that stays where it is, or null. */
    @Nullable
    Splices splices() {
        return splices;
    }

    /** Whether so many octets fit behind what {@code out} holds, also if the pieces should have to be copied to it. */
    boolean fits(StagingBuffer out, int octets) {
        return fits(out, octets, false);
    }

    /** Like the other one for a segment that comes along, however much there is, if it is the {@linkplain #isShortEnd short end}. */
    boolean fits(StagingBuffer out, int octets, boolean shortEnd) {
        Splices pieces = splices;
        int before = out.size() + spliced();
        return (before == 0 || before <= most - octets || shortEnd)
                && (pieces == null ? octets <= out.room() : !pieces.isFull() && octets <= out.room() - pieces.total());
    }

    /** How many FPDUs of at most so many octets are sure to {@linkplain #fits fit} one behind the other. */
    int howManyFit(StagingBuffer out, int octets) {
        Splices pieces = splices;
        if (pieces != null && pieces.isFull()) {
            return 0;
        }
        return Math.min(out.room() - spliced(), most - out.size() - spliced()) / octets;
    }

    /**
     * Nothing of an FPDU that was polled last can be sent any more, since a piece of it is gone. It and what followed is
     * not sent; a Terminate says so.
     */
    public void spliceGone(StagingBuffer out, Splices pieces, int index) {
        staged -= pieces.cut(out, index);
        outbound.refuseGone(index);
    }

    /** Like {@link #spliceGone}, when the stream has taken a part of that FPDU: it must be reset. */
    public void markGone(int index) {
        outbound.markGone(index);
    }

    /** True when {@link #pollTransmit} may have something. */
    public boolean hasOutput() {
        return terminatePending || (!stopped && sendingAllowed && outbound.hasWork());
    }

    /** The stream took {@code octets} of what was polled. */
    public void transmitted(int octets) {
        accepted += octets;
        counters.octetsSent += octets;
        completeInOrder();
    }

    /**
     * Takes FPDUs from the start of {@code in}, at most {@code limit}; what is left is incomplete or for the next call.
     *
     * @return number of FPDUs taken
     */
    public int received(StagingBuffer in, int limit) {
        int taken = take(in, limit);
        segments.endOfBatch();
        return taken;
    }

    private int take(StagingBuffer in, int limit) {
        int taken = 0;
        while (!stopped && taken < limit) {
            FpduDecoder.Result result = decoder.next(in);
            peerHeard |= result != FpduDecoder.Result.INCOMPLETE;
            switch (result) {
                case FPDU -> {
                    if (segments.accept(in.segment(), decoder.ulpduOffset(), decoder.ulpduLength())) {
                        segmentAccepted();
                    }
                    decoder.consume(in);
                    taken++;
                }
                case INCOMPLETE -> {
                    return taken;
                }
                case BAD_CRC ->
                    failFraming(
                            TerminateCode.MPA_CRC_MISMATCH,
                            "the CRC of an FPDU with a ULPDU of " + decoder.ulpduLength()
                                    + " octets is wrong: damaged on the way, or its sender changed the memory of a Send"
                                    + " or Write before it was complete");
                case BAD_MARKER ->
                    failFraming(
                            TerminateCode.MPA_MARKER_MISMATCH,
                            "a marker points elsewhere than to the FPDU that holds it, whose ULPDU has "
                                    + decoder.ulpduLength() + " octets");
            }
        }
        if (stopped) {
            in.clear(); // later segments are silently dropped (RFC 5041, section 7.1)
        }
        return taken;
    }

    /**
     * Like {@link #received}, after {@link #finish}. Messages that carry nothing and that no program knows of may have
     * crossed the end, and change nothing: ready-to-receive, a nudge, a probe, the answer to one. All else is no orderly
     * end (RDMA verbs, section 6.2.5).
     *
     * @return false when something else came
     */
    public boolean receivedAfterFinish(StagingBuffer in) {
        while (true) {
            switch (decoder.next(in)) {
                case FPDU -> {
                    if (!segments.acceptEmpty(in.segment(), decoder.ulpduOffset(), decoder.ulpduLength())) {
                        return false;
                    }
                    segmentAccepted();
                    decoder.consume(in);
                }
                case INCOMPLETE -> {
                    return true;
                }
                case BAD_CRC, BAD_MARKER -> {
                    return false;
                }
            }
        }
    }

    private void segmentAccepted() {
        counters.segmentsReceived++;
        if (!sendingAllowed) {
            sendingAllowed = true;
            owner.firstSegmentReceived();
        }
    }

    /** How many octets are missing at least until the next FPDU is there. */
    public int octetsNeeded() {
        return decoder.needed();
    }

    /** TCP segments of the path have this size now, from which the size of FPDUs follows (RFC 5044, section 5). */
    public void segmentSize(int emss) {
        outbound.segmentSize(emss);
    }

    /** The transport can take payload from its place; what is shorter than {@code least} is copied all the same. */
    public void useGathering(int least) {
        leastGathered = least;
    }

    int leastGathered() {
        return leastGathered;
    }

    /** Sends no more than what is under way and then asks for the end of the sending direction. */
    public void finish() {
        finishRequested = true;
        stopped = true;
    }

    /** True when nothing will be sent any more and the stream took all of it: the driver closes its sending direction. */
    public boolean outputFinished() {
        return (finishRequested || terminateStaged) && !terminatePending && accepted == staged;
    }

    /** True when the send queue is empty, nothing is half sent and no request of the peer waits for its response. */
    public boolean isQuiet() {
        return sends.size() == 0 && inbound.isEmpty() && outbound.isBetweenMessages() && accepted == staged;
    }

    /** True while a Read or atomic is outstanding; of a quiet stream, one of the engine itself. */
    public boolean awaitsAnswer() {
        return !outstanding.isEmpty();
    }

    /** Ends the stream with a Terminate that has no headers. */
    public void terminate(TerminateCode code, Layer layer, String clause, String fact, Origin origin) {
        fail(
                code,
                TerminateMessage.NO_HEADERS,
                new StreamFailure(
                        new ErrorDetail(layer, clause, fact, code.wireValue()), CompletionStatus.FATAL_ERR, origin));
    }

    /** Whether {@link #probe} can reach the peer: it must take Reads, and a responder must have heard it before. */
    public boolean canProbe() {
        return settings.ord() > 0 && sendingAllowed && !stopped;
    }

    /** Asks the peer for a sign of life: a Read of nothing. @return false when one is already under way, or cannot be sent */
    public boolean probe() {
        return canProbe() && outbound.offerInternal(SendWork.internal(WorkKind.READ));
    }

    /** Makes the peer look at the stream: a Write of nothing. @return false when nothing was sent that it could have missed */
    public boolean nudge() {
        return accepted > 0 && outbound.offerInternal(SendWork.internal(WorkKind.WRITE));
    }

    /** True when segments of a Send came, and its last one did not. */
    public boolean isInsideSend() {
        return segments.isInsideSend();
    }

    /** The receive whose message was cut off, to be flushed before all others. */
    public @Nullable ReceiveWork takeReceiveInProgress() {
        return segments.takeReceiveInProgress();
    }

    /** Stops at once: the stream below is gone or to be reset. */
    public void abandon() {
        stopped = true;
        terminatePending = false;
        outstanding.clear();
        inbound.clear();
    }

    /** Count of stream octets up to the end of what {@code out} holds; {@link #pollTransmit} adds them up afterwards. */
    long positionAfter(StagingBuffer out) {
        return staged + out.size() - sizeBefore + spliced();
    }

    /** Fails because the peer broke a rule; the Terminate shows the offending segment. @return false */
    boolean refuse(TerminateCode code, String fact) {
        return refuse(code, TerminateMessage.DDP_HEADER, fact);
    }

    /** Like the other one, with a choice of headers. @return false */
    boolean refuse(TerminateCode code, int headers, String fact) {
        Layer layer = code.layer() == TerminateCode.Layer.DDP ? Layer.DDP : Layer.RDMAP;
        fail(
                code,
                headers,
                new StreamFailure(
                        new ErrorDetail(layer, code.clause(), fact, code.wireValue()),
                        CompletionStatus.FATAL_ERR,
                        Origin.PEER));
        return false;
    }

    /** True when nothing but a Terminate may be sent any more; an owner can end the stream in any call to it. */
    boolean isStopped() {
        return stopped;
    }

    /** True until the first valid segment came in. */
    boolean isFirstSegment() {
        return counters.segmentsReceived == segmentsBefore;
    }

    /** Fails because an access to our memory was refused. */
    void failAccess(TerminateCode code, int headers, String operation, int stag, long taggedOffset, AccessCheck check) {
        Layer layer = code.layer() == TerminateCode.Layer.DDP ? Layer.DDP : Layer.RDMAP;
        String fact = String.format(
                Locale.ROOT, "%s: STag 0x%08x, offset 0x%x: %s", operation, stag, taggedOffset, check.text());
        fail(
                code,
                headers,
                new StreamFailure(
                        new ErrorDetail(layer, code.clause(), fact, code.wireValue()),
                        CompletionStatus.FATAL_ERR,
                        Origin.PEER));
    }

    void fail(TerminateCode code, int headers, StreamFailure failure) {
        if (stopped) {
            return; // the first error wins (RFC 5040, section 7.1)
        }
        stopped = true;
        outstanding.clear();
        inbound.clear();
        if (sendingAllowed || peerHeard) {
            terminate.prepare(code, headers);
            terminatePending = true;
        } else {
            finishRequested = true; // a responder sends no FPDU at all before it got one (RFC 5044, section 7.1.2)
        }
        owner.failed(failure);
    }

    /** The peer's Terminate ends both directions; it is never answered. */
    void terminated(ErrorDetail detail, @Nullable SendWork culprit, CompletionStatus status) {
        stopped = true;
        finishRequested = true;
        counters.terminatesReceived++;
        if (culprit != null) {
            culprit.failure = status;
        }
        outstanding.clear();
        inbound.clear();
        owner.terminateReceived(detail);
    }

    /** Retires requests from the oldest on, as far as nothing is left to wait for (RFC 5040, section 5.5, rule 15). */
    void completeInOrder() {
        SendWork work = sends.oldestStarted();
        while (work != null && work.endPosition <= accepted) {
            long id = work.id;
            boolean signaled = work.signaled;
            Operation operation = work.kind.operation();
            long length = work.placed;
            sends.retire(); // before the completion: who polls it may post at once
            if (signaled) {
                owner.sendCompleted(id, operation, length);
            }
            work = sends.oldestStarted();
        }
    }

    private void failFraming(TerminateCode code, String fact) {
        fail(
                code,
                TerminateMessage.NO_HEADERS,
                new StreamFailure(
                        new ErrorDetail(Layer.MPA, code.clause(), fact, code.wireValue()),
                        CompletionStatus.FATAL_ERR,
                        Origin.PEER));
    }
}
