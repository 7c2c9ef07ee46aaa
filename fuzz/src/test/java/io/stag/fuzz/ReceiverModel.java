package io.stag.fuzz;

import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.StagEntry;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.ArrayDeque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a receiver has to do with a segment, in the order of RFC 5041, section 7.1, and RFC 5040, section 7: once more, as
 * simply as possible. Says whether the engine has to take it and what then changes.
 */
final class ReceiverModel {
    enum Verdict {
        ACCEPT,
        REFUSE,
        /** Depends on what this model does not follow. */
        EITHER,
        TERMINATE
    }

    /** A Read or atomic of the peer that waits for its answer. */
    static final class Incoming {
        final Segment segment;
        int answered;

        /** Its STag is not valid any more, and none gets valid a second time in these tests. */
        boolean dead;

        Incoming(Segment segment) {
            this.segment = segment;
        }

        boolean isAtomic() {
            return segment.opcode() == Segment.ATOMIC;
        }

        int sinkStag() {
            return segment.u32(18);
        }

        long sinkOffset() {
            return segment.u64(22);
        }

        long size() {
            return Integer.toUnsignedLong(segment.u32(30));
        }

        int sourceStag() {
            return segment.u32(isAtomic() ? 26 : 34);
        }

        long sourceOffset() {
            return segment.u64(isAtomic() ? 30 : 38);
        }
    }

    /** A receive that must complete with the segment. */
    record Completion(Posted receive, int length, boolean solicited, boolean immediate, int invalidatedStag) {}

    /** Receives that no message has begun to fill. */
    final ArrayDeque<Posted> receives = new ArrayDeque<>();

    /** Our own Reads and atomics, oldest first. */
    final ArrayDeque<Posted> outstanding = new ArrayDeque<>();

    final ArrayDeque<Incoming> incoming = new ArrayDeque<>();

    private final World world;
    private final StagTable stags;
    private final Map<Integer, Reach> reaches;
    private final StreamSettings settings;
    private int sendMsn = 1;
    private int requestMsn = 1;
    private int responseMsn = 1;
    private boolean first = true;
    private int opcode;

    @Nullable
    Posted current;

    /** After ACCEPT or EITHER: the receive that completes, or null. */
    @Nullable
    Completion completion;

    /** After REFUSE: the request whose memory may have been written in part, or null. */
    @Nullable
    Posted touched;

    private @Nullable Runnable effect;

    ReceiverModel(World world, Registry registry, StreamSettings settings) {
        this.world = world;
        this.stags = registry.stags;
        this.reaches = registry.reaches;
        this.settings = settings;
    }

    int nextMsn(int queue) {
        return switch (queue) {
            case 0 -> sendMsn;
            case 1 -> requestMsn;
            case 3 -> responseMsn;
            default -> 1;
        };
    }

    /** Octets of the message in progress on queue 0. */
    int messageOffset() {
        return current == null ? 0 : current.done;
    }

    /** What the engine has to do. Changes nothing; {@link #apply} does. */
    Verdict verdict(Segment segment) {
        completion = null;
        touched = null;
        effect = null;
        if (!segment.hasHeader() || segment.ulpdu().length > 64768) {
            return Verdict.REFUSE;
        }
        int code = segment.opcode();
        boolean taggedMessage = code == Segment.WRITE || code == Segment.READ_RESPONSE;
        if (segment.version() != 1
                || segment.rdmapVersion() != 1
                || code > Segment.ATOMIC_ANSWER
                || segment.isTagged() != taggedMessage) {
            return Verdict.REFUSE;
        }
        if (code == Segment.TERMINATE) {
            return Verdict.TERMINATE;
        }
        if (!taggedMessage && segment.queue() != Segment.queueOf(code)) {
            return Verdict.REFUSE;
        }
        return switch (code) {
            case Segment.WRITE -> write(segment);
            case Segment.READ_RESPONSE -> readResponse(segment);
            case Segment.READ -> read(segment);
            case Segment.ATOMIC -> atomic(segment);
            case Segment.ATOMIC_ANSWER -> atomicResponse(segment);
            case Segment.IMMEDIATE_DATA, Segment.IMMEDIATE_DATA_SE -> immediate(segment);
            default -> send(segment);
        };
    }

    /** The engine took the segment. */
    void apply() {
        first = false;
        if (effect != null) {
            effect.run();
        }
    }

    private Verdict write(Segment segment) {
        int length = segment.payloadLength();
        if (length == 0) {
            return Verdict.ACCEPT;
        }
        Reach reach = valid(segment.stag());
        if (!settings.allowRemoteWrite()
                || reach == null
                || !reach.allows(Rights.REMOTE_WRITE, segment.taggedOffset(), length)) {
            return Verdict.REFUSE;
        }
        effect = () -> world.expect(reach.at(segment.taggedOffset()), segment.ulpdu(), Segment.TAGGED, length);
        return Verdict.ACCEPT;
    }

    private Verdict readResponse(Segment segment) {
        Posted read = outstanding.peek();
        int length = segment.payloadLength();
        if (read == null || read.kind != WorkKind.READ) {
            return Verdict.REFUSE;
        }
        int left = read.length() - read.done;
        boolean elsewhere = length > 0
                && (segment.stag() != read.sinkStag || segment.taggedOffset() != read.sinkOffset + read.done);
        if (elsewhere || length > left || segment.isLast() != (length == left)) {
            return Verdict.REFUSE;
        }
        if (!isWritable(read, length)) {
            touched = read;
            return Verdict.REFUSE;
        }
        effect = () -> {
            scatter(read, segment, Segment.TAGGED, length);
            if (segment.isLast()) {
                outstanding.remove();
            }
        };
        return segment.isLast() && read.invalidate ? Verdict.EITHER : Verdict.ACCEPT;
    }

    private Verdict read(Segment segment) {
        if (!isRequest(segment, Segment.READ_REQUEST)) {
            return Verdict.REFUSE;
        }
        var request = new Incoming(segment);
        Reach source = valid(request.sourceStag());
        if (request.size() > 0
                && (!settings.allowRemoteRead()
                        || source == null
                        || !source.allows(Rights.REMOTE_READ, request.sourceOffset(), request.size()))) {
            return Verdict.REFUSE;
        }
        effect = () -> queue(request);
        return Verdict.ACCEPT;
    }

    private Verdict atomic(Segment segment) {
        if (!isRequest(segment, Segment.ATOMIC_REQUEST) || !settings.allowRemoteRead()) {
            return Verdict.REFUSE;
        }
        var request = new Incoming(segment);
        int operation = segment.u32(18) & 15;
        Reach target = valid(request.sourceStag());
        if ((operation != 0 && operation != 2)
                || target == null
                || !target.allows(Rights.REMOTE_ATOMIC, request.sourceOffset(), Long.BYTES)
                || target.at(request.sourceOffset()) % Long.BYTES != 0) {
            return Verdict.REFUSE;
        }
        effect = () -> queue(request);
        return Verdict.ACCEPT;
    }

    private void queue(Incoming request) {
        requestMsn++;
        incoming.add(request);
        Check.that(incoming.size() <= settings.ird(), "never more than IRD requests wait");
    }

    private boolean isRequest(Segment segment, int length) {
        return segment.msn() == requestMsn
                && incoming.size() < settings.ird()
                && segment.isLast()
                && segment.messageOffset() == 0
                && segment.payloadLength() == length;
    }

    private Verdict atomicResponse(Segment segment) {
        Posted request = outstanding.peek();
        if (request == null
                || request.kind == WorkKind.READ
                || segment.msn() != responseMsn
                || segment.payloadLength() != Segment.ATOMIC_RESPONSE
                || !segment.isLast()
                || segment.messageOffset() != 0
                || segment.u32(18) != request.sinkStag) {
            return Verdict.REFUSE;
        }
        if (!isWritable(request, Long.BYTES)) {
            touched = request;
            return Verdict.REFUSE;
        }
        effect = () -> {
            responseMsn++;
            world.expectWord(request.pieces.getFirst().worldOffset(), segment.u64(22));
            outstanding.remove();
        };
        return Verdict.ACCEPT;
    }

    private Verdict immediate(Segment segment) {
        Posted receive = receives.peek();
        if (segment.payloadLength() != Segment.IMMEDIATE
                || !segment.isLast()
                || segment.msn() != sendMsn
                || current != null
                || receive == null
                || segment.messageOffset() != 0) {
            return Verdict.REFUSE;
        }
        completion = new Completion(receive, 0, segment.solicits(), true, 0);
        effect = () -> {
            sendMsn++;
            receives.remove();
        };
        return Verdict.ACCEPT;
    }

    private Verdict send(Segment segment) {
        int length = segment.payloadLength();
        boolean expected = segment.msn() == sendMsn;
        if (first
                && expected
                && segment.opcode() == Segment.SEND
                && length == 0
                && segment.isLast()
                && segment.messageOffset() == 0
                && settings.firstMessageTaken().contains(ReadyToReceive.SEND)) {
            effect = () -> sendMsn++;
            return Verdict.ACCEPT;
        }
        Posted receive = current == null ? receives.peek() : current;
        if (!expected
                || receive == null
                || (current != null && segment.opcode() != opcode)
                || Integer.toUnsignedLong(segment.messageOffset()) != receive.done
                || length > receive.length() - receive.done) {
            return Verdict.REFUSE;
        }
        if (!isWritable(receive, length)) {
            touched = receive;
            return Verdict.REFUSE;
        }
        boolean last = segment.isLast();
        boolean invalidating = last && segment.invalidates();
        if (last) {
            completion = new Completion(
                    receive, receive.done + length, segment.solicits(), false, invalidating ? segment.stag() : 0);
        }
        if (invalidating && !isNamed(segment.stag())) {
            touched = receive;
            return Verdict.REFUSE;
        }
        effect = () -> {
            if (current == null) {
                current = receives.remove();
                opcode = segment.opcode();
            }
            scatter(receive, segment, Segment.UNTAGGED, length);
            if (last) {
                sendMsn++;
                current = null;
            }
            Check.that(!invalidating || stags.lookup(segment.stag()) == null, "an invalidated STag is invalid");
        };
        if (invalidating) {
            touched = receive;
        }
        return invalidating ? Verdict.EITHER : Verdict.ACCEPT;
    }

    private boolean isNamed(int stag) {
        StagEntry entry = stags.entry(stag);
        return entry != null && entry.stag() == stag;
    }

    private @Nullable Reach valid(int stag) {
        return stags.lookup(stag) == null ? null : reaches.get(stag);
    }

    private static boolean isWritable(Posted request, int length) {
        boolean[] writable = {true};
        request.forEach(request.done, length, (piece, _, _, _) -> {
            Grant grant = piece.region().grant();
            writable[0] &= grant != null
                    && !piece.isGone()
                    && (grant.rights() & Rights.LOCAL_WRITE) != 0
                    && grant.length() >= piece.regionOffset() + piece.length();
        });
        return writable[0];
    }

    private void scatter(Posted request, Segment segment, int from, int length) {
        request.forEach(
                request.done,
                length,
                (piece, inPiece, at, step) ->
                        world.expect(piece.worldOffset() + inPiece, segment.ulpdu(), from + at, step));
        request.done += length;
    }
}
