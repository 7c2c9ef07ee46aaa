package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.work.ReceiveWork;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Receiving side of DDP and RDMAP: checks every field of a segment in the order of the layers, and only then places its
 * payload or hands it to the part of RDMAP it belongs to.
 */
final class InboundSegments {
    private static final int QUEUES = 4;

    private final RdmaStream stream;
    private final InboundMessages messages;
    private final InboundReads reads;
    private final InboundResponses responses;
    private final InboundTerminate terminates;
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();

    InboundSegments(RdmaStream stream) {
        this.stream = stream;
        messages = new InboundMessages(stream);
        reads = new InboundReads(stream);
        responses = new InboundResponses(stream);
        terminates = new InboundTerminate(stream);
    }

    /** {@return false when the segment broke a rule and the stream failed, or was a Terminate} */
    boolean accept(MemorySegment in, int offset, int length) {
        if (length < TaggedHeader.LENGTH || length > Fpdu.MAX_ULPDU) {
            return refuseSize(length);
        }
        int control = DdpControl.ddpControl(in, offset);
        boolean isTagged = DdpControl.isTagged(control);
        if (!isTagged && length < UntaggedHeader.LENGTH) {
            return refuseSize(length);
        }
        stream.terminate.keepOffender(in, offset, length);
        if (DdpControl.version(control) != DdpControl.VERSION) {
            return stream.refuse(
                    isTagged ? TerminateCode.DDP_TAGGED_INVALID_VERSION : TerminateCode.DDP_UNTAGGED_INVALID_VERSION,
                    "a segment has DDP version " + DdpControl.version(control) + " instead of 1");
        }
        int rdmapControl = DdpControl.rdmapControl(in, offset);
        if (DdpControl.rdmapVersion(rdmapControl) != DdpControl.RDMAP_VERSION) {
            return stream.refuse(
                    TerminateCode.RDMAP_INVALID_VERSION,
                    "a segment has RDMAP version " + DdpControl.rdmapVersion(rdmapControl) + " instead of 1");
        }
        int opcode = DdpControl.opcode(rdmapControl);
        if (!RdmapOpcode.isKnown(opcode) || RdmapOpcode.isTagged(opcode) != isTagged) {
            return stream.refuse(
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    RdmapOpcode.name(opcode) + " (opcode " + opcode + ") in "
                            + (isTagged ? "a tagged segment" : "an untagged segment"));
        }
        return isTagged ? acceptTagged(in, offset, length, opcode) : acceptUntagged(in, offset, length, opcode);
    }

    private boolean acceptTagged(MemorySegment in, int offset, int length, int opcode) {
        tagged.wrap(in, offset);
        int payload = length - TaggedHeader.LENGTH;
        if (opcode == RdmapOpcode.READ_RESPONSE) {
            return responses.acceptRead(
                    in, offset + TaggedHeader.LENGTH, payload, tagged.stag(), tagged.taggedOffset(), tagged.isLast());
        }
        // STag and offset of an empty segment are not looked at (RFC 5041, section 5.2)
        if (payload > 0 && !place(in, offset + TaggedHeader.LENGTH, payload)) {
            return false;
        }
        if (tagged.isLast()) {
            stream.counters.messagesReceived++;
            stream.counters.writesReceived++;
        }
        return true;
    }

    /** RDMA Write: nothing is delivered, the octets are just placed (RFC 5040, section 5.1). */
    private boolean place(MemorySegment in, int at, int payload) {
        int stag = tagged.stag();
        long taggedOffset = tagged.taggedOffset();
        if (!stream.settings.allowRemoteWrite()) {
            return stream.refuse(
                    TerminateCode.DDP_TAGGED_STAG_NOT_ASSOCIATED,
                    "RDMA Write to a queue pair that does not allow remote writes");
        }
        Grant grant = stream.stags.lookup(stag);
        AccessCheck check = AccessCheck.INVALID_STAG;
        if (grant != null) {
            check = grant.check(stream.domain, stream.queuePair, Rights.REMOTE_WRITE, taggedOffset, payload);
            if (check == AccessCheck.OK) {
                check = Placement.place(in, at, grant, taggedOffset, payload);
            }
            if (check == AccessCheck.OK) {
                grant.entry().countRemoteWrite();
                return true;
            }
            grant.entry().countRefused();
        }
        stream.failAccess(
                AccessErrors.ofTagged(check),
                TerminateMessage.DDP_HEADER,
                "RDMA Write of " + payload + " octets",
                stag,
                taggedOffset,
                check);
        return false;
    }

    private boolean acceptUntagged(MemorySegment in, int offset, int length, int opcode) {
        untagged.wrap(in, offset);
        int queue = untagged.queueNumber();
        if (opcode == RdmapOpcode.TERMINATE && queue != RdmapOpcode.TERMINATE_QUEUE) {
            return terminates.refuse("on queue " + Integer.toUnsignedString(queue));
        }
        if (Integer.compareUnsigned(queue, QUEUES) >= 0) {
            return stream.refuse(
                    TerminateCode.DDP_UNTAGGED_INVALID_QN,
                    RdmapOpcode.name(opcode) + " on queue " + Integer.toUnsignedString(queue) + "; there are 0 to 3");
        }
        if (queue != RdmapOpcode.queue(opcode)) {
            return stream.refuse(
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    RdmapOpcode.name(opcode) + " on queue " + queue + " instead of " + RdmapOpcode.queue(opcode));
        }
        int at = offset + UntaggedHeader.LENGTH;
        int payload = length - UntaggedHeader.LENGTH;
        return switch (opcode) {
            case RdmapOpcode.READ_REQUEST -> reads.acceptRead(untagged, in, at, payload);
            case RdmapOpcode.ATOMIC_REQUEST -> reads.acceptAtomic(untagged, in, at, payload);
            case RdmapOpcode.ATOMIC_RESPONSE -> responses.acceptAtomic(untagged, in, at, payload);
            case RdmapOpcode.TERMINATE -> terminates.accept(untagged, in, at, payload);
            case RdmapOpcode.IMMEDIATE_DATA, RdmapOpcode.IMMEDIATE_DATA_WITH_SOLICITED_EVENT ->
                messages.acceptImmediate(untagged, opcode, in, at, payload);
            default -> messages.acceptSend(untagged, opcode, in, at, payload);
        };
    }

    @Nullable
    ReceiveWork takeReceiveInProgress() {
        return messages.takeReceiveInProgress();
    }

    private boolean refuseSize(int length) {
        // no header can be included: there is none, or the length cannot be trusted
        return stream.refuse(
                TerminateCode.DDP_LOCAL_CATASTROPHIC,
                TerminateMessage.NO_HEADERS,
                "a segment of " + length + " octets; tagged ones have 14 to 64768, untagged ones 18 to 64768");
    }
}
