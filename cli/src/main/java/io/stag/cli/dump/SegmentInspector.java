package io.stag.cli.dump;

import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads the DDP segments of one direction and checks what can be seen from outside: header fields, message sequence
 * numbers, offsets, and which Reads the peer answers. What depends on the receiver's memory cannot be judged here.
 */
final class SegmentInspector {
    private static final String DDP_HEADER = "RFC 5041 §4.1";
    private static final String DDP_VALIDITY = "RFC 5041 §7.1";
    private static final String DDP_SEGMENTS = "RFC 5041 §5.2";
    private static final String RDMAP_OPCODES = "RFC 5040 §4.1";
    private static final String RDMAP_VALIDITY = "RFC 5040 §7.2";
    private static final HexFormat HEX = HexFormat.of();
    private static final List<String> SHORT_NAMES = List.of(
            "Write",
            "Read Request",
            "Read Response",
            "Send",
            "Send Inv",
            "Send SE",
            "Send SE Inv",
            "Terminate",
            "Immediate",
            "Immediate SE",
            "Atomic Request",
            "Atomic Response");

    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final MessageText messageText = new MessageText();
    private final UntaggedOrder order;
    private final TaggedOrder write = new TaggedOrder();
    private final ReadTracker ownReads;
    private final ReadTracker peerReads;
    private boolean terminated;

    /**
     * An inspector of one direction.
     *
     * @param fromStart whether the stream is seen from its first FPDU on
     * @param ownReads Reads requested in this direction
     * @param peerReads Reads requested in the other direction, which this one answers
     */
    SegmentInspector(boolean fromStart, ReadTracker ownReads, ReadTracker peerReads) {
        this.order = new UntaggedOrder(fromStart);
        this.ownReads = ownReads;
        this.peerReads = peerReads;
    }

    /** Octets of the stream are missing: numbers may jump once. */
    void forget() {
        order.forget();
        write.forget();
        ownReads.forget();
        peerReads.forget();
    }

    /** Describes a segment and says what is wrong with it. */
    void inspect(MemorySegment ulpdu, int length, Frame.Builder frame) {
        if (terminated) {
            frame.anomaly("a segment after Terminate", "RFC 5040 §5.4");
        }
        if (length < DdpControl.LENGTH || length < headerLength(ulpdu)) {
            frame.name("short segment");
            frame.anomaly("ULPDU of " + length + " octets is shorter than a DDP header, Terminate 0x1000", DDP_HEADER);
            return;
        }
        int ddp = DdpControl.ddpControl(ulpdu, 0);
        int rdmap = DdpControl.rdmapControl(ulpdu, 0);
        frame.name(shortName(DdpControl.opcode(rdmap)));
        frame.summary.append(DdpControl.isLast(ddp) ? "L=1" : "L=0");
        checkControl(ddp, rdmap, frame);
        if (frame.wantsDetails()) {
            describeControl(ddp, rdmap, frame);
        }
        if (DdpControl.isTagged(ddp)) {
            inspectTagged(ulpdu, length, frame);
        } else {
            inspectUntagged(ulpdu, length, frame);
        }
    }

    /** A name that lets the columns line up; {@link RdmapOpcode#name} has the RFC's words. */
    static String shortName(int opcode) {
        return RdmapOpcode.isKnown(opcode) ? SHORT_NAMES.get(opcode) : "opcode " + opcode;
    }

    private static int headerLength(MemorySegment ulpdu) {
        return DdpControl.isTagged(DdpControl.ddpControl(ulpdu, 0)) ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
    }

    private static void checkControl(int ddp, int rdmap, Frame.Builder frame) {
        boolean tagged = DdpControl.isTagged(ddp);
        int opcode = DdpControl.opcode(rdmap);
        if (DdpControl.version(ddp) != DdpControl.VERSION) {
            frame.anomaly(
                    "DDP version " + DdpControl.version(ddp) + ", Terminate " + (tagged ? "0x1104" : "0x1206"),
                    DDP_VALIDITY);
        }
        if (DdpControl.rdmapVersion(rdmap) != DdpControl.RDMAP_VERSION) {
            frame.anomaly("RDMAP version " + DdpControl.rdmapVersion(rdmap) + ", Terminate 0x0205", RDMAP_VALIDITY);
        }
        if (!RdmapOpcode.isKnown(opcode)) {
            frame.anomaly("opcode " + opcode + " is not assigned, Terminate 0x0206", RDMAP_VALIDITY);
        } else if (RdmapOpcode.isTagged(opcode) != tagged) {
            frame.anomaly(
                    RdmapOpcode.name(opcode) + " in " + (tagged ? "a tagged" : "an untagged")
                            + " segment, Terminate 0x0206",
                    RDMAP_OPCODES);
        }
        if ((ddp & DdpControl.RESERVED_MASK) != 0 || (rdmap & DdpControl.RDMAP_RESERVED_MASK) != 0) {
            frame.note("reserved control bits are set", DDP_HEADER);
        }
    }

    static void describeControl(int ddp, int rdmap, Frame.Builder frame) {
        frame.detail("DDP control 0x" + HEX.toHexDigits((byte) ddp) + ": T=" + (DdpControl.isTagged(ddp) ? 1 : 0)
                + " L=" + (DdpControl.isLast(ddp) ? 1 : 0) + " DV=" + DdpControl.version(ddp));
        frame.detail("RDMAP control 0x" + HEX.toHexDigits((byte) rdmap) + ": RV=" + DdpControl.rdmapVersion(rdmap)
                + " opcode " + DdpControl.opcode(rdmap) + ", " + RdmapOpcode.name(DdpControl.opcode(rdmap)));
    }

    private void inspectTagged(MemorySegment ulpdu, int length, Frame.Builder frame) {
        tagged.wrap(ulpdu, 0, length);
        int payload = length - TaggedHeader.LENGTH;
        long offset = tagged.taggedOffset();
        frame.summary.append(" STag 0x").append(HEX.toHexDigits(tagged.stag()));
        frame.summary.append(" TO 0x").append(HEX.toHexDigits(offset));
        frame.summary.append(" len ").append(payload);
        if (payload > 0 && Long.compareUnsigned(offset + payload - 1, offset) < 0) {
            frame.anomaly("TO plus length passes 2^64, Terminate 0x1103", DDP_VALIDITY);
        }
        if (tagged.opcode() == RdmapOpcode.READ_RESPONSE) {
            peerReads.answered(tagged.stag(), offset, payload, tagged.isLast(), frame);
        } else if (tagged.opcode() == RdmapOpcode.RDMA_WRITE) {
            write.segment(tagged.stag(), offset, payload, tagged.isLast(), frame);
        }
        if (frame.wantsDetails()) {
            frame.detail("STag 0x" + HEX.toHexDigits(tagged.stag()) + ", Tagged Offset 0x" + HEX.toHexDigits(offset));
            messageText.payload(ulpdu, TaggedHeader.LENGTH, length, frame);
        }
    }

    private void inspectUntagged(MemorySegment ulpdu, int length, Frame.Builder frame) {
        untagged.wrap(ulpdu, 0, length);
        int opcode = untagged.opcode();
        int payload = length - UntaggedHeader.LENGTH;
        frame.summary.append(" QN ").append(Integer.toUnsignedString(untagged.queueNumber()));
        frame.summary.append(" MSN ").append(Integer.toUnsignedString(untagged.msn()));
        frame.summary.append(" MO ").append(Integer.toUnsignedString(untagged.messageOffset()));
        frame.summary.append(" len ").append(payload);
        if (RdmapOpcode.invalidates(opcode)) {
            frame.summary.append(" invalidate STag 0x").append(HEX.toHexDigits(untagged.invalidateStag()));
        }
        if (frame.wantsDetails()) {
            frame.detail("Invalidate STag 0x" + HEX.toHexDigits(untagged.invalidateStag()) + ", QN "
                    + Integer.toUnsignedString(untagged.queueNumber()) + ", MSN "
                    + Integer.toUnsignedString(untagged.msn()) + ", MO "
                    + Integer.toUnsignedString(untagged.messageOffset()));
        }
        checkQueue(opcode, payload, frame);
        messageText.describe(opcode, ulpdu, length, frame);
        if (opcode == RdmapOpcode.READ_REQUEST) {
            messageText.readRequest().ifPresent(ownReads::requested);
        }
        terminated |= opcode == RdmapOpcode.TERMINATE;
    }

    private void checkQueue(int opcode, int payload, Frame.Builder frame) {
        int queue = untagged.queueNumber();
        int expected = RdmapOpcode.queue(opcode);
        if (queue < 0 || queue > RdmapOpcode.ATOMIC_RESPONSE_QUEUE) {
            frame.anomaly(
                    "queue " + Integer.toUnsignedString(queue) + " does not exist, Terminate 0x1201", DDP_VALIDITY);
            return;
        }
        if (expected != RdmapOpcode.NO_QUEUE && expected != queue) {
            frame.anomaly(
                    RdmapOpcode.name(opcode) + " belongs on queue " + expected + ", Terminate 0x1201", RDMAP_OPCODES);
        }
        order.segment(queue, untagged.msn(), untagged.messageOffset(), payload, untagged.isLast(), frame);
        if (!RdmapOpcode.isSend(opcode) && RdmapOpcode.isKnown(opcode) && !untagged.isLast()) {
            frame.anomaly(RdmapOpcode.name(opcode) + " must fit into one segment", DDP_SEGMENTS);
        }
    }
}
