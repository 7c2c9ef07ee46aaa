package io.stag.cli.misbehave;

import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Our end of one TCP connection: can do a startup and the messages of rping as they should be done, and send any octets
 * instead. One thread uses it. Octets that the peer no longer takes are dropped; what it answered before counts.
 */
final class RawPeer implements AutoCloseable {
    private static final int OUR_STAG = 0x5354_4100;
    private static final int OUR_SIZE = 64;
    private static final int PROBE_SINK = 0x5052_4F00;
    private static final int QUEUES = 4;

    private final Socket socket;
    private final boolean initiator;
    private final Wishes wishes;
    private final Timing timing;
    private final int[] nextMsn = new int[QUEUES];
    private final List<Segment> segments = new ArrayList<>();
    private byte[] received = new byte[1 << 12];
    private int end;
    private StreamEnd streamEnd = StreamEnd.OPEN;
    private @Nullable PeerFrame frame;
    private boolean routine; // the startup is not what the case is about
    private FpduReader reader = new FpduReader(false, false);
    private boolean crc;
    private boolean markers;
    private int sent;
    private int given; // segments that a case has already taken

    RawPeer(Socket socket, boolean initiator, Wishes wishes, Timing timing) throws IOException {
        this.socket = socket;
        this.initiator = initiator;
        this.wishes = wishes;
        this.timing = timing;
        Arrays.fill(nextMsn, 1);
        socket.setTcpNoDelay(true);
    }

    Wishes wishes() {
        return wishes;
    }

    Timing timing() {
        return timing;
    }

    // ---- octets

    /** Sends octets as they are. */
    void octets(byte[] octets) {
        try {
            socket.getOutputStream().write(octets);
        } catch (IOException _) {
            // the peer has closed or reset; what it said before is still to be read
        }
    }

    /** Sends octets one by one, each after an interval, until the peer has had enough. */
    void drip(byte[] octets, Duration interval) {
        for (byte octet : octets) {
            octets(new byte[] {octet});
            long deadline = System.nanoTime() + interval.toNanos();
            while (pump(deadline)) {
                // whatever it says will be looked at later
            }
            if (streamEnd != StreamEnd.OPEN) {
                return;
            }
        }
    }

    /** FIN. */
    void finish() {
        try {
            socket.shutdownOutput();
        } catch (IOException _) {
            // the peer was quicker
        }
    }

    /** RST. */
    void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException _) {
            // the peer was quicker
        }
        streamEnd = StreamEnd.RESET;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    // ---- startup

    /** A startup as it should be; no part of what is observed. After it, both sides may send. */
    void start() {
        routine = true;
        if (!(initiator ? startWith(wishes, wishes.request()) : startWith(wishes, request -> wishes.reply(request)))) {
            throw new PeerUnusable(
                    "a startup without fault failed: " + (frame == null ? "" : frame.text() + ", ") + streamEnd.text());
        }
    }

    /** A startup as initiator, with any octets as Request; false when the peer did not accept. */
    boolean startWith(Wishes asked, byte[] request) {
        octets(request);
        Optional<PeerFrame> reply = awaitFrame(timing.answer());
        if (reply.isEmpty() || !reply.get().reply() || reply.get().reject()) {
            return false;
        }
        established(asked.crc() || reply.get().crc(), reply.get().markers(), asked.markers());
        awaitSettled();
        if (reply.get().peerToPeer()) {
            readyToReceive(reply.get().word().orElseThrow());
        }
        return true;
    }

    /** A startup as responder, with any octets as Reply; false when the peer did not send a first FPDU. */
    boolean startWith(Wishes asked, Function<PeerFrame, byte[]> reply) {
        PeerFrame request = awaitRequest();
        octets(reply.apply(request));
        established(asked.crc() || request.crc(), request.markers(), asked.markers());
        return awaitFirstMessage();
    }

    /** The peer's Request; it must come before a case can do anything with it. */
    PeerFrame awaitRequest() {
        return awaitFrame(timing.patience())
                .filter(PeerFrame::request)
                .orElseThrow(() -> new PeerUnusable("no Request came, " + streamEnd.text()));
    }

    private void readyToReceive(EnhancedWord reply) {
        if (reply.rtrWrite()) {
            say(Segment.write(1, 0, 0));
        } else if (reply.rtrRead()) {
            say(Segment.readRequest(takeMsn(RdmapOpcode.READ_REQUEST_QUEUE), OUR_STAG, 0, 1, 0));
        } else {
            say(Segment.send(takeMsn(RdmapOpcode.SEND_QUEUE), new byte[0]));
        }
    }

    /** Nothing may be sent by a responder before the first FPDU (RFC 5044, section 7.1.2). */
    private boolean awaitFirstMessage() {
        Optional<Segment> first = awaitSegment(timing.answer());
        if (first.isEmpty() || !first.get().hasHeader()) {
            return false;
        }
        if (first.get().opcode() == RdmapOpcode.READ_REQUEST) {
            answer(first.get().readRequest());
        } else if (first.get().opcode() == RdmapOpcode.SEND && first.get().payloadLength() > 0) {
            given--; // an announcement already
        }
        return true;
    }

    /** From now on octets are FPDUs. */
    void established(boolean crcUsed, boolean ourMarkers, boolean theirMarkers) {
        crc = crcUsed;
        markers = ourMarkers;
        reader = new FpduReader(theirMarkers, crcUsed);
    }

    private void awaitSettled() {
        long deadline = System.nanoTime() + timing.settle().toNanos();
        while (pump(deadline)) {
            // nothing is due; what comes is looked at later
        }
    }

    /** The peer's startup frame; empty when it did not come in time. */
    Optional<PeerFrame> awaitFrame(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        do {
            Optional<PeerFrame> found = end < MpaFrame.HEADER_LENGTH ? Optional.empty() : PeerFrame.read(received, end);
            if (found.isPresent()) {
                frame = found.get();
                end -= frame.length();
                System.arraycopy(received, frame.length(), received, 0, end);
                return found;
            }
        } while (pump(deadline));
        return Optional.empty();
    }

    /** The peer's frame, after a startup. */
    PeerFrame peerFrame() {
        if (frame == null) {
            throw new IllegalStateException("no startup yet");
        }
        return frame;
    }

    boolean usesCrc() {
        return crc;
    }

    boolean sendsMarkers() {
        return markers;
    }

    // ---- FPDUs

    void say(Segment segment) {
        say(OutgoingFpdu.of(segment));
    }

    void say(OutgoingFpdu fpdu) {
        octets(encode(fpdu));
    }

    /** The octets of an FPDU, which count as sent. */
    byte[] encode(OutgoingFpdu fpdu) {
        byte[] octets = fpdu.encode(markers, crc, sent);
        sent += octets.length;
        return octets;
    }

    byte[] encode(Segment segment) {
        return encode(OutgoingFpdu.of(segment));
    }

    /** Octets sent since the startup. */
    int sent() {
        return sent;
    }

    /** The next message sequence number of a queue. */
    int takeMsn(int queue) {
        return nextMsn[queue]++;
    }

    /** A Send with the right sequence number. */
    Segment send(int length) {
        return Segment.send(takeMsn(RdmapOpcode.SEND_QUEUE), new byte[length]);
    }

    /** A Read Request with the right sequence number. */
    Segment read(int stag, long offset, int size) {
        return Segment.readRequest(takeMsn(RdmapOpcode.READ_REQUEST_QUEUE), OUR_STAG, size, stag, offset);
    }

    /** A question that every live stream answers: an RDMA Read of nothing (RFC 5040, section 5.2.1). */
    Segment probe() {
        return probe(1, 0);
    }

    /** The same question with any source, which nobody may look at. */
    Segment probe(int stag, long offset) {
        return Segment.readRequest(takeMsn(RdmapOpcode.READ_REQUEST_QUEUE), PROBE_SINK, 0, stag, offset);
    }

    /** The next segment that no case has taken yet; empty when it did not come in time. */
    Optional<Segment> awaitSegment(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (given == segments.size()) {
            Optional<Segment> next = reader.next(received, end);
            if (next.isPresent()) {
                segments.add(next.get());
            } else if (!pump(deadline)) {
                return Optional.empty();
            }
        }
        return Optional.of(segments.get(given++));
    }

    /** Waits until something came, and leaves it to be looked at later. */
    void awaitAnswer() {
        if (awaitSegment(timing.answer()).isPresent()) {
            given--;
        }
    }

    private Segment await(int opcode, String what) {
        Optional<Segment> next = awaitSegment(timing.answer());
        while (next.isPresent()) {
            if (next.get().hasHeader() && next.get().opcode() == opcode) {
                return next.get();
            }
            next = awaitSegment(timing.answer());
        }
        throw new CaseSkipped("the peer " + what + "; is it rping or stag misbehave --target?");
    }

    // ---- the messages of rping

    /** Memory of the peer, learnt by the messages of rping. */
    Buffers buffers() {
        if (!initiator) {
            Segment announced = await(RdmapOpcode.SEND, "announced no buffer");
            if (announced.payloadLength() < Buffers.ANNOUNCEMENT) {
                throw new CaseSkipped("the peer's first message is no announcement of rping");
            }
            return new Buffers(
                    announced.payloadWord(8),
                    announced.payloadLong(0),
                    announced.payloadWord(12),
                    Buffers.special(announced));
        }
        ReadRequestHeader read = awaitRead();
        answer(read);
        Optional<Buffers.Special> special = Buffers.special(await(RdmapOpcode.SEND, "did not go on after its Read"));
        int size = special.map(Buffers.Special::size).orElse(Buffers.RPING_LIMIT);
        return new Buffers(read.sinkStag(), read.sinkTaggedOffset(), size, special);
    }

    /** Announces a buffer as rping's client does; the server reads it, into memory that it gives away by doing so. */
    ReadRequestHeader awaitRead() {
        byte[] announcement = new byte[Buffers.ANNOUNCEMENT];
        ByteBuffer.wrap(announcement).putLong(0).putInt(OUR_STAG).putInt(OUR_SIZE);
        say(Segment.send(takeMsn(RdmapOpcode.SEND_QUEUE), announcement));
        return await(RdmapOpcode.READ_REQUEST, "did not read the buffer we announced")
                .readRequest();
    }

    /** Answers a Read rightly. */
    void answer(ReadRequestHeader read) {
        say(Segment.readResponse(read.sinkStag(), read.sinkTaggedOffset(), read.messageSize()));
    }

    // ---- what came back

    /** Listens until the peer ends, answers a probe, or takes too long. */
    Observation observe(Duration limit) {
        int from = given;
        boolean alive = false;
        List<Finding> findings = new ArrayList<>();
        Optional<Segment> next = streamEnd == StreamEnd.RESET || awaitsFrame() ? Optional.empty() : awaitSegment(limit);
        while (next.isPresent()) {
            alive = isProbeAnswer(next.get());
            if (alive && next.get().payloadLength() > 0) {
                findings.add(Finding.violation(
                        "RDMAP-032", "RFC 5040 §5.2.1", "its answer to a Read of nothing is not empty"));
            }
            next = alive ? Optional.empty() : awaitSegment(limit);
        }
        if (awaitsFrame()) {
            awaitFrame(limit);
        }
        findings.addAll(reader.findings());
        return new Observation(
                routine ? Optional.empty() : Optional.ofNullable(frame),
                List.copyOf(segments.subList(from, segments.size())),
                alive,
                streamEnd,
                List.copyOf(findings));
    }

    private boolean awaitsFrame() {
        return frame == null;
    }

    private static boolean isProbeAnswer(Segment segment) {
        return segment.hasHeader()
                && segment.opcode() == RdmapOpcode.READ_RESPONSE
                && segment.isTagged()
                && segment.isLast()
                && segment.stag() == PROBE_SINK;
    }

    /** Reads once. False when the time is over or the peer's direction has ended. */
    private boolean pump(long deadlineNanos) {
        long millis = Math.ceilDiv(deadlineNanos - System.nanoTime(), 1_000_000);
        if (millis <= 0 || streamEnd != StreamEnd.OPEN) {
            return false;
        }
        if (end == received.length) {
            received = Arrays.copyOf(received, 2 * end);
        }
        try {
            socket.setSoTimeout((int) millis);
            int count = socket.getInputStream().read(received, end, received.length - end);
            if (count < 0) {
                streamEnd = StreamEnd.FIN;
                return false;
            }
            end += count;
            return true;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            streamEnd = StreamEnd.RESET;
            return false;
        }
    }
}
