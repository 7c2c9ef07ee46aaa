package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.InvalidateResult;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.ScatterCursor;
import io.stag.rnic.work.ScatterList;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.SerialNumber;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Queue 0: Sends and Immediate Data. Each message takes one receive, even an empty one (RFC 5040, section 5.3). */
final class InboundMessages {
    private static final int NO_HEADERS = TerminateMessage.NO_HEADERS;

    private final RdmaStream stream;
    private final ImmediateData immediateData = new ImmediateData();
    private ReceiveWork spare = new ReceiveWork();
    private @Nullable ReceiveWork receive; // of the message that has begun and not ended
    private int opcode;
    private long placed;
    private final ScatterCursor cursor = new ScatterCursor();
    private int expectedMsn;

    InboundMessages(RdmaStream stream) {
        this.stream = stream;
        expectedMsn = stream.firstMsn;
    }

    boolean acceptSend(UntaggedHeader header, int segmentOpcode, MemorySegment in, int at, int payload) {
        if (isReadyToReceive(header, segmentOpcode, payload)) {
            expectedMsn = SerialNumber.next(expectedMsn); // it takes a buffer of the engine's own: nothing to hold
            return true;
        }
        ReceiveWork target = begin(header, segmentOpcode);
        if (target == null) {
            return false;
        }
        if (Integer.toUnsignedLong(header.messageOffset()) != placed) {
            return failReceive(
                    target,
                    TerminateCode.DDP_UNTAGGED_INVALID_MO,
                    CompletionStatus.LOC_LEN_ERR,
                    "message offset " + Integer.toUnsignedString(header.messageOffset()) + " where " + placed
                            + " was due");
        }
        if (payload > target.buffers.total() - placed) {
            return failReceive(
                    target,
                    TerminateCode.DDP_UNTAGGED_MESSAGE_TOO_LONG,
                    CompletionStatus.LOC_LEN_ERR,
                    "a Send of at least " + (placed + payload) + " octets came for a receive of "
                            + target.buffers.total());
        }
        return place(target, in, at, payload) && (!header.isLast() || deliver(target, header));
    }

    boolean acceptImmediate(UntaggedHeader header, int segmentOpcode, MemorySegment in, int at, int payload) {
        if (payload != ImmediateData.LENGTH || !header.isLast()) {
            return stream.refuse(
                    TerminateCode.RDMAP_OPERATION_UNSPECIFIED,
                    "Immediate Data with " + payload + " octets; it has 8, in one segment (RFC 7306 §6.3)");
        }
        ReceiveWork target = begin(header, segmentOpcode);
        if (target == null) {
            return false;
        }
        if (header.messageOffset() != 0) {
            return failReceive(
                    target,
                    TerminateCode.DDP_UNTAGGED_INVALID_MO,
                    CompletionStatus.LOC_LEN_ERR,
                    "Immediate Data with message offset " + Integer.toUnsignedString(header.messageOffset()));
        }
        immediateData.wrap(in, at);
        int flags = WorkCompletions.WITH_IMMEDIATE
                | (RdmapOpcode.solicitsEvent(segmentOpcode) ? WorkCompletions.SOLICITED : 0);
        finish(target, Operation.RECEIVE_IMMEDIATE, flags, immediateData.value(), 0);
        return true;
    }

    /** In the peer-to-peer model the first message only says that the initiator is there (RFC 6581, section 9.2). */
    boolean isReadyToReceive(UntaggedHeader header, int segmentOpcode, int payload) {
        return stream.isFirstSegment()
                && stream.settings.firstMessageTaken().contains(ReadyToReceive.SEND)
                && segmentOpcode == RdmapOpcode.SEND
                && payload == 0
                && header.isLast()
                && header.msn() == expectedMsn
                && header.messageOffset() == 0;
    }

    /** The receive that the segment's message uses: the one in progress, or the next of the queue. */
    private @Nullable ReceiveWork begin(UntaggedHeader header, int segmentOpcode) {
        if (header.msn() != expectedMsn) {
            stream.refuse(
                    TerminateCode.DDP_UNTAGGED_MSN_OUT_OF_RANGE,
                    RdmapOpcode.name(segmentOpcode) + " with MSN " + Integer.toUnsignedString(header.msn()) + " where "
                            + Integer.toUnsignedString(expectedMsn) + " was due");
            return null;
        }
        ReceiveWork target = receive;
        if (target != null) {
            if (segmentOpcode != opcode) {
                stream.refuse(
                        TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                        "a message that began as " + RdmapOpcode.name(opcode) + " goes on as "
                                + RdmapOpcode.name(segmentOpcode));
                return null;
            }
            return target;
        }
        target = stream.receives.take(spare);
        if (target == null) {
            stream.refuse(
                    TerminateCode.DDP_UNTAGGED_NO_BUFFER,
                    RdmapOpcode.name(segmentOpcode) + " with MSN " + Integer.toUnsignedString(header.msn())
                            + " came, but no receive is posted");
            return null;
        }
        stream.owner.receiveTaken();
        receive = target;
        opcode = segmentOpcode;
        placed = 0;
        cursor.reset();
        return target;
    }

    private boolean place(ReceiveWork target, MemorySegment in, int at, int length) {
        ScatterList buffers = target.buffers;
        int copied = 0;
        while (copied < length) {
            int step = cursor.step(buffers, length - copied);
            AccessCheck check = ScatterTarget.place(
                    stream, buffers.region(cursor.buffer()).grant(), cursor.offset(buffers), in, at + copied, step);
            if (check != AccessCheck.OK) {
                return failBuffer(target, check);
            }
            copied += step;
            cursor.advance(step);
        }
        placed += length;
        return true;
    }

    /** Our own buffer is at fault, so the peer learns no more than that (RDMA verbs, figure 23). */
    private boolean failBuffer(ReceiveWork target, AccessCheck check) {
        return failReceive(
                target,
                TerminateCode.RDMAP_LOCAL_CATASTROPHIC,
                check.localStatus(),
                "buffer " + cursor.buffer() + " of the receive: " + check.text());
    }

    private boolean deliver(ReceiveWork target, UntaggedHeader header) {
        int flags = RdmapOpcode.solicitsEvent(opcode) ? WorkCompletions.SOLICITED : 0;
        int invalidated = 0;
        if (RdmapOpcode.invalidates(opcode)) {
            // after the payload was placed and before the receive completes (RDMA verbs §8.2.2.1)
            invalidated = header.invalidateStag();
            InvalidateResult result = stream.stags.invalidate(
                    invalidated,
                    stream.domain,
                    stream.queuePair,
                    true,
                    stream.settings.allowRemoteRead() || stream.settings.allowRemoteWrite());
            if (result != InvalidateResult.OK) {
                return failReceive(
                        target,
                        TerminateCode.RDMAP_STAG_CANNOT_BE_INVALIDATED,
                        CompletionStatus.REM_INV_REQ_ERR,
                        "Send with Invalidate of STag 0x" + Integer.toHexString(invalidated) + ": " + result.text());
            }
            flags |= WorkCompletions.WITH_INVALIDATE;
        }
        finish(target, Operation.RECEIVE, flags, 0, invalidated);
        return true;
    }

    private void finish(ReceiveWork target, Operation operation, int flags, long immediate, int invalidatedStag) {
        expectedMsn = SerialNumber.next(expectedMsn);
        receive = null;
        spare = target;
        stream.counters.messagesReceived++;
        stream.counters.sendsReceived++;
        stream.owner.receiveCompleted(target, operation, placed, flags, immediate, invalidatedStag);
    }

    boolean isInsideSend() {
        return receive != null;
    }

    /** The receive in progress when the stream ends is flushed first of all. */
    @Nullable
    ReceiveWork takeReceiveInProgress() {
        ReceiveWork target = receive;
        receive = null;
        return target;
    }

    private boolean failReceive(ReceiveWork target, TerminateCode code, CompletionStatus status, String fact) {
        Layer layer = code.layer() == TerminateCode.Layer.DDP ? Layer.DDP : Layer.RDMAP;
        ErrorDetail detail = new ErrorDetail(layer, code.clause(), fact, code.wireValue());
        receive = null;
        stream.owner.receiveFailed(target, status, detail);
        stream.fail(
                code,
                code == TerminateCode.RDMAP_LOCAL_CATASTROPHIC ? NO_HEADERS : TerminateMessage.DDP_HEADER,
                new StreamFailure(detail, status, Origin.RECEIVE_WORK));
        return false;
    }
}
