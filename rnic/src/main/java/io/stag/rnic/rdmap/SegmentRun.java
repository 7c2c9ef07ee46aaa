package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.mpa.FpduEncoder;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;

/**
 * Segments of one length in a row, from memory that lies together: those of a long message but its last. The caller looks once
 * at what is the same for all, which is access and room; where TCP segments are as short as those of Ethernet, most of
 * what a segment took besides its copy and CRC were such looks.
 */
final class SegmentRun {
    private final FpduEncoder encoder;
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();

    SegmentRun(FpduEncoder encoder) {
        this.encoder = encoder;
    }

    /**
     * Appends tagged segments.
     *
     * @param taggedOffset of the first one
     * @param memory where the payload is; the caller has checked the access
     * @param offset of the payload of the first one in that memory
     * @param payload octets of each
     * @param count how many; they fit
     * @return how many were made: fewer when the memory is gone
     */
    int appendTagged(
            StagingBuffer out,
            int opcode,
            int stag,
            long taggedOffset,
            MemorySegment memory,
            long offset,
            int payload,
            int count) {
        int rdmap = DdpControl.rdmap(opcode);
        for (int i = 0; i < count; i++) {
            long done = (long) i * payload;
            tagged.wrap(out.segment(), encoder.begin(out, TaggedHeader.LENGTH + payload));
            tagged.put(false, rdmap, stag, taggedOffset + done);
            if (encoder.gather(memory, offset + done, TaggedHeader.LENGTH, payload) != AccessCheck.OK) {
                return i;
            }
            encoder.end();
        }
        return count;
    }

    /** The same with segments of a Send; {@code messageOffset} is that of the first one. */
    int appendUntagged(
            StagingBuffer out,
            int opcode,
            int invalidateStag,
            int msn,
            int messageOffset,
            MemorySegment memory,
            long offset,
            int payload,
            int count) {
        int rdmap = DdpControl.rdmap(opcode);
        for (int i = 0; i < count; i++) {
            int done = i * payload;
            untagged.wrap(out.segment(), encoder.begin(out, UntaggedHeader.LENGTH + payload));
            untagged.put(false, rdmap, invalidateStag, RdmapOpcode.SEND_QUEUE, msn, messageOffset + done);
            if (encoder.gather(memory, offset + done, UntaggedHeader.LENGTH, payload) != AccessCheck.OK) {
                return i;
            }
            encoder.end();
        }
        return count;
    }
}
