package io.stag.cli.dump;

import org.jspecify.annotations.Nullable;

/** A TCP connection and what its two sides agreed on. */
final class Conversation {
    private final DumpSettings settings;
    private final ConversationNumbers numbers;
    private final DumpOutput output;
    private final StreamDecoder forward;
    private final StreamDecoder backward;
    private final TcpReassembly forwardTcp;
    private final TcpReassembly backwardTcp;
    private Endpoint initiator;
    private Endpoint responder;
    private boolean swapped; // the backward direction turned out to be the initiator's
    private boolean fromSyn;
    private boolean withoutStartup;
    private int number;
    private long octets;
    private @Nullable StartupFrame request;
    private @Nullable StartupFrame reply;

    /** Gives connections their numbers, in the order in which MPA is seen on them. */
    static final class ConversationNumbers {
        private int last;

        int next() {
            return ++last;
        }
    }

    /**
     * A connection.
     *
     * @param from who sent the first packet seen
     * @param to the other end
     */
    Conversation(
            Endpoint from,
            Endpoint to,
            DumpSettings settings,
            ConversationNumbers numbers,
            MemoryBudget budget,
            DumpOutput output) {
        this.initiator = from;
        this.responder = to;
        this.settings = settings;
        this.numbers = numbers;
        this.output = output;
        ReadTracker forwardReads = new ReadTracker(true);
        ReadTracker backwardReads = new ReadTracker(true);
        forward = new StreamDecoder(this, settings, new SegmentInspector(true, forwardReads, backwardReads));
        backward = new StreamDecoder(this, settings, new SegmentInspector(true, backwardReads, forwardReads));
        forwardTcp = new TcpReassembly(budget, forward);
        backwardTcp = new TcpReassembly(budget, backward);
    }

    /** Takes a segment of either direction. */
    void segment(TcpSegment segment, long timestampNanos) {
        boolean isForward = segment.source.equals(swapped ? responder : initiator);
        TcpReassembly tcp = isForward ? forwardTcp : backwardTcp;
        if ((segment.flags & TcpSegment.SYN) != 0) {
            fromSyn = true;
            tcp.start(segment.sequence);
            if ((segment.flags & TcpSegment.ACK) != 0 && isForward && number == 0) {
                swapRoles(); // the capture began with the answer to the SYN
            }
        }
        octets += segment.payloadLength + segment.payloadCut;
        tcp.segment(segment, timestampNanos);
    }

    /** True when this SYN begins another connection between the same ports. */
    boolean isOver(TcpSegment segment) {
        boolean isSyn = (segment.flags & (TcpSegment.SYN | TcpSegment.ACK)) == TcpSegment.SYN;
        boolean isForward = segment.source.equals(swapped ? responder : initiator);
        return isSyn && (isForward ? forwardTcp : backwardTcp).isOther(segment.sequence);
    }

    /** No more packets. */
    void finish(long timestampNanos) {
        forwardTcp.finish(timestampNanos);
        backwardTcp.finish(timestampNanos);
        boolean middle = !fromSyn && octets > 0 && number == 0;
        if (middle || (withoutStartup && number > 0 && !settings.guess())) {
            output.withoutStartup(initiator + " > " + responder, octets);
        }
    }

    long retransmissions() {
        return forwardTcp.retransmissions() + backwardTcp.retransmissions();
    }

    long outOfOrder() {
        return forwardTcp.outOfOrder() + backwardTcp.outOfOrder();
    }

    Alignment alignmentFromInitiator() {
        return initiatorSide().alignment();
    }

    Alignment alignmentFromResponder() {
        return peerOf(initiatorSide()).alignment();
    }

    /** A side sent its startup frame. */
    void startup(StreamDecoder from, StartupFrame frame, Frame.Builder line, long timestampNanos) {
        if (request == null && reply == null && frame.isRequest() != (from == initiatorSide())) {
            if (fromSyn) {
                line.anomaly(
                        frame.isRequest() ? "a Request from the passive side" : "a Reply from the active side",
                        "RFC 5044 §7.1.2");
            } else {
                swapRoles();
            }
        }
        if (frame.isRequest() && request != null) {
            line.anomaly("both sides sent a Request", "RFC 5044 §7.1.2");
        } else if (frame.isRequest()) {
            request = frame;
        } else {
            reply = frame;
            if (request != null) {
                frame.checkAnswers(request, line);
            }
        }
        show(from, line, 0, timestampNanos);
        if (frame.reject() && !frame.isRequest()) {
            ignore();
        } else if (isNegotiated()) {
            peerOf(from).advance();
        }
    }

    boolean isNegotiated() {
        return request != null && reply != null;
    }

    boolean usesCrc() {
        return (request != null && request.crc()) || (reply != null && reply.crc());
    }

    /** Markers go into a stream when its receiver asked for them. */
    boolean usesMarkers(StreamDecoder sender) {
        StartupFrame receivers = sender == initiatorSide() ? reply : request;
        return receivers != null && receivers.markers();
    }

    /** A direction began with something else than a startup frame. */
    void startupMissing() {
        withoutStartup = true;
        if (settings.guess()) {
            ReadTracker forwardReads = new ReadTracker(false);
            ReadTracker backwardReads = new ReadTracker(false);
            forward.guess(new SegmentInspector(false, forwardReads, backwardReads));
            backward.guess(new SegmentInspector(false, backwardReads, forwardReads));
        } else {
            ignore();
        }
    }

    /** Nothing more of this connection is shown. */
    void ignore() {
        forward.ignore();
        backward.ignore();
        forwardTcp.discard();
        backwardTcp.discard();
    }

    void show(StreamDecoder from, Frame.Builder frame, long offset, long timestampNanos) {
        if (number == 0) {
            number = numbers.next();
            output.connection(number, initiator + " > " + responder);
        }
        char direction = from == initiatorSide() ? '>' : '<';
        output.frame(frame.build(timestampNanos, number, direction, offset));
    }

    private StreamDecoder initiatorSide() {
        return swapped ? backward : forward;
    }

    private StreamDecoder peerOf(StreamDecoder side) {
        return side == forward ? backward : forward;
    }

    private void swapRoles() {
        swapped = !swapped;
        Endpoint before = initiator;
        initiator = responder;
        responder = before;
    }
}
