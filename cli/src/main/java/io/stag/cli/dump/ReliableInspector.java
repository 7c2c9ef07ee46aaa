package io.stag.cli.dump;

import io.stag.verbs.DatagramRefusal;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Reads one reliable datagram ({@code docs/reliable-datagram.md}) and says which rules it breaks by itself. Filled again for each
 * datagram.
 */
final class ReliableInspector {
    private static final String MALFORMED = "RD-020";
    private static final String RESERVED = "DG-031";
    private static final int KNOWN_DATA_FLAGS = ReliableHeader.ACK_WANTED_FLAG;
    private static final int KNOWN_ACKNOWLEDGEMENT_FLAGS = ReliableHeader.NOT_READY_FLAG;
    private static final int MICROS_PER_DELAY = ReliableHeader.DELAY_UNIT_NANOS / 1_000;
    private static final int MAX_RANGES = 8;
    private static final HexFormat HEX = HexFormat.of();

    final ReliableHeader header = new ReliableHeader();
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final MessageText messageText = new MessageText();

    /** Where in its message the payload belongs, as far as the headers tell. */
    long messageOffset;

    /**
     * Reads a datagram.
     *
     * @param available octets of it in the capture
     * @param full octets of it on the wire
     * @return whether its fields may be used
     */
    boolean inspect(MemorySegment packet, long offset, int available, int full, Frame.Builder frame) {
        messageOffset = 0;
        frame.name("RD");
        int length = full - Crc32c.LENGTH;
        if (!header.wrap(packet, offset, available) || length < ReliableHeader.LENGTH) {
            shorterThanItsHeaders(full, frame);
            return false;
        }
        if (frame.wantsDetails()) {
            frame.detail("header " + header.appendTo(new StringBuilder()));
        }
        boolean fits = switch (header.kind()) {
            case DatagramPrefix.DATA -> inspectData(packet, offset, available, length, frame);
            case DatagramPrefix.ACKNOWLEDGEMENT -> inspectAcknowledgement(available, length, frame);
            default -> inspectRefusal(length, frame);
        };
        return checkNumbers(frame) && fits;
    }

    boolean isData() {
        return header.kind() == DatagramPrefix.DATA;
    }

    private boolean inspectData(MemorySegment packet, long offset, int available, int length, Frame.Builder frame) {
        frame.summary.append("stream ").append(Integer.toUnsignedString(header.stream()));
        frame.summary.append(" PSN ").append(Integer.toUnsignedString(header.psn()));
        if (header.peerEpoch() == 0) {
            frame.summary.append(" unbound");
        }
        noteFlags(KNOWN_DATA_FLAGS, frame);
        if (header.ackedStream() != 0) {
            describeAcknowledged(frame);
        }
        if (Math.min(available, length) < ReliableHeader.LENGTH + DdpControl.LENGTH) {
            shorterThanItsHeaders(length + Crc32c.LENGTH, frame);
            return false;
        }
        long ddpHeader = offset + ReliableHeader.LENGTH;
        int ddp = DdpControl.ddpControl(packet, ddpHeader);
        int rdmap = DdpControl.rdmapControl(packet, ddpHeader);
        int opcode = DdpControl.opcode(rdmap);
        boolean isTagged = DdpControl.isTagged(ddp);
        frame.name("RD " + SegmentInspector.shortName(opcode));
        int headers = ReliableHeader.LENGTH + (isTagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH);
        if (Math.min(available, length) < headers) {
            shorterThanItsHeaders(length + Crc32c.LENGTH, frame);
            return false;
        }
        if (frame.wantsDetails()) {
            SegmentInspector.describeControl(ddp, rdmap, frame);
        }
        frame.summary.append(DdpControl.isLast(ddp) ? " L=1" : " L=0");
        int captured = Math.min(available, length) - ReliableHeader.LENGTH;
        MemorySegment ulpdu = packet.asSlice(ddpHeader, captured);
        if (isTagged) {
            describeTagged(ulpdu, length - headers, frame);
        } else {
            describeUntagged(ulpdu, length - headers, frame);
        }
        if (captured == length - ReliableHeader.LENGTH && !isTagged) {
            messageText.describe(opcode, ulpdu, captured, frame);
        } else if (isTagged) {
            messageText.payload(ulpdu, TaggedHeader.LENGTH, captured, frame);
        }
        return checkControl(ddp, rdmap, frame);
    }

    private void describeTagged(MemorySegment ulpdu, int payload, Frame.Builder frame) {
        tagged.wrap(ulpdu, 0);
        frame.summary.append(" STag 0x").append(HEX.toHexDigits(tagged.stag()));
        frame.summary.append(" TO 0x").append(HEX.toHexDigits(tagged.taggedOffset()));
        frame.summary.append(" len ").append(payload);
    }

    private void describeUntagged(MemorySegment ulpdu, int payload, Frame.Builder frame) {
        untagged.wrap(ulpdu, 0);
        messageOffset = Integer.toUnsignedLong(untagged.messageOffset());
        frame.summary.append(" QN ").append(Integer.toUnsignedString(untagged.queueNumber()));
        frame.summary.append(" MSN ").append(Integer.toUnsignedString(untagged.msn()));
        frame.summary.append(" MO ").append(messageOffset);
        frame.summary.append(" len ").append(payload);
    }

    private boolean checkControl(int ddp, int rdmap, Frame.Builder frame) {
        int opcode = DdpControl.opcode(rdmap);
        boolean isTagged = DdpControl.isTagged(ddp);
        String wrong = "";
        if (DdpControl.version(ddp) != DdpControl.VERSION
                || DdpControl.rdmapVersion(rdmap) != DdpControl.RDMAP_VERSION) {
            wrong = "DDP version " + DdpControl.version(ddp) + ", RDMAP version " + DdpControl.rdmapVersion(rdmap);
        } else if (!RdmapOpcode.isKnown(opcode)) {
            wrong = "opcode " + opcode + " is not assigned";
        } else if (RdmapOpcode.isTagged(opcode) != isTagged) {
            wrong = RdmapOpcode.name(opcode) + " in " + (isTagged ? "a tagged" : "an untagged") + " segment";
        } else if (!isTagged && untagged.queueNumber() != RdmapOpcode.queue(opcode)) {
            wrong = RdmapOpcode.name(opcode) + " belongs on queue " + RdmapOpcode.queue(opcode);
        }
        if (!wrong.isEmpty()) {
            frame.anomaly(wrong, MALFORMED);
        }
        return wrong.isEmpty();
    }

    private boolean inspectAcknowledgement(int available, int length, Frame.Builder frame) {
        frame.name("RD Ack");
        describeAcknowledged(frame);
        if (Math.min(available, length) < ReliableHeader.ACKNOWLEDGEMENT_LENGTH) {
            shorterThanItsHeaders(length + Crc32c.LENGTH, frame);
            return false;
        }
        if (!header.isLengthRight(length)) {
            frame.anomaly(
                    "with " + header.words() + " words it cannot have " + (length + Crc32c.LENGTH) + " octets",
                    MALFORMED);
            return false;
        }
        if (available >= length) {
            describeMissing(frame);
        }
        frame.summary
                .append(" delay ")
                .append(header.delay() * MICROS_PER_DELAY)
                .append(" us");
        noteFlags(KNOWN_ACKNOWLEDGEMENT_FLAGS, frame);
        return true;
    }

    private void describeAcknowledged(Frame.Builder frame) {
        frame.summary.append(frame.summary.isEmpty() ? "" : " ");
        frame.summary.append("acks stream ").append(Integer.toUnsignedString(header.ackedStream()));
        frame.summary.append(" up to ").append(Integer.toUnsignedString(header.ackedPsn()));
        frame.summary.append(" credit ").append(header.credit());
    }

    /** What lies between datagrams that are here; of what lies behind the last of them nothing is said. */
    private void describeMissing(Frame.Builder frame) {
        int bits = header.words() * ReliableHeader.WORD_BITS;
        int ranges = 0;
        int from = 0;
        for (int bit = 0; bit < bits; bit++) {
            boolean isHere = (header.word(bit / ReliableHeader.WORD_BITS) >>> bit % ReliableHeader.WORD_BITS & 1) != 0;
            if (!isHere) {
                continue;
            }
            if (bit > from && ranges < MAX_RANGES) {
                frame.summary.append(ranges == 0 ? " missing " : ",");
                appendRange(header.ackedPsn() + 1 + from, header.ackedPsn() + bit, frame);
            }
            ranges += bit > from ? 1 : 0;
            from = bit + 1;
        }
        if (ranges > MAX_RANGES) {
            frame.summary.append(" and ").append(ranges - MAX_RANGES).append(" ranges more");
        }
    }

    private static void appendRange(int first, int last, Frame.Builder frame) {
        frame.summary.append(Integer.toUnsignedString(first));
        if (first != last) {
            frame.summary.append('-').append(Integer.toUnsignedString(last));
        }
    }

    private boolean inspectRefusal(int length, Frame.Builder frame) {
        frame.name("RD Refusal");
        frame.summary.append("of stream ").append(Integer.toUnsignedString(header.stream()));
        frame.summary.append(" PSN ").append(Integer.toUnsignedString(header.psn()));
        frame.summary.append(" to epoch 0x").append(HEX.toHexDigits(header.peerEpoch()));
        if (!header.isLengthRight(length)) {
            frame.anomaly("a refusal has 36 octets, here are " + (length + Crc32c.LENGTH), MALFORMED);
            return false;
        }
        return true;
    }

    private boolean checkNumbers(Frame.Builder frame) {
        String wrong = "";
        if (header.epoch() == 0) {
            wrong = "epoch 0";
        } else if (isData() && header.stream() == 0) {
            wrong = "stream 0";
        }
        if (!wrong.isEmpty()) {
            frame.anomaly(wrong, MALFORMED);
        }
        return wrong.isEmpty();
    }

    private void noteFlags(int known, Frame.Builder frame) {
        if ((header.flags() & known & ReliableHeader.ACK_WANTED_FLAG) != 0) {
            frame.summary.append(" ack wanted");
        }
        if ((header.flags() & known & ReliableHeader.NOT_READY_FLAG) != 0) {
            frame.summary.append(" not ready");
        }
        if ((header.flags() & ~known) != 0) {
            frame.note("flags 0x" + HEX.toHexDigits((byte) header.flags()) + " have no meaning", RESERVED);
        }
    }

    private static void shorterThanItsHeaders(int full, Frame.Builder frame) {
        frame.anomaly(
                "a datagram of " + full + " octets is shorter than its headers", DatagramRefusal.TOO_SHORT.rule());
    }
}
