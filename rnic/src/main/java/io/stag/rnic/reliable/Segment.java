package io.stag.rnic.reliable;

import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;

/** The DDP segment at hand, of a datagram that just came or of one that was kept. Filled again and again. */
final class Segment {
    private final TaggedHeader taggedHeader = new TaggedHeader();
    private final UntaggedHeader untaggedHeader = new UntaggedHeader();

    MemorySegment memory = MemorySegment.NULL;
    int at; // of its header
    int length; // with its header
    int payloadAt;
    int payload;
    boolean tagged;
    boolean last;
    int opcode;

    Segment() {}

    /** Takes a segment apart. @return false when it is none of RDMAP's */
    boolean read(MemorySegment segment, int from, int octets) {
        if (octets < TaggedHeader.LENGTH) {
            return false;
        }
        int controls = DdpControl.controls(segment, from);
        int control = DdpControl.ddpControl(controls);
        int rdmap = DdpControl.rdmapControl(controls);
        memory = segment;
        at = from;
        length = octets;
        tagged = DdpControl.isTagged(control);
        last = DdpControl.isLast(control);
        opcode = DdpControl.opcode(rdmap);
        int headerLength = tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        if (DdpControl.version(control) != DdpControl.VERSION
                || DdpControl.rdmapVersion(rdmap) != DdpControl.RDMAP_VERSION
                || octets < headerLength
                || !RdmapOpcode.isKnown(opcode)
                || RdmapOpcode.isTagged(opcode) != tagged) {
            return false;
        }
        payloadAt = from + headerLength;
        payload = octets - headerLength;
        if (tagged) {
            taggedHeader.wrap(segment, from);
            return true;
        }
        untaggedHeader.wrap(segment, from);
        return untaggedHeader.queueNumber() == RdmapOpcode.queue(opcode);
    }

    int stag() {
        return taggedHeader.stag();
    }

    long taggedOffset() {
        return taggedHeader.taggedOffset();
    }

    int msn() {
        return untaggedHeader.msn();
    }

    int messageOffset() {
        return untaggedHeader.messageOffset();
    }

    int invalidateStag() {
        return untaggedHeader.invalidateStag();
    }

    String name() {
        return RdmapOpcode.name(opcode);
    }
}
