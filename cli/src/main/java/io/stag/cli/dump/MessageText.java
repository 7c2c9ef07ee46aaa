package io.stag.cli.dump;

import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Optional;

/** What follows the untagged header: the headers of RDMAP (RFC 5040, section 4; RFC 7306), or payload. */
final class MessageText {
    private static final int SHOWN_PAYLOAD = 64;
    private static final int PAYLOAD_PER_LINE = 16;
    private static final String ATOMICS = "RFC 7306 §5.2.1";

    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final AtomicRequestHeader atomicRequest = new AtomicRequestHeader();
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();
    private final ImmediateData immediate = new ImmediateData();
    private final TerminateText terminate = new TerminateText();
    private Optional<ReadTracker.Expected> lastRead = Optional.empty();

    /** The Read Request that {@link #describe} saw last, if the segment was one. */
    Optional<ReadTracker.Expected> readRequest() {
        return lastRead;
    }

    void describe(int opcode, MemorySegment ulpdu, int length, Frame.Builder frame) {
        int header = UntaggedHeader.LENGTH;
        int available = length - header;
        lastRead = Optional.empty();
        switch (opcode) {
            case RdmapOpcode.READ_REQUEST -> describeReadRequest(ulpdu, available, frame);
            case RdmapOpcode.TERMINATE -> terminate.describe(ulpdu, header, available, frame);
            case RdmapOpcode.IMMEDIATE_DATA, RdmapOpcode.IMMEDIATE_DATA_WITH_SOLICITED_EVENT ->
                describeImmediate(ulpdu, available, frame);
            case RdmapOpcode.ATOMIC_REQUEST -> describeAtomicRequest(ulpdu, available, frame);
            case RdmapOpcode.ATOMIC_RESPONSE -> describeAtomicResponse(ulpdu, available, frame);
            default -> payload(ulpdu, header, length, frame);
        }
    }

    /** Shows the first octets, if details are wanted. */
    void payload(MemorySegment ulpdu, int from, int to, Frame.Builder frame) {
        if (!frame.wantsDetails() || from == to) {
            return;
        }
        HexFormat hex = HexFormat.ofDelimiter(" ");
        int shown = Math.min(to - from, SHOWN_PAYLOAD);
        byte[] octets = ulpdu.asSlice(from, shown).toArray(ValueLayout.JAVA_BYTE);
        for (int at = 0; at < shown; at += PAYLOAD_PER_LINE) {
            int end = Math.min(at + PAYLOAD_PER_LINE, shown);
            StringBuilder line = new StringBuilder("payload ").append(hex.formatHex(octets, at, end));
            line.append("   ".repeat(PAYLOAD_PER_LINE - (end - at))).append("  ");
            for (int i = at; i < end; i++) {
                line.append(octets[i] >= ' ' && octets[i] < 0x7F ? (char) octets[i] : '.');
            }
            frame.detail(line.toString());
        }
        if (to - from > shown) {
            frame.detail("payload … " + (to - from - shown) + " octets more");
        }
    }

    private void describeReadRequest(MemorySegment ulpdu, int available, Frame.Builder frame) {
        if (!readRequest.wrap(ulpdu, UntaggedHeader.LENGTH, available) || available != ReadRequestHeader.LENGTH) {
            wrongLength(ReadRequestHeader.LENGTH, available, "RFC 5040 §4.4", frame);
            return;
        }
        readRequest.appendTo(frame.summary.append(' '));
        long source = readRequest.sourceTaggedOffset();
        long size = Integer.toUnsignedLong(readRequest.messageSize());
        if (size > 0 && Long.compareUnsigned(source + size - 1, source) < 0) {
            frame.anomaly("source TO plus size passes 2^64, Terminate 0x0104", "RFC 5040 §5.2.1");
        }
        lastRead = Optional.of(new ReadTracker.Expected(
                readRequest.sinkStag(), readRequest.sinkTaggedOffset(), readRequest.messageSize()));
    }

    private void describeImmediate(MemorySegment ulpdu, int available, Frame.Builder frame) {
        if (!immediate.wrap(ulpdu, UntaggedHeader.LENGTH, available) || available != ImmediateData.LENGTH) {
            wrongLength(ImmediateData.LENGTH, available, "RFC 7306 §6.3", frame);
            return;
        }
        immediate.appendTo(frame.summary.append(' '));
    }

    private void describeAtomicRequest(MemorySegment ulpdu, int available, Frame.Builder frame) {
        if (!atomicRequest.wrap(ulpdu, UntaggedHeader.LENGTH, available) || available != AtomicRequestHeader.LENGTH) {
            wrongLength(AtomicRequestHeader.LENGTH, available, ATOMICS, frame);
            return;
        }
        atomicRequest.appendTo(frame.summary.append(' '));
        int operation = atomicRequest.atomicOpcode();
        if (operation != AtomicRequestHeader.FETCH_ADD && operation != AtomicRequestHeader.COMPARE_SWAP) {
            frame.anomaly("AOpCode " + operation + " is not assigned, Terminate 0x0206", ATOMICS);
        }
        if (atomicRequest.remoteTaggedOffset() % Long.BYTES != 0) {
            frame.anomaly(
                    "TO is not a multiple of 8: unless the buffer begins at an odd address, Terminate 0x0207",
                    "RFC 7306 §5.1");
        }
    }

    private void describeAtomicResponse(MemorySegment ulpdu, int available, Frame.Builder frame) {
        if (!atomicResponse.wrap(ulpdu, UntaggedHeader.LENGTH, available) || available != AtomicResponseHeader.LENGTH) {
            wrongLength(AtomicResponseHeader.LENGTH, available, "RFC 7306 §5.2.2", frame);
            return;
        }
        atomicResponse.appendTo(frame.summary.append(' '));
    }

    private static void wrongLength(int expected, int actual, String clause, Frame.Builder frame) {
        frame.anomaly("its header has " + expected + " octets, here are " + actual, clause);
    }
}
