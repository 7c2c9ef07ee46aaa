package io.stag.rnic.reliable;

import io.stag.rnic.datagram.ReceivePool;
import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.AtomicMemory;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.InvalidateResult;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.RecentLookup;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.rdmap.AccessErrors;
import io.stag.rnic.reliable.PeerFaults.Shown;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.ScatterCopy;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;

/** RDMAP for segments in their order: Sends, Writes, Reads and atomics of peers. Answers to our own are elsewhere. */
final class InboundOperations {
    /** What became of a segment. */
    enum Outcome {
        /** It took effect. */
        TAKEN,
        /** It cannot be taken now, and may come again. */
        NOT_READY,
        /** It broke a rule; the peer is told. */
        REFUSED
    }

    private final ReliableSettings settings;
    private final ReliableCounts counts;
    private final StagTable stags;
    private final RecentLookup recent;
    private final ReceivePool receives;
    private final ScatterCopy copy;
    private final ReliableOwner owner;
    private final Requests requests;
    private final Conversations conversations;
    private final PeerFaults faults;
    private final InboundAnswers answers;
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final AtomicRequestHeader atomicRequest = new AtomicRequestHeader();
    private final ImmediateData immediateData = new ImmediateData();
    private final DatagramInfo info = new DatagramInfo();

    InboundOperations(
            ReliableSettings settings,
            ReliableCounts counts,
            StagTable stags,
            ReceivePool receives,
            ScatterCopy copy,
            ReliableOwner owner,
            Requests requests,
            Conversations conversations,
            PeerFaults faults,
            InboundAnswers answers) {
        this.settings = settings;
        this.counts = counts;
        this.stags = stags;
        recent = new RecentLookup(stags);
        this.receives = receives;
        this.copy = copy;
        this.owner = owner;
        this.requests = requests;
        this.conversations = conversations;
        this.faults = faults;
        this.answers = answers;
    }

    /** Lets the segment that is due take effect. */
    Outcome take(Source source, Segment segment, long nowNanos) {
        return switch (segment.opcode) {
            case RdmapOpcode.RDMA_WRITE -> write(source, segment, nowNanos);
            case RdmapOpcode.READ_REQUEST -> readRequest(source, segment, nowNanos);
            case RdmapOpcode.ATOMIC_REQUEST -> atomicRequest(source, segment, nowNanos);
            case RdmapOpcode.READ_RESPONSE -> answers.readResponse(source, segment, nowNanos);
            case RdmapOpcode.ATOMIC_RESPONSE -> answers.atomicResponse(source, segment, nowNanos);
            case RdmapOpcode.TERMINATE -> answers.terminate(source, segment);
            case RdmapOpcode.IMMEDIATE_DATA, RdmapOpcode.IMMEDIATE_DATA_WITH_SOLICITED_EVENT ->
                immediate(source, segment, nowNanos);
            default -> send(source, segment, nowNanos);
        };
    }

    /** Places a Write that came early. @return false when it may not be placed; it is looked at again in its turn */
    boolean placeEarly(Segment segment) {
        return check(segment) == AccessCheck.OK && place(segment) == AccessCheck.OK;
    }

    private Outcome write(Source source, Segment segment, long nowNanos) {
        AccessCheck check = check(segment);
        if (check == AccessCheck.OK) {
            check = place(segment);
        }
        if (check != AccessCheck.OK) {
            faults.refuseAccess(
                    source,
                    segment,
                    Shown.DDP_HEADER,
                    AccessErrors.ofTagged(check),
                    "RDMA Write of " + segment.payload + " octets",
                    segment.stag(),
                    segment.taggedOffset(),
                    check,
                    nowNanos);
            return Outcome.REFUSED;
        }
        if (segment.last) {
            counts.messagesReceived++;
        }
        return Outcome.TAKEN;
    }

    /** An empty segment's STag and offset are not looked at (RFC 5041, section 5.2). */
    private AccessCheck check(Segment segment) {
        if (segment.payload == 0) {
            return AccessCheck.OK;
        }
        return settings.allowRemoteWrite()
                ? check(segment.stag(), Rights.REMOTE_WRITE, segment.taggedOffset(), segment.payload)
                : AccessCheck.RIGHTS;
    }

    private AccessCheck check(int stag, int right, long taggedOffset, long length) {
        Grant grant = recent.lookup(stag);
        if (grant == null) {
            return AccessCheck.INVALID_STAG;
        }
        AccessCheck check = grant.check(settings.domain(), settings.queuePair(), right, taggedOffset, length);
        if (check != AccessCheck.OK) {
            grant.entry().countRefused();
        }
        return check;
    }

    private AccessCheck place(Segment segment) {
        Grant grant = segment.payload == 0 ? null : recent.lookup(segment.stag());
        if (grant == null) {
            return AccessCheck.OK;
        }
        AccessCheck check =
                Placement.place(segment.memory, segment.payloadAt, grant, segment.taggedOffset(), segment.payload);
        if (check == AccessCheck.OK) {
            grant.entry().countRemoteWrites(1);
        }
        return check;
    }

    private Outcome send(Source source, Segment segment, long nowNanos) {
        if (!beginsOrGoesOn(source, segment, nowNanos)) {
            return source.failed ? Outcome.REFUSED : Outcome.NOT_READY;
        }
        ReceiveWork receive = receive(source);
        if (Integer.toUnsignedLong(segment.messageOffset()) != source.placed) {
            return refuseReceive(
                    source,
                    segment,
                    receive,
                    TerminateCode.DDP_UNTAGGED_INVALID_MO,
                    CompletionStatus.LOC_LEN_ERR,
                    "message offset " + Integer.toUnsignedString(segment.messageOffset()) + " where " + source.placed
                            + " was due",
                    nowNanos);
        }
        if (segment.payload > receive.buffers.total() - source.placed) {
            return refuseReceive(
                    source,
                    segment,
                    receive,
                    TerminateCode.DDP_UNTAGGED_MESSAGE_TOO_LONG,
                    CompletionStatus.LOC_LEN_ERR,
                    "a Send of at least " + (source.placed + segment.payload) + " octets came for a receive of "
                            + receive.buffers.total(),
                    nowNanos);
        }
        AccessCheck check =
                copy.place(receive.buffers, source.placed, segment.memory, segment.payloadAt, segment.payload);
        if (check != AccessCheck.OK) {
            return refuseBuffer(source, segment, receive, check, nowNanos);
        }
        source.placed += segment.payload;
        return segment.last ? deliver(source, segment, receive, nowNanos) : Outcome.TAKEN;
    }

    private static ReceiveWork receive(Source source) {
        ReceiveWork receive = source.receive;
        if (receive == null) {
            throw new IllegalStateException("no message has begun");
        }
        return receive;
    }

    /** The receive of the message that the segment belongs to: the one in progress, or the next of the queue. */
    private boolean beginsOrGoesOn(Source source, Segment segment, long nowNanos) {
        if (segment.msn() != source.sendMsn) {
            faults.refuse(
                    source,
                    segment,
                    Shown.DDP_HEADER,
                    TerminateCode.DDP_UNTAGGED_MSN_OUT_OF_RANGE,
                    msnText(segment, source.sendMsn),
                    nowNanos);
            return false;
        }
        if (source.receive != null) {
            if (segment.opcode != source.opcode) {
                faults.refuse(
                        source,
                        segment,
                        Shown.DDP_HEADER,
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        "a message that began as " + RdmapOpcode.name(source.opcode) + " goes on as " + segment.name(),
                        nowNanos);
                return false;
            }
            return true;
        }
        ReceiveWork receive = receives.take();
        if (receive == null) {
            return false;
        }
        AccessCheck check = copy.pin(receive.buffers, Rights.LOCAL_WRITE);
        source.receive = receive;
        source.opcode = (byte) segment.opcode;
        source.placed = 0;
        if (check != AccessCheck.OK) {
            refuseBuffer(source, segment, receive, check, nowNanos);
            return false;
        }
        return true;
    }

    private static String msnText(Segment segment, int expected) {
        return segment.name() + " with MSN " + Integer.toUnsignedString(segment.msn()) + " where "
                + Integer.toUnsignedString(expected) + " was due";
    }

    private Outcome deliver(Source source, Segment segment, ReceiveWork receive, long nowNanos) {
        int flags = RdmapOpcode.solicitsEvent(segment.opcode) ? WorkCompletions.SOLICITED : 0;
        int invalidated = 0;
        if (RdmapOpcode.invalidates(segment.opcode)) {
            // after the payload was placed and before the receive completes (RDMA verbs §8.2.2.1)
            invalidated = segment.invalidateStag();
            InvalidateResult result = stags.invalidate(
                    invalidated,
                    settings.domain(),
                    settings.queuePair(),
                    true,
                    settings.allowRemoteRead() || settings.allowRemoteWrite());
            if (result != InvalidateResult.OK) {
                return refuseReceive(
                        source,
                        segment,
                        receive,
                        TerminateCode.RDMAP_STAG_CANNOT_BE_INVALIDATED,
                        CompletionStatus.REM_INV_REQ_ERR,
                        "Send with Invalidate of STag 0x" + Integer.toHexString(invalidated) + ": " + result.text(),
                        nowNanos);
            }
            flags |= WorkCompletions.WITH_INVALIDATE;
        }
        complete(source, receive, Operation.RECEIVE, flags, 0, invalidated);
        return Outcome.TAKEN;
    }

    private Outcome immediate(Source source, Segment segment, long nowNanos) {
        if (segment.payload != ImmediateData.LENGTH || !segment.last || segment.messageOffset() != 0) {
            faults.refuse(
                    source,
                    segment,
                    Shown.DDP_HEADER,
                    TerminateCode.RDMAP_OPERATION_UNSPECIFIED,
                    "Immediate Data with " + segment.payload + " octets; it has 8, in one segment (RFC 7306 §6.3)",
                    nowNanos);
            return Outcome.REFUSED;
        }
        if (!beginsOrGoesOn(source, segment, nowNanos)) {
            return source.failed ? Outcome.REFUSED : Outcome.NOT_READY;
        }
        immediateData.wrap(segment.memory, segment.payloadAt);
        int flags = WorkCompletions.WITH_IMMEDIATE
                | (RdmapOpcode.solicitsEvent(segment.opcode) ? WorkCompletions.SOLICITED : 0);
        complete(source, receive(source), Operation.RECEIVE_IMMEDIATE, flags, immediateData.value(), 0);
        return Outcome.TAKEN;
    }

    private void complete(
            Source source, ReceiveWork receive, Operation operation, int flags, long immediate, int invalidated) {
        source.sendMsn++;
        source.receive = null;
        counts.messagesReceived++;
        var address = source.peer.address;
        info.setSource(address.high(), address.low(), address.port(), address.scope());
        info.setMessage(0, 0, source.placed, source.placed);
        owner.receiveCompleted(receive, operation, source.placed, flags, immediate, invalidated, info);
        receives.done(receive);
    }

    /** Our own buffer is at fault, so the peer learns no more than that (RDMA verbs, figure 23). */
    private Outcome refuseBuffer(
            Source source, Segment segment, ReceiveWork receive, AccessCheck check, long nowNanos) {
        return refuseReceive(
                source,
                segment,
                receive,
                TerminateCode.RDMAP_LOCAL_CATASTROPHIC,
                check.localStatus(),
                "a buffer of the receive: " + check.text(),
                nowNanos);
    }

    private Outcome refuseReceive(
            Source source,
            Segment segment,
            ReceiveWork receive,
            TerminateCode code,
            CompletionStatus status,
            String fact,
            long nowNanos) {
        source.receive = null;
        Layer layer = code.layer() == TerminateCode.Layer.DDP ? Layer.DDP : Layer.RDMAP;
        owner.receiveFailed(receive, status, new ErrorDetail(layer, code.clause(), fact, code.wireValue()));
        receives.done(receive);
        boolean own = code == TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
        faults.refuse(source, segment, own ? Shown.NONE : Shown.DDP_HEADER, code, fact, nowNanos);
        return Outcome.REFUSED;
    }

    private Outcome readRequest(Source source, Segment segment, long nowNanos) {
        if (!isWholeRequest(source, segment, ReadRequestHeader.LENGTH, nowNanos)) {
            return Outcome.REFUSED;
        }
        if (source.waitingRequests >= settings.maxReads()) {
            return Outcome.NOT_READY;
        }
        readRequest.wrap(segment.memory, segment.payloadAt);
        long size = Integer.toUnsignedLong(readRequest.messageSize());
        int stag = readRequest.sourceStag();
        long offset = readRequest.sourceTaggedOffset();
        // the source of an empty Read is not looked at (RFC 5040, section 5.2.1)
        AccessCheck check = size == 0
                ? AccessCheck.OK
                : settings.allowRemoteRead() ? check(stag, Rights.REMOTE_READ, offset, size) : AccessCheck.RIGHTS;
        if (check != AccessCheck.OK) {
            faults.refuseAccess(
                    source,
                    segment,
                    Shown.READ_REQUEST,
                    AccessErrors.ofReadOrAtomic(check),
                    "RDMA Read of " + size + " octets",
                    stag,
                    offset,
                    check,
                    nowNanos);
            return Outcome.REFUSED;
        }
        Outgoing answer = answer(source, Outgoing.Kind.READ_RESPONSE, nowNanos);
        answer.requestMsn = segment.msn();
        answer.sinkStag = readRequest.sinkStag();
        answer.sinkOffset = readRequest.sinkTaggedOffset();
        answer.sourceStag = stag;
        answer.sourceOffset = offset;
        answer.size = size;
        return Outcome.TAKEN;
    }

    private Outgoing answer(Source source, Outgoing.Kind kind, long nowNanos) {
        Outgoing answer = requests.newMessage(kind);
        answer.epoch = source.epoch;
        answer.source = source;
        answer.answeredStream = source.stream;
        answer.takesPlace = true;
        source.requestMsn++;
        source.waitingRequests++;
        counts.messagesReceived++;
        Conversation conversation = conversations.with(source.peer, nowNanos);
        conversation.responses.append(answer);
        conversations.ready(conversation);
        return answer;
    }

    /** It is carried out when its answer begins, after the Reads before it. */
    private Outcome atomicRequest(Source source, Segment segment, long nowNanos) {
        if (!isWholeRequest(source, segment, AtomicRequestHeader.LENGTH, nowNanos)) {
            return Outcome.REFUSED;
        }
        if (source.waitingRequests >= settings.maxReads()) {
            return Outcome.NOT_READY;
        }
        atomicRequest.wrap(segment.memory, segment.payloadAt);
        int opcode = atomicRequest.atomicOpcode();
        if (opcode != AtomicRequestHeader.FETCH_ADD && opcode != AtomicRequestHeader.COMPARE_SWAP) {
            faults.refuse(
                    source,
                    segment,
                    Shown.DDP_HEADER,
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    "atomic opcode " + opcode + "; known are 0 (FetchAdd) and 2 (CmpSwap) (RFC 7306 §5.2.1)",
                    nowNanos);
            return Outcome.REFUSED;
        }
        int stag = atomicRequest.remoteStag();
        long taggedOffset = atomicRequest.remoteTaggedOffset();
        AccessCheck check = settings.allowRemoteRead()
                ? check(stag, Rights.REMOTE_ATOMIC, taggedOffset, AtomicMemory.WIDTH)
                : AccessCheck.RIGHTS;
        Grant grant = stags.lookup(stag);
        if (check == AccessCheck.OK && grant != null) {
            long offset = grant.offsetOf(taggedOffset);
            if (!AtomicMemory.isAligned(grant.memory(), offset)) {
                faults.refuse(
                        source,
                        segment,
                        Shown.DDP_HEADER,
                        TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                        "atomic operation at offset 0x" + Long.toHexString(taggedOffset)
                                + ", whose address is no multiple of 8 (RFC 7306 §8.2)",
                        nowNanos);
                return Outcome.REFUSED;
            }
        }
        if (grant == null || check != AccessCheck.OK) {
            faults.refuseAccess(
                    source,
                    segment,
                    Shown.DDP_HEADER,
                    AccessErrors.ofReadOrAtomic(check == AccessCheck.OK ? AccessCheck.INVALID_STAG : check),
                    "atomic operation",
                    stag,
                    taggedOffset,
                    check,
                    nowNanos);
            return Outcome.REFUSED;
        }
        Outgoing answer = answer(source, Outgoing.Kind.ATOMIC_RESPONSE, nowNanos);
        answer.requestMsn = segment.msn();
        answer.sinkStag = atomicRequest.requestIdentifier();
        answer.sourceStag = stag;
        answer.sourceOffset = taggedOffset;
        answer.atomic.set(atomicRequest);
        return Outcome.TAKEN;
    }

    private boolean isWholeRequest(Source source, Segment segment, int expected, long nowNanos) {
        if (segment.msn() != source.requestMsn) {
            faults.refuse(
                    source,
                    segment,
                    Shown.DDP_HEADER,
                    TerminateCode.DDP_UNTAGGED_MSN_OUT_OF_RANGE,
                    msnText(segment, source.requestMsn),
                    nowNanos);
            return false;
        }
        if (!segment.last || segment.messageOffset() != 0 || segment.payload != expected) {
            faults.refuse(
                    source,
                    segment,
                    Shown.DDP_HEADER,
                    TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                    segment.name() + " with " + segment.payload + " octets; it has " + expected + ", in one segment",
                    nowNanos);
            return false;
        }
        return true;
    }

    /** A stream is over: the receive of a message that will not be complete takes another one. */
    void giveUp(Source source) {
        ReceiveWork receive = source.receive;
        if (receive != null) {
            source.receive = null;
            receives.giveBack(receive);
        }
    }
}
