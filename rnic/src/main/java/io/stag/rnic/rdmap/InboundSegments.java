package io.stag.rnic.rdmap;

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
    private static final int REFUSED = -1;

    private final RdmaStream stream;
    private final InboundWrites writes;
    private final InboundMessages messages;
    private final InboundReads reads;
    private final InboundResponses responses;
    private final InboundTerminate terminates;
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();

    InboundSegments(RdmaStream stream) {
        this.stream = stream;
        writes = new InboundWrites(stream);
        messages = new InboundMessages(stream);
        reads = new InboundReads(stream);
        responses = new InboundResponses(stream);
        terminates = new InboundTerminate(stream);
    }

    /** {@return false when the segment broke a rule and the stream failed, or was a Terminate} */
    boolean accept(MemorySegment in, int offset, int length) {
        int opcode = checkHeader(in, offset, length);
        if (opcode == REFUSED) {
            return false;
        }
        boolean accepted = RdmapOpcode.isTagged(opcode)
                ? acceptTagged(in, offset, length, opcode)
                : acceptUntagged(in, offset, length, opcode);
        stream.terminate.forget();
        return accepted;
    }

    /** Like {@link #accept}, but takes only what carries nothing. It is not answered. */
    boolean acceptEmpty(MemorySegment in, int offset, int length) {
        return isEmpty(in, offset, length) && accept(in, offset, length);
    }

    private boolean isEmpty(MemorySegment in, int offset, int length) {
        if (length < TaggedHeader.LENGTH) {
            return false;
        }
        if (DdpControl.isTagged(DdpControl.ddpControl(in, offset))) {
            return length == TaggedHeader.LENGTH;
        }
        if (length < UntaggedHeader.LENGTH) {
            return false;
        }
        untagged.wrap(in, offset);
        int payload = length - UntaggedHeader.LENGTH;
        int opcode = DdpControl.opcode(DdpControl.rdmapControl(in, offset));
        return opcode == RdmapOpcode.READ_REQUEST
                ? reads.isReadOfNothing(in, offset + UntaggedHeader.LENGTH, payload)
                : messages.isReadyToReceive(untagged, opcode, payload);
    }

    /** What is the same for all segments. @return the opcode, or {@link #REFUSED} */
    private int checkHeader(MemorySegment in, int offset, int length) {
        if (length < TaggedHeader.LENGTH || length > Fpdu.MAX_ULPDU) {
            refuseSize(length);
            return REFUSED;
        }
        int controls = DdpControl.controls(in, offset);
        int control = DdpControl.ddpControl(controls);
        boolean isTagged = DdpControl.isTagged(control);
        if (!isTagged && length < UntaggedHeader.LENGTH) {
            refuseSize(length);
            return REFUSED;
        }
        stream.terminate.watch(in, offset, length);
        if (DdpControl.version(control) != DdpControl.VERSION) {
            stream.refuse(
                    isTagged ? TerminateCode.DDP_TAGGED_INVALID_VERSION : TerminateCode.DDP_UNTAGGED_INVALID_VERSION,
                    "a segment has DDP version " + DdpControl.version(control) + " instead of 1");
            return REFUSED;
        }
        int rdmapControl = DdpControl.rdmapControl(controls);
        if (DdpControl.rdmapVersion(rdmapControl) != DdpControl.RDMAP_VERSION) {
            stream.refuse(
                    TerminateCode.RDMAP_INVALID_VERSION,
                    "a segment has RDMAP version " + DdpControl.rdmapVersion(rdmapControl) + " instead of 1");
            return REFUSED;
        }
        int opcode = DdpControl.opcode(rdmapControl);
        if (!RdmapOpcode.isKnown(opcode) || RdmapOpcode.isTagged(opcode) != isTagged) {
            stream.refuse(
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    RdmapOpcode.name(opcode) + " (opcode " + opcode + ") in "
                            + (isTagged ? "a tagged segment" : "an untagged segment"));
            return REFUSED;
        }
        return opcode;
    }

    private boolean acceptTagged(MemorySegment in, int offset, int length, int opcode) {
        tagged.wrap(in, offset);
        int payload = length - TaggedHeader.LENGTH;
        if (opcode == RdmapOpcode.READ_RESPONSE) {
            return responses.acceptRead(
                    in, offset + TaggedHeader.LENGTH, payload, tagged.stag(), tagged.taggedOffset(), tagged.isLast());
        }
        return writes.accept(
                in, offset + TaggedHeader.LENGTH, payload, tagged.stag(), tagged.taggedOffset(), tagged.isLast());
    }

    private boolean acceptUntagged(MemorySegment in, int offset, int length, int opcode) {
        writes.countSegments(); // before a Send can invalidate what they went through
        untagged.wrap(in, offset);
        if (!checkQueue(opcode)) {
            return false;
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

    private boolean checkQueue(int opcode) {
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
        return true;
    }

    /** Those of a batch were accepted, or refused. */
    void endOfBatch() {
        writes.countSegments();
    }

    boolean isInsideSend() {
        return messages.isInsideSend();
    }

    @Nullable
    ReceiveWork takeReceiveInProgress() {
        return messages.takeReceiveInProgress();
    }

    private void refuseSize(int length) {
        // no header can be included: there is none, or the length cannot be trusted
        stream.refuse(
                TerminateCode.DDP_LOCAL_CATASTROPHIC,
                TerminateMessage.NO_HEADERS,
                "a segment of " + length + " octets; tagged ones have 14 to 64768, untagged ones 18 to 64768");
    }
}
