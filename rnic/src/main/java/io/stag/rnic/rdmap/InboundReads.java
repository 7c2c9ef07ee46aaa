package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.AtomicMemory;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Rights;
import io.stag.wire.SerialNumber;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;

/** Queue 1: the peer's Read and Atomic Requests. They are checked on arrival and wait for their turn to be answered. */
final class InboundReads {
    private final RdmaStream stream;
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final AtomicRequestHeader atomicRequest = new AtomicRequestHeader();
    private int expectedMsn;

    InboundReads(RdmaStream stream) {
        this.stream = stream;
        expectedMsn = stream.firstMsn;
    }

    boolean acceptRead(UntaggedHeader header, MemorySegment in, int at, int payload) {
        if (!isWhole(header, payload, ReadRequestHeader.LENGTH, "Read Request")) {
            return false;
        }
        readRequest.wrap(in, at);
        long size = Integer.toUnsignedLong(readRequest.messageSize());
        if (size > 0 && !stream.settings.allowRemoteRead()) {
            return stream.refuse(
                    TerminateCode.DDP_UNTAGGED_INVALID_QN,
                    "RDMA Read from a queue pair that does not allow remote reads");
        }
        // the source of an empty Read is not looked at (RFC 5040, section 5.2.1)
        if (size > 0) {
            AccessCheck check =
                    check(readRequest.sourceStag(), Rights.REMOTE_READ, readRequest.sourceTaggedOffset(), size);
            if (check != AccessCheck.OK) {
                stream.failAccess(
                        AccessErrors.ofReadOrAtomic(check),
                        TerminateMessage.READ_REQUEST,
                        "RDMA Read of " + size + " octets",
                        readRequest.sourceStag(),
                        readRequest.sourceTaggedOffset(),
                        check);
                return false;
            }
        }
        InboundRequest request = stream.inbound.append();
        request.atomic = false;
        request.msn = header.msn();
        request.sinkStag = readRequest.sinkStag();
        request.sinkOffset = readRequest.sinkTaggedOffset();
        request.size = size;
        if (size == 0) {
            stream.counters.emptyReadSegments++;
        }
        request.sourceStag = readRequest.sourceStag();
        request.sourceOffset = readRequest.sourceTaggedOffset();
        return delivered();
    }

    boolean isReadOfNothing(MemorySegment in, int at, int payload) {
        if (payload != ReadRequestHeader.LENGTH) {
            return false;
        }
        readRequest.wrap(in, at);
        return readRequest.messageSize() == 0;
    }

    boolean acceptAtomic(UntaggedHeader header, MemorySegment in, int at, int payload) {
        if (!isWhole(header, payload, AtomicRequestHeader.LENGTH, "Atomic Request")) {
            return false;
        }
        if (!stream.settings.allowRemoteRead()) {
            return stream.refuse(
                    TerminateCode.DDP_UNTAGGED_INVALID_QN,
                    "atomic operation on a queue pair that does not allow remote reads");
        }
        atomicRequest.wrap(in, at);
        int opcode = atomicRequest.atomicOpcode();
        if (opcode != AtomicRequestHeader.FETCH_ADD && opcode != AtomicRequestHeader.COMPARE_SWAP) {
            return stream.refuse(
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    "atomic opcode " + opcode + "; known are 0 (FetchAdd) and 2 (CmpSwap) (RFC 7306 §5.2.1)");
        }
        int stag = atomicRequest.remoteStag();
        long taggedOffset = atomicRequest.remoteTaggedOffset();
        AccessCheck check = check(stag, Rights.REMOTE_ATOMIC, taggedOffset, AtomicMemory.WIDTH);
        if (check != AccessCheck.OK) {
            stream.failAccess(
                    AccessErrors.ofReadOrAtomic(check),
                    TerminateMessage.DDP_HEADER,
                    "atomic operation",
                    stag,
                    taggedOffset,
                    check);
            return false;
        }
        Grant grant = stream.stags.lookup(stag);
        if (grant != null && !AtomicMemory.isAligned(grant.memory(), grant.offsetOf(taggedOffset))) {
            return stream.refuse(
                    TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                    "atomic operation at offset 0x" + Long.toHexString(taggedOffset)
                            + ", whose address is no multiple of 8 (RFC 7306 §8.2)");
        }
        InboundRequest request = stream.inbound.append();
        request.atomic = true;
        request.msn = header.msn();
        request.atomicOpcode = opcode;
        request.requestIdentifier = atomicRequest.requestIdentifier();
        request.sourceStag = stag;
        request.sourceOffset = taggedOffset;
        request.operand = atomicRequest.addOrSwapData();
        request.operandMask = atomicRequest.addOrSwapMask();
        request.compare = atomicRequest.compareData();
        request.compareMask = atomicRequest.compareMask();
        return delivered();
    }

    private boolean delivered() {
        expectedMsn = SerialNumber.next(expectedMsn);
        stream.counters.messagesReceived++;
        return true;
    }

    private boolean isWhole(UntaggedHeader header, int payload, int expected, String name) {
        if (header.msn() != expectedMsn) {
            return stream.refuse(
                    TerminateCode.DDP_UNTAGGED_MSN_OUT_OF_RANGE,
                    name + " with MSN " + Integer.toUnsignedString(header.msn()) + " where "
                            + Integer.toUnsignedString(expectedMsn) + " was due");
        }
        if (stream.inbound.isFull()) {
            return stream.refuse(
                    TerminateCode.DDP_UNTAGGED_MSN_OUT_OF_RANGE,
                    name + " beyond the " + stream.inbound.capacity() + " agreed on (IRD, RFC 5040 §6.1)");
        }
        if (!header.isLast() || header.messageOffset() != 0 || payload != expected) {
            return stream.refuse(
                    TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                    name + " with " + payload + " octets at message offset "
                            + Integer.toUnsignedString(header.messageOffset()) + "; it has " + expected
                            + ", in one segment");
        }
        return true;
    }

    private AccessCheck check(int stag, int right, long taggedOffset, long length) {
        Grant grant = stream.stags.lookup(stag);
        if (grant == null) {
            return AccessCheck.INVALID_STAG;
        }
        AccessCheck check = grant.check(stream.domain, stream.queuePair, right, taggedOffset, length);
        if (check != AccessCheck.OK) {
            grant.entry().countRefused();
        }
        return check;
    }
}
