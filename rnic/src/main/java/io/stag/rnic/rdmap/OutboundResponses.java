package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.AtomicMemory;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.mpa.FpduEncoder;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.wire.SerialNumber;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Answers the peer's Reads and atomics in the order of their delivery. The source is looked up again for each
 * row of segments, so that an invalidation takes effect in the middle of a large Read. Payload is always staged and the CRC made from the
 * copy: the owner may change the memory meanwhile, which gives torn data but never a wrong CRC.
 */
final class OutboundResponses {

    enum Outcome {
        /** No room for the next segment. */
        FULL,
        /** A segment was staged; the response goes on. */
        MORE,
        /** The response is complete. */
        FINISHED,
        /** The source may not be read any more; the stream failed. */
        FAILED
    }

    private final RdmaStream stream;
    private final FpduEncoder encoder;
    private final SegmentRun run;
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();
    private final AtomicMemory.Original original = new AtomicMemory.Original();
    private int mulpdu;
    private int responseMsn;

    OutboundResponses(RdmaStream stream, FpduEncoder encoder, SegmentRun run) {
        this.stream = stream;
        this.encoder = encoder;
        this.run = run;
        responseMsn = stream.firstMsn;
    }

    void mulpdu(int octets) {
        mulpdu = octets;
    }

    Outcome emit(StagingBuffer out) {
        InboundRequest request = stream.inbound.oldest();
        Outcome outcome = request.atomic ? emitAtomic(out, request) : emitRead(out, request);
        if (outcome == Outcome.FINISHED) {
            stream.counters.messagesSent++;
            stream.inbound.removeOldest();
        }
        return outcome;
    }

    private Outcome emitRead(StagingBuffer out, InboundRequest request) {
        long left = request.size - request.answered;
        int length = (int) Math.min(left, mulpdu - TaggedHeader.LENGTH);
        int ulpdu = TaggedHeader.LENGTH + length;
        if (left > 2L * length) {
            int row = (int) Math.min((left - 1) / length, stream.howManyFit(out, encoder.longestWireLength(ulpdu)));
            if (row > 1) {
                return emitRow(out, request, length, row);
            }
        }
        if (!stream.fits(out, encoder.wireLength(ulpdu), RdmaStream.isShortEnd(request.answered, left))) {
            return Outcome.FULL;
        }
        int at = encoder.begin(out, ulpdu);
        tagged.wrap(out.segment(), at);
        tagged.put(
                length == left,
                DdpControl.rdmap(RdmapOpcode.READ_RESPONSE),
                request.sinkStag,
                request.sinkOffset + request.answered);
        if (length > 0 && !gather(request, length)) {
            return Outcome.FAILED;
        }
        endSegment();
        request.answered += length;
        if (length < left) {
            return Outcome.MORE;
        }
        if (request.size == 0) {
            stream.counters.emptyReadSegments++;
        }
        stream.counters.readsServed++;
        return Outcome.FINISHED;
    }

    /** Segments of the same length, the last of the response not among them. */
    private Outcome emitRow(StagingBuffer out, InboundRequest request, int length, int count) {
        long offset = request.sourceOffset + request.answered;
        Grant grant = stream.stags.lookup(request.sourceStag);
        AccessCheck check = checkSource(grant, offset, length * count);
        if (grant != null && check == AccessCheck.OK) {
            int made = run.appendTagged(
                    out,
                    RdmapOpcode.READ_RESPONSE,
                    request.sinkStag,
                    request.sinkOffset + request.answered,
                    grant.memory(),
                    grant.offsetOf(offset),
                    length,
                    count);
            stream.counters.segmentsSent += made;
            request.answered += (long) made * length;
            grant.entry().countRemoteReads(made);
            check = made == count ? AccessCheck.OK : AccessCheck.GONE;
        }
        if (check != AccessCheck.OK) {
            failRead(request, check);
            return Outcome.FAILED;
        }
        return Outcome.MORE;
    }

    private boolean gather(InboundRequest request, int length) {
        long offset = request.sourceOffset + request.answered;
        Grant grant = stream.stags.lookup(request.sourceStag);
        AccessCheck check = checkSource(grant, offset, length);
        if (grant != null && check == AccessCheck.OK) {
            check = encoder.gather(grant.memory(), grant.offsetOf(offset), TaggedHeader.LENGTH, length);
        }
        if (grant == null || check != AccessCheck.OK) {
            failRead(request, check);
            return false;
        }
        grant.entry().countRemoteReads(1);
        return true;
    }

    private AccessCheck checkSource(@Nullable Grant grant, long offset, int length) {
        return grant == null
                ? AccessCheck.INVALID_STAG
                : grant.check(stream.domain, stream.queuePair, Rights.REMOTE_READ, offset, length);
    }

    /** The Terminate shows what is left of the Read (RFC 5040, section 4.8). */
    private void failRead(InboundRequest request, AccessCheck check) {
        MemorySegment headers = rebuildOffender(RdmapOpcode.READ_REQUEST, ReadRequestHeader.LENGTH, request.msn);
        readRequest.wrap(headers, UntaggedHeader.LENGTH);
        readRequest.put(
                request.sinkStag,
                request.sinkOffset + request.answered,
                (int) (request.size - request.answered),
                request.sourceStag,
                request.sourceOffset + request.answered);
        stream.failAccess(
                AccessErrors.ofReadOrAtomic(check),
                TerminateMessage.READ_REQUEST,
                "RDMA Read of " + request.size + " octets, " + request.answered + " of them answered",
                request.sourceStag,
                request.sourceOffset + request.answered,
                check);
    }

    private MemorySegment rebuildOffender(int opcode, int headerLength, int msn) {
        MemorySegment headers = stream.terminate.rebuildOffender(UntaggedHeader.LENGTH + headerLength);
        untagged.wrap(headers, 0);
        untagged.put(true, DdpControl.rdmap(opcode), 0, RdmapOpcode.READ_REQUEST_QUEUE, msn, 0);
        return headers;
    }

    private Outcome emitAtomic(StagingBuffer out, InboundRequest request) {
        int ulpdu = UntaggedHeader.LENGTH + AtomicResponseHeader.LENGTH;
        if (!stream.fits(out, encoder.wireLength(ulpdu))) {
            return Outcome.FULL;
        }
        Grant grant = stream.stags.lookup(request.sourceStag);
        AccessCheck check = grant == null
                ? AccessCheck.INVALID_STAG
                : grant.check(
                        stream.domain,
                        stream.queuePair,
                        Rights.REMOTE_ATOMIC,
                        request.sourceOffset,
                        AtomicMemory.WIDTH);
        if (grant != null && check == AccessCheck.OK) {
            long offset = grant.offsetOf(request.sourceOffset);
            if (!AtomicMemory.isAligned(grant.memory(), offset)) {
                // aligned when it came: the owner registered other memory under the same STag since
                rebuildOffender(RdmapOpcode.ATOMIC_REQUEST, AtomicRequestHeader.LENGTH, request.msn);
                stream.refuse(
                        TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                        "atomic operation at offset 0x" + Long.toHexString(request.sourceOffset)
                                + ", whose address is no multiple of 8 any more (RFC 7306 §8.2)");
                return Outcome.FAILED;
            }
            check = execute(request, grant.memory(), offset);
        }
        if (grant == null || check != AccessCheck.OK) {
            rebuildOffender(RdmapOpcode.ATOMIC_REQUEST, AtomicRequestHeader.LENGTH, request.msn);
            stream.failAccess(
                    AccessErrors.ofReadOrAtomic(check),
                    TerminateMessage.DDP_HEADER,
                    "atomic operation",
                    request.sourceStag,
                    request.sourceOffset,
                    check);
            return Outcome.FAILED;
        }
        grant.entry().countRemoteReads(1);
        int at = encoder.begin(out, ulpdu);
        untagged.wrap(out.segment(), at);
        untagged.put(
                true,
                DdpControl.rdmap(RdmapOpcode.ATOMIC_RESPONSE),
                0,
                RdmapOpcode.ATOMIC_RESPONSE_QUEUE,
                responseMsn,
                0);
        responseMsn = SerialNumber.next(responseMsn);
        atomicResponse.wrap(out.segment(), (long) at + UntaggedHeader.LENGTH);
        atomicResponse.put(request.requestIdentifier, original.value());
        endSegment();
        stream.counters.atomicsServed++;
        return Outcome.FINISHED;
    }

    private AccessCheck execute(InboundRequest request, MemorySegment memory, long offset) {
        return request.atomicOpcode == AtomicRequestHeader.FETCH_ADD
                ? AtomicMemory.fetchAdd(memory, offset, request.operand, request.operandMask, original)
                : AtomicMemory.compareSwap(
                        memory,
                        offset,
                        request.compare,
                        request.compareMask,
                        request.operand,
                        request.operandMask,
                        original);
    }

    private void endSegment() {
        encoder.end();
        stream.counters.segmentsSent++;
    }
}
