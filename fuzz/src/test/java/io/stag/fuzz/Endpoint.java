package io.stag.fuzz;

import io.stag.fuzz.Posted.Piece;
import io.stag.fuzz.ReceiverModel.Completion;
import io.stag.fuzz.ReceiverModel.Verdict;
import io.stag.fuzz.World.Area;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.rdmap.StreamCounters;
import io.stag.rnic.rdmap.StreamFailure;
import io.stag.rnic.rdmap.StreamOwner;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.SendList;
import io.stag.rnic.work.SendQueue;
import io.stag.rnic.work.SendWork;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The engine with queues, memory and an owner, and both models around it. Every octet that goes in or out passes the
 * models, so whoever drives an endpoint need not check anything.
 */
final class Endpoint implements StreamOwner, PostingTarget {
    static final int DEPTH = 8;
    static final int MAX_INLINE = 48;

    private static final int OUTPUT = 2048;
    private static final int MOST_SEGMENTS = 4;
    private static final int MOST_PIECES = 50;

    /** What is expensive to make and used again by the next run. */
    static final class Parts {
        final World world = new World();
        private final StagingBuffer in = new StagingBuffer(SlowFraming.LONGEST_FPDU);
        private final StagingBuffer out = new StagingBuffer(OUTPUT);
    }

    final World world;
    final Registry registry;
    final SendList sends;
    final RdmaStream stream;
    final ReceiverModel receiver;
    final SenderModel sender;

    /** Completions until the local completion queue overflows. */
    int completionsLeft = Integer.MAX_VALUE;

    /** Something was posted that cannot be carried out, or not any more when its turn comes. */
    boolean mayFail;

    /** Where in SPARE the memory begins that fast registrations name. */
    int spareOffset;

    private final StreamSettings settings;
    private final StagingBuffer in;
    private final StagingBuffer out;
    private final SlowFraming framingIn;
    private final SlowFraming framingOut;
    private final SendQueue sendQueue = new SendQueue(DEPTH);
    private final ReceiveQueue receiveQueue = new ReceiveQueue(DEPTH, false);
    private final ReceiveList receives = new ReceiveList(receiveQueue, this);
    private final ArrayDeque<Posted> openSends = new ArrayDeque<>();
    private final ArrayDeque<Posted> openReceives = new ArrayDeque<>();
    private final StreamCounters counters = new StreamCounters();
    private byte[] arrived = {};
    private int positionIn;
    private SlowFraming.Found found = SlowFraming.Found.NOTHING;
    private int awaited;
    private int positionOut;
    private int failures;
    private int terminates;
    private int failedAt = Integer.MAX_VALUE;
    private @Nullable ErrorDetail failure;
    private boolean overflowed;
    private boolean lost;
    private boolean heard;
    private @Nullable Completion due;

    Endpoint(StreamSettings settings, Parts parts) {
        this.settings = settings;
        world = parts.world;
        world.reset();
        in = parts.in;
        in.clear();
        out = parts.out;
        out.clear();
        framingIn = new SlowFraming(settings.markersReceived());
        framingOut = new SlowFraming(settings.markersSent());
        registry = new Registry(world);
        receiver = new ReceiverModel(world, registry, settings);
        int mulpdu = Fpdu.mulpdu(settings.emss(), settings.markersSent());
        sender = new SenderModel(world, registry, settings, receiver, mulpdu);
        sends = new SendList(sendQueue, this);
        stream = new RdmaStream(
                settings,
                sendQueue,
                receiveQueue,
                registry.stags,
                Registry.DOMAIN,
                Registry.QUEUE_PAIR,
                this,
                counters);
    }

    /** The stream failed, the peer's Terminate came, or the connection is lost. */
    boolean isEnded() {
        return failures + terminates > 0 || lost;
    }

    /** The connection below broke; what was made but not taken is gone with it. */
    boolean isLost() {
        return lost;
    }

    /** Failed by its own or the peer's fault, rather than ended by a Terminate of the peer. */
    boolean isFailed() {
        return failures > 0;
    }

    boolean canPost() {
        return !isEnded() && sendQueue.size() < DEPTH;
    }

    boolean canPostReceive() {
        return !isEnded() && receiveQueue.size() < DEPTH;
    }

    /** Posts a receive into memory that is gone. */
    void postReceive(long id, Piece gone) {
        var receive = new Posted(id, WorkKind.SEND, true);
        receives.receive(id).into(gone.region(), 0, gone.length());
        receive.pieces.add(gone);
        posted(receive);
    }

    /** Posts a receive with such buffers, in octets of RECEIVES that no other open receive uses. */
    void postReceive(long id, int... lengths) {
        var receive = new Posted(id, WorkKind.SEND, true);
        SoftMemoryRegion region = registry.regions.get(Area.RECEIVES);
        int each = Area.RECEIVES.length / DEPTH;
        int at = (int) (id % DEPTH) * each;
        int end = at + each;
        receives.receive(id);
        for (int length : lengths) {
            int fits = Math.min(length, end - at);
            receives.into(region, at, fits);
            receive.pieces.add(new Piece(region, at, Area.RECEIVES.offset() + at, fits));
            at += fits;
        }
        posted(receive);
    }

    private void posted(Posted receive) {
        Check.equal(receives.post(), 1, "receives posted");
        openReceives.add(receive);
        receiver.receives.add(receive);
    }

    /** Notes a request that was just posted through {@link #sends}. */
    void posted(Posted request, int taken) {
        Check.equal(taken, 1, "requests posted");
        openSends.add(request);
        mayFail |= request.kind.awaitsResponse() && settings.ord() == 0;
        if (!request.kind.isLocal()) {
            sender.requests.add(request);
        }
    }

    /** The peer's octets arrive, so many at a time, but in no more than some dozen pieces. */
    void feed(byte[] octets, int wantedPiece) {
        int piece = Math.max(wantedPiece, octets.length / MOST_PIECES);
        for (int at = 0; at < octets.length; at += piece) {
            int step = Math.min(piece, octets.length - at);
            if (in.room() < step) {
                in.compact();
            }
            MemorySegment.copy(octets, at, in.segment(), ValueLayout.JAVA_BYTE, in.end(), step);
            in.append(step);
            int before = arrived.length;
            arrived = Arrays.copyOf(arrived, before + step);
            System.arraycopy(octets, at, arrived, before, step);
            while (receiveNext()) {
                continue;
            }
        }
    }

    /** Lets the engine have at most one FPDU. */
    private boolean receiveNext() {
        if (isEnded() || stream.outputFinished()) {
            Check.equal(stream.received(in, 1), 0, "FPDUs taken after the end");
            Check.equal(in.size(), 0, "octets kept after the end");
            world.check("after the end");
            arrived = new byte[0];
            return false;
        }
        if (arrived.length >= awaited) {
            found = framingIn.find(arrived, 0, positionIn);
            awaited = found.wireLength();
        }
        if (!found.whole()) {
            Check.equal(stream.received(in, 1), 0, "FPDUs taken of an incomplete one");
            Check.that(
                    stream.octetsNeeded() > 0 && stream.octetsNeeded() <= found.wireLength() - arrived.length,
                    "octets needed");
            world.check("an FPDU is incomplete");
            return false;
        }
        heard = true;
        boolean framed = found.markersRight() && (found.crcRight() || !settings.crc());
        var segment = new Segment(found.ulpdu());
        Verdict verdict = framed ? receiver.verdict(segment) : Verdict.REFUSE;
        due = framed ? receiver.completion : null;
        Posted touched = framed ? receiver.touched : null;
        int taken = stream.received(in, 1);
        Check.that(verdict != Verdict.ACCEPT || due == null, "a message completes its receive");
        due = null;
        judge(segment, verdict, touched, framed);
        Check.equal(taken, framed ? 1 : 0, "FPDUs taken");
        arrived = Arrays.copyOfRange(arrived, found.wireLength(), arrived.length);
        positionIn += found.wireLength();
        awaited = 0;
        return true;
    }

    private void judge(Segment segment, Verdict verdict, @Nullable Posted touched, boolean framed) {
        boolean accepted = !isEnded() || overflowed;
        switch (verdict) {
            case ACCEPT -> Check.that(accepted, () -> "refused: " + segment + ", " + failure);
            case REFUSE -> Check.that(isFailed() && !overflowed, () -> "accepted: " + segment);
            case TERMINATE -> Check.that(terminates == 1 && failures == 0, () -> "no end: " + segment);
            case EITHER -> {}
        }
        if (accepted && verdict != Verdict.TERMINATE) {
            receiver.apply();
        } else if (touched != null) {
            for (Piece piece : touched.pieces) {
                if (!piece.isGone()) {
                    world.allow(piece.worldOffset(), piece.length());
                }
            }
        }
        world.check(framed ? segment.toString() : "bad framing");
    }

    /** Lets the engine make output. */
    void transmit() {
        out.compact();
        int before = out.size();
        boolean wanted = stream.hasOutput();
        boolean wasEnded = isEnded();
        receiver.incoming.forEach(request -> request.dead |= registry.stags.lookup(request.sourceStag()) == null);
        stream.pollTransmit(out);
        Check.that(wasEnded || !isEnded() || overflowed || isFailureExplained(), () -> "failed by itself: " + failure);
        byte[] made = out.segment().asSlice(before, out.end() - before).toArray(ValueLayout.JAVA_BYTE);
        int at = 0;
        while (at < made.length) {
            Check.that(settings.initiator() || heard, "a responder sends nothing before it received something");
            SlowFraming.Found found = framingOut.find(made, at, positionOut);
            Check.that(found.whole(), "whole FPDUs only");
            Check.that(found.markersRight() && (found.crcRight() || !settings.crc()), "markers and CRC");
            var segment = new Segment(found.ulpdu());
            boolean afterFailure = isEnded() && before + at >= failedAt;
            Check.that(
                    !afterFailure || (failures > 0 && segment.opcode() == Segment.TERMINATE),
                    "only a Terminate after the end");
            sender.sent(segment);
            at += found.wireLength();
            positionOut += found.wireLength();
        }
        Check.that(!lost || made.length == 0, "nothing goes out when the connection is lost");
        Check.that(made.length == 0 || wanted, "output that was not announced");
        Check.that(before > 0 || made.length > 0 || !stream.hasOutput(), "output is announced and does not come");
        if (sender.isTerminated()) {
            Check.that(failure != null && failure.terminateCode() == sender.terminateCode, "Terminate code");
        }
        world.check("transmit");
    }

    /** A request of ours may be wrong, or the peer asked for memory that is not valid any more. */
    private boolean isFailureExplained() {
        return mayFail || receiver.incoming.stream().anyMatch(request -> request.dead);
    }

    /** The transport takes up to so many octets. */
    byte[] takeOutput(int limit) {
        int length = Math.min(limit, out.size());
        byte[] octets = out.segment().asSlice(out.start(), length).toArray(ValueLayout.JAVA_BYTE);
        out.consume(length);
        if (failedAt != Integer.MAX_VALUE) {
            failedAt -= length;
        }
        stream.transmitted(length);
        if (isEnded() && !lost && out.size() == 0 && !stream.hasOutput()) {
            Check.that(stream.outputFinished(), "the end of the stream is asked for");
            Check.equal(counters.terminatesSent, sender.isTerminated() ? 1 : 0, "Terminates");
            Check.that(
                    failures == 0 || sender.isTerminated() || !(settings.initiator() || heard),
                    "a failure is told to the peer");
        }
        return octets;
    }

    void probe() {
        if (!isEnded() && stream.probe()) {
            sender.probes++;
        }
    }

    /** The local program breaks off. */
    void terminate() {
        stream.terminate(
                TerminateCode.RDMAP_LOCAL_CATASTROPHIC,
                ErrorDetail.Layer.VERBS,
                "RDMA verbs §6.2.2",
                "by the program",
                StreamFailure.Origin.LOCAL);
    }

    /** The connection below breaks: nothing comes in or goes out any more. */
    void lose() {
        if (!lost) {
            stream.abandon();
            lost = true;
            end();
            out.clear();
        }
    }

    /** An FPDU came in, whatever it was. */
    boolean isHeard() {
        return heard;
    }

    /** After the end every request has completed, one way or the other. */
    void checkAllCompleted() {
        Check.that(openReceives.isEmpty(), () -> "receives without completion: " + openReceives);
        checkSendsCompleted();
    }

    void checkSendsCompleted() {
        openSends.removeIf(request -> !request.signaled);
        Check.that(openSends.isEmpty(), () -> "requests without completion: " + openSends);
    }

    // what the engine reports

    @Override
    public void sendCompleted(long id, Operation operation, long length) {
        Check.that(!isEnded(), "no success after the end");
        Posted completed = complete(id);
        Check.that(completed.signaled, () -> completed + " is not signalled");
        Check.that(completed.kind.operation() == operation, () -> completed + " completes as " + operation);
        Check.equal(length, completed.kind.awaitsResponse() ? completed.length() : 0, "length of what was read");
        countCompletion();
    }

    /** Completions come in order; unsignalled ones in between are over then. */
    private Posted complete(long id) {
        Posted next = openSends.poll();
        while (next != null && next.id != id && !next.signaled) {
            next = openSends.poll();
        }
        Check.that(next != null && next.id == id, "completion of " + id + " where another one is due");
        return next;
    }

    @Override
    public void receiveCompleted(
            ReceiveWork work, Operation operation, long length, int flags, long immediate, int invalidatedStag) {
        Completion expected = due;
        due = null;
        Check.that(expected != null, "a completion that is not due");
        Check.that(!isEnded(), "no success after the end");
        Check.equal(work.id, expected.receive().id, "receive");
        Check.that(openReceives.remove() == expected.receive(), "receives complete in order");
        Check.equal(length, expected.length(), "length");
        Check.equal(invalidatedStag, expected.invalidatedStag(), "invalidated STag");
        Check.that((flags & WorkCompletions.SOLICITED) != 0 == expected.solicited(), "solicited event");
        Check.that(operation == (expected.immediate() ? Operation.RECEIVE_IMMEDIATE : Operation.RECEIVE), "operation");
        countCompletion();
    }

    private void countCompletion() {
        if (--completionsLeft == 0) {
            overflowed = true;
            stream.terminate(
                    TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                    ErrorDetail.Layer.VERBS,
                    "RFC 5042 §6.4.6",
                    "overflow",
                    StreamFailure.Origin.LOCAL);
        }
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        Check.that(!isEnded(), "the completion comes before the failure");
        Check.that(status != CompletionStatus.SUCCESS, "status");
        Check.equal(openReceives.remove().id, work.id, "receive that failed");
    }

    @Override
    public void receiveTaken() {}

    @Override
    public void firstSegmentReceived() {
        Check.that(!settings.initiator() && heard, "only a responder waits for the first segment");
    }

    @Override
    public void failed(StreamFailure failure) {
        failures++;
        Check.that(failures + terminates == 1 && !lost, "ends once");
        this.failure = failure.detail();
        end();
    }

    @Override
    public void terminateReceived(ErrorDetail detail) {
        terminates++;
        Check.that(failures + terminates == 1 && !lost, "ends once");
        end();
    }

    /** Flushes everything, as the queue pair does. */
    private void end() {
        failedAt = out.size();
        ReceiveWork cut = stream.takeReceiveInProgress();
        if (cut != null) {
            Check.equal(openReceives.remove().id, cut.id, "receive in progress");
        }
        for (SendWork work = sendQueue.oldest(); work != null; work = sendQueue.oldest()) {
            complete(work.id);
            sendQueue.retire();
        }
        receiveQueue.drain(work -> Check.equal(openReceives.remove().id, work.id, "receive flushed"));
        checkAllCompleted();
    }

    // what the posting lists ask

    @Override
    public int domain() {
        return Registry.DOMAIN;
    }

    @Override
    public int maxSegments() {
        return MOST_SEGMENTS;
    }

    @Override
    public int maxInline() {
        return MAX_INLINE;
    }

    @Override
    public void checkPosting() {}

    @Override
    public void ringDoorbell() {}
}
