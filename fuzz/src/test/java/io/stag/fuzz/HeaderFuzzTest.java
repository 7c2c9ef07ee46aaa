package io.stag.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import io.stag.wire.mpa.MpaFrame;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.MemorySegment;

/**
 * Every flyweight over any octets: once {@code wrap} said yes nothing throws, nothing is read beyond what is available,
 * and what is written back reads the same.
 *
 * <p>Input: kind, offset, available octets, then the memory.
 */
class HeaderFuzzTest {
    private static final int MEMORY = 256;
    private static final long UNLIMITED = 255;

    /** In the order in which seeds name them. */
    enum Kind {
        TAGGED,
        UNTAGGED,
        READ_REQUEST,
        ATOMIC_REQUEST,
        ATOMIC_RESPONSE,
        IMMEDIATE_DATA,
        TERMINATE,
        MPA_FRAME,
        ENHANCED_WORD,
        FPDU
    }

    @FuzzTest
    void anyOctetsCanBeReadAndPrinted(byte[] data) {
        var input = new Input(data);
        Kind kind = input.oneOf(Kind.values());
        int offset = input.u8();
        int limit = input.u8();
        long available = limit == UNLIMITED ? Long.MAX_VALUE : limit;
        MemorySegment memory = MemorySegment.ofArray(input.octets(MEMORY));
        String whole = read(kind, memory, offset, available);
        if (offset <= memory.byteSize()) {
            long there = Math.min(available, memory.byteSize() - offset);
            String alone = read(kind, memory.asSlice(offset, there), 0, Long.MAX_VALUE);
            assertThat(whole).as("independent of what is beyond").isEqualTo(alone);
        } else {
            assertThat(whole).isEqualTo("refused");
        }
        assertThat(whole.lines()).hasSize(1);
    }

    /** All that can be read there, in one line. */
    private static String read(Kind kind, MemorySegment memory, long offset, long available) {
        long there = Math.min(available, memory.byteSize() - offset);
        return switch (kind) {
            case TAGGED -> readTagged(memory, offset, available, there >= TaggedHeader.LENGTH);
            case UNTAGGED -> readUntagged(memory, offset, available, there >= UntaggedHeader.LENGTH);
            case READ_REQUEST -> readReadRequest(memory, offset, available, there >= ReadRequestHeader.LENGTH);
            case ATOMIC_REQUEST -> readAtomicRequest(memory, offset, available, there >= AtomicRequestHeader.LENGTH);
            case ATOMIC_RESPONSE -> readAtomicResponse(memory, offset, available, there >= AtomicResponseHeader.LENGTH);
            case IMMEDIATE_DATA -> readImmediateData(memory, offset, available, there >= ImmediateData.LENGTH);
            case TERMINATE -> readTerminate(memory, offset, available, there);
            case MPA_FRAME -> readMpaFrame(memory, offset, available, there);
            case ENHANCED_WORD -> there >= EnhancedWord.LENGTH ? readEnhancedWord(memory, offset) : "refused";
            case FPDU -> there >= Marker.LENGTH ? readFpdu(memory, offset) : "refused";
        };
    }

    private static String readTagged(MemorySegment memory, long offset, long available, boolean fits) {
        var header = new TaggedHeader();
        if (!wrapped(header.wrap(memory, offset, available), fits)) {
            return "refused";
        }
        var copy = new TaggedHeader();
        copy.wrap(MemorySegment.ofArray(new byte[TaggedHeader.LENGTH]), 0);
        copy.put(header.isLast(), header.rsvdUlp(), header.stag(), header.taggedOffset());
        assertThat(copy.isLast()).isEqualTo(header.isLast());
        assertThat(copy.isTagged()).isTrue();
        assertThat(copy.version()).isEqualTo(DdpControl.VERSION);
        assertThat(copy.rsvdUlp()).isEqualTo(header.rsvdUlp());
        assertThat(copy.opcode()).isEqualTo(header.opcode());
        assertThat(copy.rdmapVersion()).isEqualTo(header.rdmapVersion());
        assertThat(copy.stag()).isEqualTo(header.stag());
        assertThat(copy.taggedOffset()).isEqualTo(header.taggedOffset());
        return header.appendTo(new StringBuilder()) + " " + header.isTagged() + header.version() + header.control();
    }

    private static String readUntagged(MemorySegment memory, long offset, long available, boolean fits) {
        var header = new UntaggedHeader();
        if (!wrapped(header.wrap(memory, offset, available), fits)) {
            return "refused";
        }
        var copy = new UntaggedHeader();
        copy.wrap(MemorySegment.ofArray(new byte[UntaggedHeader.LENGTH]), 0);
        copy.put(
                header.isLast(),
                header.rsvdUlp(),
                header.invalidateStag(),
                header.queueNumber(),
                header.msn(),
                header.messageOffset());
        assertThat(copy.isLast()).isEqualTo(header.isLast());
        assertThat(copy.isTagged()).isFalse();
        assertThat(copy.rsvdUlp()).isEqualTo(header.rsvdUlp());
        assertThat(copy.invalidateStag()).isEqualTo(header.invalidateStag());
        assertThat(copy.queueNumber()).isEqualTo(header.queueNumber());
        assertThat(copy.msn()).isEqualTo(header.msn());
        assertThat(copy.messageOffset()).isEqualTo(header.messageOffset());
        int opcode = header.opcode();
        return header.appendTo(new StringBuilder()) + " " + header.isTagged() + header.version() + header.control()
                + header.rdmapVersion() + RdmapOpcode.name(opcode) + RdmapOpcode.queue(opcode)
                + RdmapOpcode.isSend(opcode) + RdmapOpcode.isTagged(opcode) + RdmapOpcode.invalidates(opcode)
                + RdmapOpcode.solicitsEvent(opcode);
    }

    private static String readReadRequest(MemorySegment memory, long offset, long available, boolean fits) {
        var header = new ReadRequestHeader();
        if (!wrapped(header.wrap(memory, offset, available), fits)) {
            return "refused";
        }
        MemorySegment copied = MemorySegment.ofArray(new byte[ReadRequestHeader.LENGTH]);
        var copy = new ReadRequestHeader();
        copy.wrap(copied, 0);
        copy.put(
                header.sinkStag(),
                header.sinkTaggedOffset(),
                header.messageSize(),
                header.sourceStag(),
                header.sourceTaggedOffset());
        assertThat(copied.mismatch(memory.asSlice(offset, ReadRequestHeader.LENGTH)))
                .isEqualTo(-1);
        return header.appendTo(new StringBuilder()).toString();
    }

    private static String readAtomicRequest(MemorySegment memory, long offset, long available, boolean fits) {
        var header = new AtomicRequestHeader();
        if (!wrapped(header.wrap(memory, offset, available), fits)) {
            return "refused";
        }
        var copy = new AtomicRequestHeader();
        copy.wrap(MemorySegment.ofArray(new byte[AtomicRequestHeader.LENGTH]), 0);
        copy.putCompareSwap(
                header.requestIdentifier(),
                header.remoteStag(),
                header.remoteTaggedOffset(),
                header.addOrSwapData(),
                header.addOrSwapMask(),
                header.compareData(),
                header.compareMask());
        assertThat(copy.atomicOpcode()).isEqualTo(AtomicRequestHeader.COMPARE_SWAP);
        assertThat(copy.requestIdentifier()).isEqualTo(header.requestIdentifier());
        assertThat(copy.remoteStag()).isEqualTo(header.remoteStag());
        assertThat(copy.remoteTaggedOffset()).isEqualTo(header.remoteTaggedOffset());
        assertThat(copy.addOrSwapData()).isEqualTo(header.addOrSwapData());
        assertThat(copy.addOrSwapMask()).isEqualTo(header.addOrSwapMask());
        assertThat(copy.compareData()).isEqualTo(header.compareData());
        assertThat(copy.compareMask()).isEqualTo(header.compareMask());
        return header.appendTo(new StringBuilder()).toString();
    }

    private static String readAtomicResponse(MemorySegment memory, long offset, long available, boolean fits) {
        var header = new AtomicResponseHeader();
        if (!wrapped(header.wrap(memory, offset, available), fits)) {
            return "refused";
        }
        MemorySegment copied = MemorySegment.ofArray(new byte[AtomicResponseHeader.LENGTH]);
        var copy = new AtomicResponseHeader();
        copy.wrap(copied, 0);
        copy.put(header.originalRequestIdentifier(), header.originalRemoteDataValue());
        assertThat(copied.mismatch(memory.asSlice(offset, AtomicResponseHeader.LENGTH)))
                .isEqualTo(-1);
        return header.appendTo(new StringBuilder()).toString();
    }

    private static String readImmediateData(MemorySegment memory, long offset, long available, boolean fits) {
        var header = new ImmediateData();
        if (!wrapped(header.wrap(memory, offset, available), fits)) {
            return "refused";
        }
        var copy = new ImmediateData();
        copy.wrap(MemorySegment.ofArray(new byte[ImmediateData.LENGTH]), 0);
        copy.put(header.value());
        assertThat(copy.value()).isEqualTo(header.value());
        return header.appendTo(new StringBuilder()).toString();
    }

    private static String readTerminate(MemorySegment memory, long offset, long available, long there) {
        var header = new TerminateHeader();
        if (!wrapped(header.wrap(memory, offset, available), there >= TerminateHeader.LENGTH)) {
            return "refused";
        }
        assertThat(header.code()).isEqualTo(header.layer() << 12 | header.errorType() << 8 | header.errorCode());
        var text = new StringBuilder();
        for (int control : new int[] {header.headerControl(), header.swappedHeaderControl()}) {
            int ddp = header.ddpHeaderLength(control);
            int rdma = header.rdmaHeaderLength(control);
            assertThat(ddp == 0 || header.ddpHeaderOffset() + ddp <= offset + there)
                    .isTrue();
            assertThat(rdma == 0 || header.rdmaHeaderOffset(control) + rdma <= offset + there)
                    .isTrue();
            text.append(ddp).append(' ').append(rdma).append(' ');
        }
        assertThat(header.ddpHeaderLength()).isEqualTo(header.ddpHeaderLength(header.headerControl()));
        assertThat(header.rdmaHeaderLength()).isEqualTo(header.rdmaHeaderLength(header.headerControl()));
        text.append(header.swappedCode()).append(' ');
        TerminateCode.of(header.swappedCode())
                .ifPresent(code -> text.append(code.meaning()).append(code.clause()));
        writeTerminate(header, memory, offset, there);
        return header.appendTo(text).toString();
    }

    private static void writeTerminate(TerminateHeader header, MemorySegment memory, long offset, long there) {
        MemorySegment copied = MemorySegment.ofArray(new byte[TerminateHeader.MAX_LENGTH]);
        var copy = new TerminateHeader();
        copy.wrap(copied, 0, TerminateHeader.MAX_LENGTH);
        int length;
        if (there >= UntaggedHeader.LENGTH + ReadRequestHeader.LENGTH) {
            length = copy.putWithReadRequest(header.code(), 46, memory, offset);
            copy.wrap(copied, 0, length);
            boolean tagged = DdpControl.isTagged(DdpControl.ddpControl(memory, offset));
            assertThat(copy.ddpHeaderLength()).isEqualTo(tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH);
            assertThat(copy.rdmaHeaderLength()).isEqualTo(ReadRequestHeader.LENGTH);
        } else if (there >= UntaggedHeader.LENGTH) {
            length = copy.putWithDdpHeader(header.code(), (int) there, memory, offset);
            copy.wrap(copied, 0, length);
            assertThat(copied.asSlice(copy.ddpHeaderOffset(), copy.ddpHeaderLength())
                            .mismatch(memory.asSlice(offset, copy.ddpHeaderLength())))
                    .isEqualTo(-1);
            assertThat(copy.ddpSegmentLength()).isEqualTo((int) there);
        } else {
            length = copy.put(header.code());
            copy.wrap(copied, 0, length);
            assertThat(copy.ddpHeaderLength() + copy.rdmaHeaderLength()).isZero();
        }
        assertThat(copy.code()).isEqualTo(header.code());
    }

    private static String readMpaFrame(MemorySegment memory, long offset, long available, long there) {
        var frame = new MpaFrame();
        if (!wrapped(frame.wrap(memory, offset, available), there >= MpaFrame.HEADER_LENGTH)) {
            return "refused";
        }
        assertThat(frame.isComplete()).isEqualTo(there - MpaFrame.HEADER_LENGTH >= frame.privateDataLength());
        var copy = new MpaFrame();
        copy.wrap(MemorySegment.ofArray(new byte[MpaFrame.HEADER_LENGTH]), 0, MpaFrame.HEADER_LENGTH);
        copy.putReply(
                frame.markers(),
                frame.crc(),
                frame.reject(),
                frame.enhanced(),
                frame.revision(),
                frame.privateDataLength());
        assertThat(copy.isReplyKey()).isTrue();
        assertThat(copy.isRequestKey()).isFalse();
        assertThat(copy.markers()).isEqualTo(frame.markers());
        assertThat(copy.crc()).isEqualTo(frame.crc());
        assertThat(copy.reject()).isEqualTo(frame.reject());
        assertThat(copy.enhanced()).isEqualTo(frame.enhanced());
        assertThat(copy.revision()).isEqualTo(frame.revision());
        assertThat(copy.privateDataLength()).isEqualTo(frame.privateDataLength());
        return frame.appendTo(new StringBuilder()).toString();
    }

    private static String readEnhancedWord(MemorySegment memory, long offset) {
        EnhancedWord word = EnhancedWord.read(memory, offset);
        MemorySegment copied = MemorySegment.ofArray(new byte[EnhancedWord.LENGTH]);
        word.put(copied, 0);
        assertThat(copied.mismatch(memory.asSlice(offset, EnhancedWord.LENGTH))).isEqualTo(-1);
        return word.appendTo(new StringBuilder()).toString();
    }

    /** Sizes of an FPDU with the length found here, at a position found here. */
    private static String readFpdu(MemorySegment memory, long offset) {
        int length = Fpdu.ulpduLength(memory, offset);
        int position = Marker.fpduPtr(memory, offset);
        int plain = Fpdu.lengthWithoutMarkers(length);
        int marked = Marker.wireLength(position, length);
        assertThat(plain % 4).isZero();
        assertThat(marked - plain).isEqualTo(Marker.LENGTH * Marker.count(position, length));
        assertThat(Fpdu.pad(length)).isBetween(0, 3);
        assertThat(Fpdu.mulpdu(length, true)).isBetween(Fpdu.MIN_MULPDU, Fpdu.MAX_ULPDU);
        assertThat(Fpdu.mulpdu(length, false)).isBetween(Fpdu.MIN_MULPDU, Fpdu.MAX_ULPDU);
        return length + " " + position + " " + marked;
    }

    private static boolean wrapped(boolean wrapped, boolean fits) {
        assertThat(wrapped).isEqualTo(fits);
        return wrapped;
    }
}
