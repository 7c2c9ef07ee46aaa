package io.stag.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.AllocationMeter;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import io.stag.wire.mpa.MpaFrame;
import io.stag.wire.rdmap.AtomicArithmetic;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WireAllocationTest {
    private static final int ROUNDS = 20_000;

    private final AllocationMeter meter = new AllocationMeter();
    private final MemorySegment memory = Arena.ofAuto().allocate(65_536);
    private final Arena shared = Arena.ofShared();
    private final MemorySegment other = shared.allocate(65_536);
    private final MemorySegment heap = MemorySegment.ofArray(new byte[65_536]);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
    private final Crc32c crc = new Crc32c();
    private final MpaFrame frame = new MpaFrame();
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final AtomicRequestHeader atomicRequest = new AtomicRequestHeader();
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();
    private final ImmediateData immediate = new ImmediateData();
    private final TerminateHeader terminate = new TerminateHeader();
    private long sink;

    @AfterEach
    void freeMemory() {
        shared.close();
    }

    @Test
    void headersAreReadAndWrittenWithoutAllocation() {
        assertAllocatesNothing(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                MemorySegment segment = (i & 1) == 0 ? memory : other;
                frameAndDdpHeaders(segment, i & 1023);
                rdmapHeaders(segment, i & 1023);
            }
        });
    }

    @Test
    void crcIsComputedWithoutAllocationOverAnyMemory() {
        assertAllocatesNothing(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                crc.reset();
                crc.update(buffer, i & 1023, 64);
                crc.update(memory, i & 1023, 64);
                crc.update(other, i & 1023, 100);
                crc.update(heap, i & 1023, 64);
                Crc32c.putWire(memory, 0, crc.value());
                sink += Crc32c.getWire(memory, 0);
            }
        });
    }

    private void frameAndDdpHeaders(MemorySegment segment, int offset) {
        if (frame.wrap(segment, offset, 100)) {
            frame.putRequest(true, true, false, 2, offset);
            frame.putReply(true, true, true, false, 2, offset);
            sink += frame.revision() + frame.privateDataLength() + (frame.isReplyKey() ? 1 : 0);
        }
        Fpdu.putUlpduLength(segment, offset, offset);
        Marker.put(segment, offset + 4, Marker.pointer(0, 4 * offset));
        sink += Marker.fpduPtr(segment, offset + 4) + Marker.wireLength(4 * offset, Fpdu.ulpduLength(segment, offset));
        if (tagged.wrap(segment, offset)) {
            tagged.put(true, DdpControl.rdmap(RdmapOpcode.RDMA_WRITE), offset, 7L);
            sink += tagged.stag() + tagged.taggedOffset() + tagged.opcode() + (tagged.isLast() ? 1 : 0);
        }
        if (untagged.wrap(segment, offset)) {
            untagged.put(true, DdpControl.rdmap(RdmapOpcode.SEND), 0, 0, offset, 0);
            sink += untagged.msn() + untagged.queueNumber() + untagged.messageOffset() + untagged.invalidateStag();
        }
    }

    private void rdmapHeaders(MemorySegment segment, int offset) {
        if (readRequest.wrap(segment, offset + 18, 28)) {
            readRequest.put(1, 2L, offset, 4, 5L);
            sink += readRequest.messageSize() + readRequest.sourceTaggedOffset();
        }
        if (terminate.wrap(segment, 2048, 52)) {
            terminate.put(TerminateCode.MPA_CRC_MISMATCH.wireValue());
            terminate.putWithDdpHeader(TerminateCode.DDP_UNTAGGED_NO_BUFFER.wireValue(), 18, segment, offset);
            terminate.putWithReadRequest(TerminateCode.RDMAP_INVALID_STAG.wireValue(), 46, segment, offset);
            sink += terminate.code() + terminate.rdmaHeaderLength() + terminate.ddpSegmentLength();
        }
        if (atomicRequest.wrap(segment, offset)) {
            atomicRequest.putFetchAdd(1, 2, 3L, 4L, 5L);
            sink += AtomicArithmetic.fetchAdd(sink, atomicRequest.addOrSwapData(), atomicRequest.addOrSwapMask());
        }
        if (atomicResponse.wrap(segment, offset)) {
            atomicResponse.put(offset, sink);
            sink += atomicResponse.originalRemoteDataValue();
        }
        if (immediate.wrap(segment, offset)) {
            immediate.put(sink);
            sink += immediate.value();
        }
        sink += RdmapOpcode.queue(offset & 15);
    }

    private void assertAllocatesNothing(Runnable work) {
        assertThat(meter.octetsAllocatedOnceWarm(work)).isZero();
    }
}
