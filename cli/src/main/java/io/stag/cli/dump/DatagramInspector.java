package io.stag.cli.dump;

import io.stag.verbs.DatagramRefusal;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Reads one datagram of datagram-iWARP ({@code docs/datagram-wire.md}) and says which rules it breaks, as far as that can be
 * seen without the receiver's memory. Filled again for each datagram.
 */
final class DatagramInspector {
    private static final int KNOWN_FLAGS =
            DatagramPrefix.SOLICITED_FLAG | DatagramPrefix.REPORT_WANTED_FLAG | DatagramPrefix.EARLIER_FOLLOW_FLAG;
    private static final int REPORT_LENGTH = DatagramPrefix.LENGTH + Crc32c.LENGTH;
    private static final HexFormat HEX = HexFormat.of();

    final DatagramPrefix prefix = new DatagramPrefix();
    private final TaggedHeader taggedHeader = new TaggedHeader();
    private final UntaggedHeader untaggedHeader = new UntaggedHeader();
    private final MessageText messageText = new MessageText();

    /** Has read the datagram if it {@link #isReliable}. */
    final ReliableInspector reliable = new ReliableInspector();

    /** Octets of payload, as far as the length of the datagram tells. */
    int payload;

    boolean isReliable;
    boolean tagged;
    int opcode;
    int stag;

    /** Where the first octet of the whole message belongs. */
    long messageTaggedOffset;

    /**
     * Reads a datagram.
     *
     * @param available octets of it in the capture
     * @param full octets of it on the wire
     * @return whether it is a segment of a message, or a reliable datagram, whose fields may be used
     */
    boolean inspect(MemorySegment packet, long offset, int available, int full, Frame.Builder frame) {
        frame.name("DG");
        isReliable = false;
        if (!prefix.read(packet, offset, available) || available < DatagramPrefix.LENGTH + DdpControl.LENGTH) {
            frame.name("DG short");
            shorterThanItsHeaders(full, frame);
            return false;
        }
        boolean isKnownVersion = prefix.version() == DatagramPrefix.VERSION;
        isReliable = isKnownVersion && prefix.kind() >= DatagramPrefix.DATA && prefix.kind() <= DatagramPrefix.REFUSAL;
        if (isReliable) {
            return reliable.inspect(packet, offset, available, full, frame);
        }
        if (frame.wantsDetails()) {
            frame.detail("prefix " + prefix.appendTo(new StringBuilder()));
        }
        if (!isKnownVersion) {
            anomaly("version " + prefix.version() + " of the profile, 1 is known", DatagramRefusal.VERSION, frame);
            return false;
        }
        if (prefix.kind() == DatagramPrefix.REPORT) {
            inspectReport(full, frame);
            return false;
        }
        if (prefix.kind() != DatagramPrefix.SEGMENT) {
            frame.name("DG kind " + prefix.kind());
            anomaly("kind " + prefix.kind() + " is not assigned", DatagramRefusal.KIND, frame);
            return false;
        }
        describeMessage(frame);
        return inspectSegment(packet, offset + DatagramPrefix.LENGTH, available, full, frame);
    }

    private boolean inspectSegment(MemorySegment packet, long header, int available, int full, Frame.Builder frame) {
        int ddp = DdpControl.ddpControl(packet, header);
        int rdmap = DdpControl.rdmapControl(packet, header);
        tagged = DdpControl.isTagged(ddp);
        opcode = DdpControl.opcode(rdmap);
        frame.name("DG " + name());
        int headers = DatagramPrefix.LENGTH + (tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH);
        payload = full - headers - Crc32c.LENGTH;
        if (available < headers || payload < 0) {
            shorterThanItsHeaders(full, frame);
            return false;
        }
        boolean last = prefixOffset() + payload == messageLength();
        frame.summary.append(DdpControl.isLast(ddp) ? " L=1" : " L=0");
        boolean fits = checkControl(ddp, rdmap, frame);
        fits &= tagged ? inspectTagged(packet, header, frame) : inspectUntagged(packet, header, frame);
        if (DdpControl.isLast(ddp) != last) {
            anomaly(
                    last ? "it ends its message, but L is 0" : "L is 1, but it does not end its message",
                    DatagramRefusal.HEADER,
                    frame);
            fits = false;
        }
        frame.summary.append(" len ").append(payload);
        messageText.payload(
                packet, (int) header + headers - DatagramPrefix.LENGTH, payloadEnd(header, headers, available), frame);
        return checkLayout(last, frame) && fits;
    }

    private int payloadEnd(long header, int headers, int available) {
        int captured = Math.min(payload, available - headers);
        return (int) header + headers - DatagramPrefix.LENGTH + Math.max(0, captured);
    }

    /** In a report, epoch, count and flow number stand where a segment has its message. */
    private void inspectReport(int full, Frame.Builder frame) {
        frame.name("DG Report");
        frame.summary.append("to epoch 0x").append(HEX.toHexDigits(prefix.messageId()));
        frame.summary.append(" received ").append(messageLength());
        frame.summary.append(" newest ").append(prefixOffset());
        if (full != REPORT_LENGTH) {
            anomaly("a report has 24 octets, here are " + full, DatagramRefusal.LAYOUT, frame);
        }
    }

    private void describeMessage(Frame.Builder frame) {
        frame.summary.append("message ").append(Integer.toUnsignedString(prefix.messageId()));
        frame.summary.append(" of ").append(messageLength()).append(" octets");
        if (prefix.flow() != 0 && (prefix.flags() & DatagramPrefix.REPORT_WANTED_FLAG) == 0) {
            frame.note("flow number " + prefix.flow() + " without wish for reports", "DG-031");
        }
        if ((prefix.flags() & ~KNOWN_FLAGS) != 0) {
            frame.note("flags 0x" + HEX.toHexDigits((byte) prefix.flags()) + " have no meaning", "DG-031");
        }
    }

    private static boolean checkControl(int ddp, int rdmap, Frame.Builder frame) {
        if (frame.wantsDetails()) {
            frame.detail("DDP control 0x" + HEX.toHexDigits((byte) ddp) + ", RDMAP control 0x"
                    + HEX.toHexDigits((byte) rdmap) + ", " + RdmapOpcode.name(DdpControl.opcode(rdmap)));
        }
        if (DdpControl.version(ddp) != DdpControl.VERSION
                || DdpControl.rdmapVersion(rdmap) != DdpControl.RDMAP_VERSION) {
            anomaly(
                    "DDP version " + DdpControl.version(ddp) + ", RDMAP version " + DdpControl.rdmapVersion(rdmap),
                    DatagramRefusal.HEADER,
                    frame);
            return false;
        }
        return true;
    }

    private boolean inspectTagged(MemorySegment packet, long header, Frame.Builder frame) {
        taggedHeader.wrap(packet, header);
        stag = taggedHeader.stag();
        messageTaggedOffset = taggedHeader.taggedOffset() - prefixOffset();
        frame.summary.append(" STag 0x").append(HEX.toHexDigits(stag));
        frame.summary.append(" TO 0x").append(HEX.toHexDigits(taggedHeader.taggedOffset()));
        if (opcode != RdmapOpcode.RDMA_WRITE) {
            anomaly(RdmapOpcode.name(opcode) + " in a tagged segment", DatagramRefusal.HEADER, frame);
            return false;
        }
        return true;
    }

    private boolean inspectUntagged(MemorySegment packet, long header, Frame.Builder frame) {
        untaggedHeader.wrap(packet, header);
        stag = 0;
        messageTaggedOffset = 0;
        frame.summary.append(" MSN ").append(Integer.toUnsignedString(untaggedHeader.msn()));
        frame.summary.append(" MO ").append(Integer.toUnsignedString(untaggedHeader.messageOffset()));
        boolean isSend = opcode == RdmapOpcode.SEND || opcode == RdmapOpcode.SEND_WITH_SOLICITED_EVENT;
        if (!isSend) {
            anomaly(RdmapOpcode.name(opcode) + " in an untagged segment", DatagramRefusal.HEADER, frame);
        } else if (untaggedHeader.queueNumber() != RdmapOpcode.SEND_QUEUE) {
            anomaly(
                    "queue " + Integer.toUnsignedString(untaggedHeader.queueNumber()) + " instead of 0",
                    DatagramRefusal.HEADER,
                    frame);
        } else if (untaggedHeader.msn() != prefix.messageId()
                || Integer.toUnsignedLong(untaggedHeader.messageOffset()) != prefixOffset()) {
            anomaly("MSN or MO contradicts the prefix", DatagramRefusal.HEADER, frame);
        } else {
            return true;
        }
        return false;
    }

    private boolean checkLayout(boolean last, Frame.Builder frame) {
        String wrong = "";
        if (prefixOffset() % DatagramPrefix.BLOCK != 0) {
            wrong = "offset " + prefixOffset() + " is no multiple of 64";
        } else if (prefixOffset() + payload > messageLength()) {
            wrong = "it reaches beyond its message";
        } else if (payload % DatagramPrefix.BLOCK != 0 && !last) {
            wrong = "payload of " + payload + " octets is no multiple of 64 and does not end its message";
        } else if (payload == 0 && messageLength() != 0) {
            wrong = "no payload";
        }
        if (!wrong.isEmpty()) {
            anomaly(wrong, DatagramRefusal.LAYOUT, frame);
        }
        return wrong.isEmpty();
    }

    private static void shorterThanItsHeaders(int full, Frame.Builder frame) {
        anomaly("a datagram of " + full + " octets is shorter than its headers", DatagramRefusal.TOO_SHORT, frame);
    }

    private static void anomaly(String text, DatagramRefusal refusal, Frame.Builder frame) {
        frame.anomaly(text, refusal.rule());
    }

    private String name() {
        if (tagged) {
            return opcode == RdmapOpcode.RDMA_WRITE ? "Write-Record" : "opcode " + opcode;
        }
        return switch (opcode) {
            case RdmapOpcode.SEND -> "Send";
            case RdmapOpcode.SEND_WITH_SOLICITED_EVENT -> "Send SE";
            default -> "opcode " + opcode;
        };
    }

    /** Where in its message the payload belongs. */
    long messageOffset() {
        return isReliable ? reliable.messageOffset : prefixOffset();
    }

    long prefixOffset() {
        return Integer.toUnsignedLong(prefix.offset());
    }

    long messageLength() {
        return Integer.toUnsignedLong(prefix.messageLength());
    }
}
