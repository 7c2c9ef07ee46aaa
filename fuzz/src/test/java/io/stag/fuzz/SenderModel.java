package io.stag.fuzz;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.rdmap.AtomicArithmetic;
import io.stag.wire.rdmap.TerminateCode;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every segment that the engine sends: it must be the next piece of the next request, or of the answer to the
 * peer's oldest one, with exactly the octets that memory holds. Nothing that the peer has no right to can get out.
 */
final class SenderModel {
    /** Requests with messages, in posting order, that were not sent to their end. */
    final ArrayDeque<Posted> requests = new ArrayDeque<>();

    /** Sign-of-life Reads asked for and not seen. */
    int probes;

    /** The Terminate's code, when there was one. */
    int terminateCode = -1;

    private final World world;
    private final Map<Integer, Reach> reaches;
    private final StreamSettings settings;
    private final ReceiverModel receiver;
    private final int longest;
    private boolean firstMessagePending;
    private boolean responding;
    private @Nullable Posted sending;
    private boolean payloadDone;
    private int sendMsn = 1;
    private int requestMsn = 1;
    private int responseMsn = 1;

    SenderModel(World world, Registry registry, StreamSettings settings, ReceiverModel receiver, int longest) {
        this.world = world;
        this.reaches = registry.reaches;
        this.settings = settings;
        this.receiver = receiver;
        this.longest = longest;
        firstMessagePending = settings.firstMessage() != null;
    }

    boolean isTerminated() {
        return terminateCode >= 0;
    }

    /** The engine sends this segment. */
    void sent(Segment segment) {
        Check.that(!isTerminated(), "nothing follows a Terminate");
        Check.that(segment.hasHeader() && segment.ulpdu().length <= longest, "a segment within MULPDU");
        Check.that(segment.version() == 1 && segment.rdmapVersion() == 1, "versions");
        int opcode = segment.opcode();
        boolean tagged = opcode == Segment.WRITE || opcode == Segment.READ_RESPONSE;
        Check.that(opcode <= Segment.ATOMIC_ANSWER && segment.isTagged() == tagged, "opcode and T");
        Check.that(tagged || segment.queue() == Segment.queueOf(opcode), "queue");
        switch (opcode) {
            case Segment.TERMINATE -> terminate(segment);
            case Segment.READ_RESPONSE -> readResponse(segment);
            case Segment.ATOMIC_ANSWER -> atomicResponse(segment);
            default -> {
                Check.that(!responding, "a response is finished before another message begins");
                if (firstMessagePending) {
                    firstMessage(segment);
                } else {
                    request(segment);
                }
            }
        }
    }

    private void terminate(Segment segment) {
        checkMessage(segment, 1, 0, true);
        Check.that(segment.payloadLength() >= 4, "a whole header");
        terminateCode = segment.u32(18) >>> 16;
        Check.that(TerminateCode.of(terminateCode).isPresent(), "a code that exists");
        int flags = segment.u32(18) >>> 13 & 7;
        int ddp = (flags & 2) == 0 ? 0 : (segment.ulpdu()[24] & 0x80) != 0 ? Segment.TAGGED : Segment.UNTAGGED;
        int rdma = (flags & 1) == 0 ? 0 : Segment.READ_REQUEST;
        Check.equal(segment.payloadLength(), 4 + (ddp == 0 ? 0 : 2 + ddp) + rdma, "length of the Terminate");
    }

    private void readResponse(Segment segment) {
        ReceiverModel.Incoming request = receiver.incoming.peek();
        Check.that(sending == null, "a message is finished before a response begins");
        Check.that(request != null && !request.isAtomic(), "a Read waits for its response");
        long left = request.size() - request.answered;
        int length = segment.payloadLength();
        Check.that(length <= left && segment.isLast() == (length == left), "not more than was asked for");
        Check.that(length > 0 || left == 0, "every segment brings something");
        Check.equal(segment.stag(), request.sinkStag(), "sink STag");
        Check.equal(segment.taggedOffset(), request.sinkOffset() + request.answered, "sink offset");
        if (length > 0) {
            Check.that(!request.dead, "an STag that is no longer valid gives nothing");
            Reach source = reaches.get(request.sourceStag());
            long from = request.sourceOffset() + request.answered;
            Check.that(source != null && source.allows(Rights.REMOTE_READ, from, length), "only what may be read");
            Check.that(Arrays.equals(segment.payload(), world.expected(source.at(from), length)), "what memory holds");
        }
        request.answered += length;
        responding = !segment.isLast();
        if (segment.isLast()) {
            receiver.incoming.remove();
        }
    }

    private void atomicResponse(Segment segment) {
        ReceiverModel.Incoming request = receiver.incoming.poll();
        Check.that(sending == null && !responding, "a message is finished before a response begins");
        Check.that(request != null && request.isAtomic(), "an atomic waits for its response");
        checkMessage(segment, responseMsn++, 0, true);
        Check.equal(segment.payloadLength(), Segment.ATOMIC_RESPONSE, "length");
        Check.equal(segment.u32(18), request.segment.u32(22), "request identifier");
        Check.that(!request.dead, "an STag that is no longer valid gives nothing");
        Reach target = reaches.get(request.sourceStag());
        Check.that(
                target != null && target.allows(Rights.REMOTE_ATOMIC, request.sourceOffset(), Long.BYTES),
                "only what may be changed");
        int at = target.at(request.sourceOffset());
        long original = world.expectedWord(at);
        Check.equal(segment.u64(22), original, "original value");
        Segment asked = request.segment;
        boolean add = (asked.u32(18) & 15) == 0;
        world.expectWord(
                at,
                add
                        ? AtomicArithmetic.fetchAdd(original, asked.u64(38), asked.u64(46))
                        : AtomicArithmetic.compareSwap(
                                original, asked.u64(54), asked.u64(62), asked.u64(38), asked.u64(46)));
    }

    /** Ready to receive: an empty message of the kind agreed on, before any other. */
    private void firstMessage(Segment segment) {
        firstMessagePending = false;
        ReadyToReceive kind = settings.firstMessage();
        Check.that(segment.isLast(), "L");
        if (kind == ReadyToReceive.READ) {
            Check.that(segment.opcode() == Segment.READ, "a Read first");
            ownRead(segment);
            return;
        }
        Check.equal(segment.opcode(), kind == ReadyToReceive.SEND ? Segment.SEND : Segment.WRITE, "first opcode");
        Check.equal(segment.payloadLength(), 0, "payload");
        if (kind == ReadyToReceive.SEND) {
            checkMessage(segment, sendMsn++, 0, true);
        }
    }

    private void ownRead(Segment segment) {
        checkMessage(segment, requestMsn, 0, true);
        Check.equal(segment.u32(30), 0, "size");
        var read = new Posted(0, WorkKind.READ, false);
        read.msn = requestMsn++;
        addOutstanding(read);
    }

    private void request(Segment segment) {
        Posted next = sending == null ? requests.peek() : sending;
        if (segment.opcode() == Segment.READ && probes > 0 && (next == null || segment.u32(34) == 0)) {
            Check.that(sending == null, "between messages");
            probes--;
            ownRead(segment);
            return;
        }
        Check.that(next != null, () -> "nobody asked for " + segment);
        if (sending == null) {
            sending = next;
            next.done = 0;
            payloadDone = next.kind == WorkKind.IMMEDIATE;
            Check.that(!next.readFence || receiver.outstanding.isEmpty(), "a fence waits for all Reads");
        }
        switch (next.kind) {
            case SEND -> send(segment, next);
            case WRITE, WRITE_IMMEDIATE, IMMEDIATE -> {
                if (payloadDone) {
                    immediate(segment, next);
                } else {
                    write(segment, next);
                }
            }
            case READ -> read(segment, next);
            case FETCH_ADD, COMPARE_SWAP -> atomic(segment, next);
            case INVALIDATE, BIND, FAST_REGISTER -> throw new AssertionError(next + " has no message");
        }
    }

    private void send(Segment segment, Posted next) {
        int opcode = Segment.SEND + (next.invalidate ? 1 : 0) + (next.solicited ? 2 : 0);
        Check.equal(segment.opcode(), opcode, "opcode of a Send");
        Check.equal(segment.stag(), next.invalidate ? next.remoteStag : 0, "STag to invalidate");
        checkPayload(segment, next);
        checkMessage(segment, sendMsn, next.done - segment.payloadLength(), next.done == next.length());
        if (segment.isLast()) {
            sendMsn++;
            finish();
        }
    }

    private void write(Segment segment, Posted next) {
        Check.equal(segment.opcode(), Segment.WRITE, "opcode of a Write");
        Check.equal(segment.stag(), next.remoteStag, "STag");
        Check.equal(segment.taggedOffset(), next.remoteOffset + next.done, "tagged offset");
        checkPayload(segment, next);
        Check.that(segment.isLast() == (next.done == next.length()), "L");
        if (segment.isLast()) {
            payloadDone = true;
            if (next.kind == WorkKind.WRITE) {
                finish();
            }
        }
    }

    private void immediate(Segment segment, Posted next) {
        Check.equal(
                segment.opcode(),
                next.solicited ? Segment.IMMEDIATE_DATA_SE : Segment.IMMEDIATE_DATA,
                "opcode of Immediate Data");
        checkMessage(segment, sendMsn++, 0, true);
        Check.equal(segment.payloadLength(), Segment.IMMEDIATE, "length");
        Check.equal(segment.u64(18), next.immediate, "value");
        finish();
    }

    private void read(Segment segment, Posted next) {
        Check.equal(segment.opcode(), Segment.READ, "opcode of a Read");
        checkMessage(segment, requestMsn, 0, true);
        Check.equal(segment.payloadLength(), Segment.READ_REQUEST, "length");
        Check.equal(segment.u32(30), next.length(), "size");
        Check.equal(segment.u32(34), next.remoteStag, "source STag");
        Check.equal(segment.u64(38), next.remoteOffset, "source offset");
        next.sinkStag = segment.u32(18);
        next.sinkOffset = segment.u64(22);
        next.msn = requestMsn++;
        finish();
        addOutstanding(next);
    }

    private void atomic(Segment segment, Posted next) {
        Check.equal(segment.opcode(), Segment.ATOMIC, "opcode of an atomic");
        checkMessage(segment, requestMsn, 0, true);
        Check.equal(segment.payloadLength(), Segment.ATOMIC_REQUEST, "length");
        Check.equal(segment.u32(18), next.kind == WorkKind.FETCH_ADD ? 0 : 2, "AOpCode");
        Check.equal(segment.u32(26), next.remoteStag, "STag");
        Check.equal(segment.u64(30), next.remoteOffset, "offset");
        next.sinkStag = segment.u32(22);
        next.msn = requestMsn++;
        finish();
        addOutstanding(next);
    }

    private void addOutstanding(Posted read) {
        receiver.outstanding.add(read);
        Check.that(receiver.outstanding.size() <= Math.max(1, settings.ord()), "never more than ORD outstanding");
    }

    private void finish() {
        Posted finished = requests.remove();
        finished.done = 0;
        sending = null;
    }

    private void checkPayload(Segment segment, Posted next) {
        int length = segment.payloadLength();
        byte[] expected = new byte[length];
        if (next.inline.length > 0) {
            System.arraycopy(next.inline, next.done, expected, 0, length);
        } else {
            next.forEach(
                    next.done,
                    length,
                    (piece, inPiece, at, step) -> System.arraycopy(
                            world.expected(piece.worldOffset() + inPiece, step), 0, expected, at, step));
        }
        Check.that(Arrays.equals(segment.payload(), expected), () -> "payload of " + next);
        Check.that(length > 0 || next.length() == 0, "every segment brings something");
        next.done += length;
    }

    private static void checkMessage(Segment segment, int msn, int messageOffset, boolean last) {
        Check.equal(segment.msn(), msn, "MSN");
        Check.equal(segment.messageOffset(), messageOffset, "message offset");
        Check.that(segment.isLast() == last, "L");
    }
}
