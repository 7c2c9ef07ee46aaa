package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.mpa.FpduEncoder;
import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.rnic.work.ScatterCursor;
import io.stag.rnic.work.ScatterList;
import io.stag.rnic.work.SendWork;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.SerialNumber;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sending side of RDMAP and DDP: takes requests from the send queue in order, serves the peer's Reads and atomics in
 * between, and cuts messages into segments. A message is finished before the next begins.
 */
final class OutboundMessages {
    /** Responses sent in a row while own requests wait, so that neither side starves the other. */
    private static final int RESPONSE_BURST = 4;

    private final RdmaStream stream;
    private final FpduEncoder encoder;
    private final SegmentRun run;
    private final OutboundResponses responses;
    private final LocalOperations localOperations;
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final AtomicRequestHeader atomicRequest = new AtomicRequestHeader();
    private final ImmediateData immediateData = new ImmediateData();
    private final ScatterCursor cursor = new ScatterCursor();
    private @Nullable SplicedRequests spliced; // made with the first piece: not every stream has one

    private int mulpdu;
    private int sendMsn;
    private int requestMsn;
    private @Nullable SendWork work; // under way, if no response is
    private boolean responding;
    private @Nullable SendWork internal;
    private int burst;
    private long sent; // payload octets of the current message already staged
    private boolean payloadDone;

    OutboundMessages(RdmaStream stream) {
        this.stream = stream;
        sendMsn = stream.firstMsn;
        requestMsn = stream.firstMsn;
        StreamSettings settings = stream.settings;
        encoder = new FpduEncoder(settings.crc(), settings.markersSent(), 0, settings.emss());
        run = new SegmentRun(encoder);
        responses = new OutboundResponses(stream, encoder, run);
        segmentSize(settings.emss());
        localOperations = new LocalOperations(stream);
        ReadyToReceive first = settings.firstMessage();
        if (first != null) {
            internal = SendWork.internal(
                    switch (first) {
                        case SEND -> WorkKind.SEND;
                        case WRITE -> WorkKind.WRITE;
                        case READ -> WorkKind.READ;
                    });
        }
    }

    /** Segments from now on are made for TCP segments of this size. */
    void segmentSize(int emss) {
        encoder.segmentSize(emss);
        mulpdu = Fpdu.mulpdu(emss, stream.settings.markersSent());
        responses.mulpdu(mulpdu);
    }

    /** Queues a request of the engine itself, ahead of the send queue. @return false when such a one is under way */
    boolean offerInternal(SendWork request) {
        if (internal != null || (request.kind.awaitsResponse() && stream.outstanding.hasInternal())) {
            return false;
        }
        internal = request;
        return true;
    }

    boolean isBetweenMessages() {
        return !isUnderWay() && internal == null;
    }

    boolean hasWork() {
        return isUnderWay() || !stream.inbound.isEmpty() || next() != null;
    }

    /** Appends segments until there are no more, the next does not fit, or the stream failed. */
    void emit(StagingBuffer out) {
        while (isUnderWay() || startNext()) {
            SendWork message = work;
            if (!(message != null ? emitWork(out, message) : emitResponse(out))) {
                return;
            }
        }
    }

    private boolean isUnderWay() {
        return work != null || responding;
    }

    /** The Terminate is the last FPDU: queue 2, MSN 1 (RFC 5040, section 4.8). */
    boolean emitTerminate(StagingBuffer out) {
        TerminateMessage message = stream.terminate;
        int at =
                beginUntagged(out, message.length(), true, RdmapOpcode.TERMINATE, 0, RdmapOpcode.TERMINATE_QUEUE, 1, 0);
        if (at < 0) {
            return false;
        }
        MemorySegment.copy(message.payload(), 0, out.segment(), at, message.length());
        endSegment();
        return true;
    }

    private boolean startNext() {
        while (!stream.isStopped()) {
            SendWork next = next();
            boolean responsesWait = !stream.inbound.isEmpty();
            if (responsesWait && (next == null || (next != internal && burst < RESPONSE_BURST))) {
                burst++;
                responding = true;
                return true;
            }
            if (next == null) {
                return false;
            }
            burst = 0;
            if (next == internal) {
                internal = null;
            } else {
                stream.sends.started();
            }
            if (next.kind.isLocal()) {
                if (!localOperations.execute(next)) {
                    return false;
                }
                stream.completeInOrder();
                continue;
            }
            return begin(next);
        }
        return false;
    }

    /** What can start now. Ready-to-receive comes before anything else (RFC 6581, section 5). */
    private @Nullable SendWork next() {
        SendWork own = internal;
        return own == null || (own.kind.awaitsResponse() && stream.outstanding.isFull()) ? startable() : own;
    }

    /** The next request of the send queue, unless a fence or the number of outstanding Reads holds it back. */
    private @Nullable SendWork startable() {
        SendWork next = stream.sends.peekNext();
        if (next == null
                || (next.localFence && !stream.sends.nothingUnderWay())
                || (next.readFence && !stream.outstanding.isEmpty())) {
            return null;
        }
        return next.kind.awaitsResponse() && stream.outstanding.isFull() ? null : next;
    }

    private boolean begin(SendWork next) {
        if (next.kind.awaitsResponse()) {
            if (stream.settings.ord() == 0 && !next.internal) {
                return refuse(
                        next,
                        CompletionStatus.LOC_QP_OP_ERR,
                        "RDMA verbs §6.5",
                        "a Read or atomic was posted, but no outbound reads were agreed on (ORD 0)");
            }
            if (!checkBuffers(next, Rights.LOCAL_WRITE)) {
                return false;
            }
        } else if (next.inline == null && !checkBuffers(next, Rights.LOCAL_READ)) {
            return false;
        }
        work = next;
        sent = 0;
        payloadDone = next.kind == WorkKind.IMMEDIATE;
        cursor.reset();
        if (next.kind == WorkKind.SEND) {
            next.msn = sendMsn;
            sendMsn = SerialNumber.next(sendMsn);
        }
        return true;
    }

    private boolean checkBuffers(SendWork next, int right) {
        ScatterList buffers = next.buffers;
        for (int i = 0; i < buffers.count(); i++) {
            if (buffers.length(i) == 0) {
                continue; // a length of 0 is never checked (RDMA verbs §7.6.3)
            }
            Grant grant = buffers.region(i).grant();
            AccessCheck check = grant == null
                    ? AccessCheck.INVALID_STAG
                    : grant.check(
                            stream.domain,
                            stream.queuePair,
                            right,
                            grant.base() + buffers.offset(i),
                            buffers.length(i));
            if (grant == null || check != AccessCheck.OK) {
                return refuseBuffer(next, i, check);
            }
            buffers.pin(i, grant);
        }
        return true;
    }

    private boolean emitResponse(StagingBuffer out) {
        return switch (responses.emit(out)) {
            case FULL, FAILED -> false;
            case MORE -> true;
            case FINISHED -> {
                responding = false;
                yield true;
            }
        };
    }

    private boolean emitWork(StagingBuffer out, SendWork message) {
        return switch (message.kind) {
            case SEND -> emitSend(out, message);
            case WRITE, WRITE_IMMEDIATE -> payloadDone ? emitImmediate(out, message) : emitWrite(out, message);
            case IMMEDIATE -> emitImmediate(out, message);
            case READ -> emitReadRequest(out, message);
            case FETCH_ADD, COMPARE_SWAP -> emitAtomicRequest(out, message);
            case INVALIDATE, BIND, FAST_REGISTER -> throw new IllegalStateException(message.kind + " has no message");
        };
    }

    private boolean emitSend(StagingBuffer out, SendWork message) {
        long left = message.payloadLength() - sent;
        int length = (int) Math.min(left, mulpdu - UntaggedHeader.LENGTH);
        int row = segmentsInARow(out, message, UntaggedHeader.LENGTH, length, left);
        if (row > 1) {
            return emitRow(out, message, length, row);
        }
        int at = beginUntagged(
                out,
                length,
                length == left,
                sendOpcode(message),
                stagToInvalidate(message),
                RdmapOpcode.SEND_QUEUE,
                message.msn,
                (int) sent);
        if (at < 0) {
            return false;
        }
        if (!endWithPayload(message, UntaggedHeader.LENGTH, length)) {
            return false;
        }
        sent += length;
        if (length == left) {
            finishSending(out, message);
        }
        return true;
    }

    private static int sendOpcode(SendWork message) {
        if (message.solicited) {
            return message.invalidate
                    ? RdmapOpcode.SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE
                    : RdmapOpcode.SEND_WITH_SOLICITED_EVENT;
        }
        return message.invalidate ? RdmapOpcode.SEND_WITH_INVALIDATE : RdmapOpcode.SEND;
    }

    private static int stagToInvalidate(SendWork message) {
        return message.invalidate ? message.remoteStag : 0;
    }

    private boolean emitWrite(StagingBuffer out, SendWork message) {
        long left = message.payloadLength() - sent;
        int length = (int) Math.min(left, mulpdu - TaggedHeader.LENGTH);
        int row = segmentsInARow(out, message, TaggedHeader.LENGTH, length, left);
        if (row > 1) {
            return emitRow(out, message, length, row);
        }
        int ulpdu = TaggedHeader.LENGTH + length;
        if (!stream.fits(out, encoder.wireLength(ulpdu), RdmaStream.isShortEnd(sent, left))) {
            return false;
        }
        int at = encoder.begin(out, ulpdu);
        tagged.wrap(out.segment(), at);
        tagged.put(
                length == left,
                DdpControl.rdmap(RdmapOpcode.RDMA_WRITE),
                message.remoteStag,
                message.remoteOffset + sent);
        if (!endWithPayload(message, TaggedHeader.LENGTH, length)) {
            return false;
        }
        sent += length;
        if (length == left) {
            payloadDone = true;
            if (message.kind == WorkKind.WRITE) {
                finishSending(out, message);
            } else {
                stream.counters.messageSent(WorkKind.WRITE);
            }
        }
        return true;
    }

    /** How many segments of the same length can be copied from the present buffer, the last of the message not among them. */
    private int segmentsInARow(StagingBuffer out, SendWork message, int header, int payload, long left) {
        if (left <= 2L * payload || message.inline != null || mayStay(payload)) {
            return 0;
        }
        int here = cursor.step(message.buffers, (int) Math.min(left - 1, Integer.MAX_VALUE));
        return Math.min(here / payload, stream.howManyFit(out, encoder.longestWireLength(header + payload)));
    }

    /** Appends as many. @return false when the memory is gone; of its segment nothing is sent */
    private boolean emitRow(StagingBuffer out, SendWork message, int payload, int count) {
        long offset = cursor.offset(message.buffers);
        Grant grant = message.buffers.pinnedGrant(cursor.buffer());
        AccessCheck check = AccessCheck.INVALID_STAG;
        if (grant != null) {
            int made = appendRow(out, message, grant.memory(), offset, payload, count);
            stream.counters.segmentsSent += made;
            sent += (long) made * payload;
            cursor.advance(made * payload);
            check = made == count ? AccessCheck.OK : AccessCheck.GONE;
        }
        return check == AccessCheck.OK || refuseBuffer(message, cursor.buffer(), check);
    }

    private int appendRow(
            StagingBuffer out, SendWork message, MemorySegment memory, long offset, int payload, int count) {
        return message.kind == WorkKind.SEND
                ? run.appendUntagged(
                        out,
                        sendOpcode(message),
                        stagToInvalidate(message),
                        message.msn,
                        (int) sent,
                        memory,
                        offset,
                        payload,
                        count)
                : run.appendTagged(
                        out,
                        RdmapOpcode.RDMA_WRITE,
                        message.remoteStag,
                        message.remoteOffset + sent,
                        memory,
                        offset,
                        payload,
                        count);
    }

    private boolean emitImmediate(StagingBuffer out, SendWork message) {
        int at = beginUntagged(
                out,
                ImmediateData.LENGTH,
                true,
                message.solicited ? RdmapOpcode.IMMEDIATE_DATA_WITH_SOLICITED_EVENT : RdmapOpcode.IMMEDIATE_DATA,
                0,
                RdmapOpcode.SEND_QUEUE,
                sendMsn,
                0);
        if (at < 0) {
            return false;
        }
        sendMsn = SerialNumber.next(sendMsn);
        immediateData.wrap(out.segment(), at);
        immediateData.put(message.immediate);
        endSegment();
        finishSending(out, message);
        return true;
    }

    private boolean emitReadRequest(StagingBuffer out, SendWork message) {
        int at = beginRequest(out, ReadRequestHeader.LENGTH, RdmapOpcode.READ_REQUEST);
        if (at < 0) {
            return false;
        }
        if (message.buffers.count() > 0) {
            // Several pieces are one sink on the wire: the peer copies tag and offset back without looking at them.
            Grant sink = message.buffers.region(0).grant();
            message.sinkStag = message.buffers.region(0).stag();
            message.sinkOffset = (sink == null ? 0 : sink.base()) + message.buffers.offset(0);
        } else {
            message.sinkStag = 0;
            message.sinkOffset = 0;
            stream.counters.emptyReadSegments++;
        }
        readRequest.wrap(out.segment(), at);
        readRequest.put(
                message.sinkStag,
                message.sinkOffset,
                (int) message.buffers.total(),
                message.remoteStag,
                message.remoteOffset);
        finishRequest(message);
        return true;
    }

    private boolean emitAtomicRequest(StagingBuffer out, SendWork message) {
        int at = beginRequest(out, AtomicRequestHeader.LENGTH, RdmapOpcode.ATOMIC_REQUEST);
        if (at < 0) {
            return false;
        }
        message.sinkStag = requestMsn; // any number will do: responses come in order
        atomicRequest.wrap(out.segment(), at);
        if (message.kind == WorkKind.FETCH_ADD) {
            atomicRequest.putFetchAdd(
                    message.sinkStag, message.remoteStag, message.remoteOffset, message.operand, message.operandMask);
        } else {
            atomicRequest.putCompareSwap(
                    message.sinkStag,
                    message.remoteStag,
                    message.remoteOffset,
                    message.operand,
                    message.operandMask,
                    message.compare,
                    message.compareMask);
        }
        finishRequest(message);
        return true;
    }

    private int beginRequest(StagingBuffer out, int length, int opcode) {
        return beginUntagged(out, length, true, opcode, 0, RdmapOpcode.READ_REQUEST_QUEUE, requestMsn, 0);
    }

    private void finishRequest(SendWork message) {
        endSegment();
        message.msn = requestMsn;
        requestMsn = SerialNumber.next(requestMsn);
        message.placed = 0;
        stream.outstanding.append(message);
        finishMessage(message);
    }

    private void finishSending(StagingBuffer out, SendWork message) {
        message.endPosition = stream.positionAfter(out);
        finishMessage(message);
    }

    private void finishMessage(SendWork message) {
        stream.counters.messageSent(message.kind);
        work = null;
    }

    /** {@return where the payload goes, or -1 when the segment does not fit} */
    private int beginUntagged(
            StagingBuffer out,
            int payload,
            boolean last,
            int opcode,
            int invalidateStag,
            int queue,
            int msn,
            int messageOffset) {
        int ulpdu = UntaggedHeader.LENGTH + payload;
        boolean shortEnd = last && RdmaStream.isShortEnd(Integer.toUnsignedLong(messageOffset), payload);
        if (!stream.fits(out, encoder.wireLength(ulpdu), shortEnd)) {
            return -1;
        }
        int at = encoder.begin(out, ulpdu);
        untagged.wrap(out.segment(), at);
        untagged.put(last, DdpControl.rdmap(opcode), invalidateStag, queue, msn, messageOffset);
        return at + UntaggedHeader.LENGTH;
    }

    private void endSegment() {
        encoder.end();
        stream.counters.segmentsSent++;
    }

    /**
     * Adds the next {@code length} octets of payload to a segment whose header is written, and ends it. Large payload in
     * one piece stays where it is: the program may not change it before the request completes, so its CRC holds.
     *
     * @return false when the memory is gone; the segment is not sent
     */
    private boolean endWithPayload(SendWork message, int header, int length) {
        Splices splices = stream.splices();
        if (splices != null && mayStay(length) && isOnePiece(message, length)) {
            return splice(message, splices, header, length);
        }
        if (!gather(message, header, length)) {
            return false;
        }
        endSegment();
        return true;
    }

    /** Whether so much payload is left where it is, if it is in one piece. */
    private boolean mayStay(int length) {
        return stream.splices() != null && length >= stream.leastGathered() && encoder.canSplice();
    }

    private boolean isOnePiece(SendWork message, int length) {
        return message.inline == null && cursor.step(message.buffers, length) == length;
    }

    private boolean splice(SendWork message, Splices splices, int header, int length) {
        long offset = cursor.offset(message.buffers);
        Grant grant = message.buffers.pinnedGrant(cursor.buffer());
        AccessCheck check = AccessCheck.INVALID_STAG;
        if (grant != null) {
            spliced().note(splices.count(), message, cursor.buffer());
            check = encoder.splice(splices, header, grant, offset);
        }
        if (check != AccessCheck.OK) {
            return refuseBuffer(message, cursor.buffer(), check);
        }
        cursor.advance(length);
        stream.counters.segmentsSent++;
        return true;
    }

    private SplicedRequests spliced() {
        SplicedRequests requests = spliced;
        if (requests == null) {
            requests = new SplicedRequests();
            spliced = requests;
        }
        return requests;
    }

    /** The program took a piece away after it was polled and before the stream had anything of its FPDU. */
    void refuseGone(int piece) {
        if (!stream.isStopped()) {
            refuseBuffer(spliced().work(piece), spliced().buffer(piece), AccessCheck.GONE);
        }
    }

    /** Like {@link #refuseGone}, but no Terminate can follow a part of an FPDU. */
    void markGone(int piece) {
        if (!stream.isStopped()) {
            spliced().work(piece).failure = CompletionStatus.LOC_PROT_ERR;
        }
    }

    /** Copies the next {@code length} octets of payload. @return false when the memory is gone; the segment is not sent */
    private boolean gather(SendWork message, int header, int length) {
        MemorySegment inline = message.inline;
        if (inline != null) {
            return encoder.gather(inline, sent, header, length) == AccessCheck.OK; // the engine's own: always there
        }
        int copied = 0;
        while (copied < length) {
            int step = cursor.step(message.buffers, length - copied);
            long offset = cursor.offset(message.buffers);
            // asked for each time: the owner may have closed or invalidated the region in the meantime
            Grant grant = message.buffers.pinnedGrant(cursor.buffer());
            AccessCheck check = grant == null
                    ? AccessCheck.INVALID_STAG
                    : encoder.gather(grant.memory(), offset, header + copied, step);
            if (check != AccessCheck.OK) {
                return refuseBuffer(message, cursor.buffer(), check);
            }
            copied += step;
            cursor.advance(step);
        }
        return true;
    }

    private boolean refuseBuffer(SendWork message, int index, AccessCheck check) {
        ScatterList buffers = message.buffers;
        return refuse(
                message,
                check.localStatus(),
                "RFC 5040 §7.1",
                "buffer " + index + " of the " + message.kind + " (STag 0x"
                        + Integer.toHexString(buffers.region(index).stag()) + ", " + buffers.length(index)
                        + " octets from " + buffers.offset(index) + "): " + check.text());
    }

    /** An error while a message is made: a Terminate without headers takes its place (RFC 5040, section 7.1, rule 1). */
    private boolean refuse(SendWork message, CompletionStatus status, String clause, String fact) {
        work = null;
        responding = false;
        message.failure = status;
        stream.fail(
                TerminateCode.RDMAP_LOCAL_CATASTROPHIC,
                TerminateMessage.NO_HEADERS,
                new StreamFailure(
                        new ErrorDetail(Layer.RDMAP, clause, fact, TerminateCode.RDMAP_LOCAL_CATASTROPHIC.wireValue()),
                        status,
                        Origin.SEND_WORK));
        return false;
    }
}
