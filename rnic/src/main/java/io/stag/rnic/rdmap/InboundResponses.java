package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.AtomicMemory;
import io.stag.rnic.memory.InvalidateResult;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.rnic.work.ScatterCursor;
import io.stag.rnic.work.ScatterList;
import io.stag.rnic.work.SendWork;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.wire.SerialNumber;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;

/** Answers to our Reads and atomics. They come in the order of the requests, so each belongs to the oldest one. */
final class InboundResponses {
    private final RdmaStream stream;
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();
    private int expectedMsn;
    private final ScatterCursor cursor = new ScatterCursor();

    InboundResponses(RdmaStream stream) {
        this.stream = stream;
        expectedMsn = stream.firstMsn;
    }

    boolean acceptRead(MemorySegment in, int at, int payload, int stag, long taggedOffset, boolean last) {
        SendWork read = stream.outstanding.oldest();
        if (read == null || read.kind != WorkKind.READ) {
            return stream.refuse(
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    "a Read Response came, but the oldest request outstanding is "
                            + (read == null ? "none" : read.kind));
        }
        // an empty segment's STag and offset are not looked at (RFC 5041, section 5.2)
        if (payload > 0 && stag != read.sinkStag) {
            return fail(
                    read,
                    TerminateCode.DDP_TAGGED_INVALID_STAG,
                    CompletionStatus.BAD_RESP_ERR,
                    String.format(
                            Locale.ROOT,
                            "a Read Response names STag 0x%08x; the request said 0x%08x",
                            stag,
                            read.sinkStag));
        }
        long left = read.buffers.total() - read.placed;
        boolean elsewhere = payload > 0 && taggedOffset != read.sinkOffset + read.placed;
        if (elsewhere || payload > left || last != (payload == left)) {
            return fail(
                    read,
                    TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS,
                    CompletionStatus.BAD_RESP_ERR,
                    String.format(
                            Locale.ROOT,
                            "a %s Read Response segment of %d octets at offset 0x%x; due are %d octets from 0x%x",
                            last ? "last" : "middle",
                            payload,
                            taggedOffset,
                            left,
                            read.sinkOffset + read.placed));
        }
        if (read.placed == 0) {
            cursor.reset();
        }
        if (!place(read, in, at, payload)) {
            return false;
        }
        if (read.buffers.count() == 0) {
            stream.counters.emptyReadSegments++;
        }
        return !last || deliver(read);
    }

    boolean acceptAtomic(UntaggedHeader header, MemorySegment in, int at, int payload) {
        SendWork atomic = stream.outstanding.oldest();
        if (atomic == null || atomic.kind == WorkKind.READ) {
            return stream.refuse(
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    "an Atomic Response came, but the oldest request outstanding is "
                            + (atomic == null ? "none" : atomic.kind));
        }
        if (header.msn() != expectedMsn) {
            return stream.refuse(
                    TerminateCode.DDP_UNTAGGED_MSN_OUT_OF_RANGE,
                    "an Atomic Response with MSN " + Integer.toUnsignedString(header.msn()) + " where "
                            + Integer.toUnsignedString(expectedMsn) + " was due");
        }
        if (payload != AtomicResponseHeader.LENGTH || !header.isLast() || header.messageOffset() != 0) {
            return stream.refuse(
                    TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                    "an Atomic Response with " + payload + " octets; it has 12, in one segment");
        }
        atomicResponse.wrap(in, at);
        if (atomicResponse.originalRequestIdentifier() != atomic.sinkStag) {
            return stream.refuse(
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    "an Atomic Response for request " + atomicResponse.originalRequestIdentifier()
                            + "; the oldest outstanding is " + atomic.sinkStag);
        }
        expectedMsn = SerialNumber.next(expectedMsn);
        // the result goes to memory in the byte order of this machine (RFC 7306, section 5.1)
        in.set(ValueLayout.JAVA_LONG_UNALIGNED, at, atomicResponse.originalRemoteDataValue());
        cursor.reset();
        return place(atomic, in, at, AtomicMemory.WIDTH) && deliver(atomic);
    }

    private boolean deliver(SendWork request) {
        if (request.invalidate) {
            int sink = request.buffers.region(0).stag();
            InvalidateResult invalidated = stream.stags.invalidate(sink, stream.domain, stream.queuePair, false, false);
            if (invalidated != InvalidateResult.OK) {
                return fail(
                        request,
                        TerminateCode.RDMAP_LOCAL_CATASTROPHIC,
                        CompletionStatus.MW_BIND_ERR,
                        String.format(
                                Locale.ROOT,
                                "the sink of a Read with local invalidation, STag 0x%08x: %s",
                                sink,
                                invalidated.text()));
            }
        }
        stream.counters.messagesReceived++;
        stream.outstanding.removeOldest();
        request.endPosition = SendWork.DONE;
        stream.completeInOrder();
        return true;
    }

    private boolean place(SendWork request, MemorySegment in, int at, int length) {
        ScatterList buffers = request.buffers;
        int copied = 0;
        while (copied < length) {
            int step = cursor.step(buffers, length - copied);
            AccessCheck check = ScatterTarget.place(
                    stream, buffers.pinnedGrant(cursor.buffer()), cursor.offset(buffers), in, at + copied, step);
            if (check != AccessCheck.OK) {
                return failBuffer(request, check);
            }
            copied += step;
            cursor.advance(step);
        }
        request.placed += length;
        return true;
    }

    private boolean failBuffer(SendWork request, AccessCheck check) {
        return fail(
                request,
                request.kind == WorkKind.READ
                        ? AccessErrors.ofTagged(check)
                        : TerminateCode.RDMAP_LOCAL_CATASTROPHIC, // no fault of the untagged response
                check.localStatus(),
                "buffer " + cursor.buffer() + " of the " + request.kind + ": " + check.text());
    }

    private boolean fail(SendWork request, TerminateCode code, CompletionStatus status, String fact) {
        request.failure = status;
        Layer layer = code.layer() == TerminateCode.Layer.DDP ? Layer.DDP : Layer.RDMAP;
        stream.fail(
                code,
                layer == Layer.DDP ? TerminateMessage.DDP_HEADER : TerminateMessage.NO_HEADERS,
                new StreamFailure(
                        new ErrorDetail(layer, code.clause(), fact, code.wireValue()), status, Origin.SEND_WORK));
        return false;
    }
}
