package io.stag.cli.dump;

import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;

/**
 * Finds where an FPDU begins in the middle of a stream. With Markers they say it (that is what they are for); without,
 * the octets must look like an FPDU and either its CRC must be right or the next ones must look like FPDUs too.
 */
final class FpduFinder {
    /** Nothing found in the octets at hand. */
    static final int NONE = -1;

    private static final int CHAIN = 3;

    private final FpduDecoder decoder = new FpduDecoder();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private boolean crcRight;

    /** Whether the CRC of the FPDU found was right. */
    boolean isCrcRight() {
        return crcRight;
    }

    /** Searches octet by octet: gives the offset of an FPDU from {@code start}, or {@link #NONE}. */
    int find(MemorySegment stream, long start, int available) {
        for (int at = 0; at + Fpdu.LENGTH_FIELD + TaggedHeader.LENGTH <= available; at++) {
            if (!looksLikeFpdu(stream, start + at, available - at)) {
                continue;
            }
            int length = decoder.decode(stream, start + at, available - at, 0, false);
            crcRight = length > 0 && decoder.isCrcRight();
            if (crcRight || (length > 0 && isChain(stream, start + at, available - at))) {
                return at;
            }
        }
        return NONE;
    }

    /**
     * Follows Markers.
     *
     * @param position stream position of the octet at {@code start}
     * @return offset from {@code start} of an FPDU, its leading Marker included, or {@link #NONE}
     */
    int findByMarkers(MemorySegment stream, long start, int available, int position) {
        for (int at = Marker.distanceToNext(position); at + Marker.LENGTH <= available; at += Marker.INTERVAL) {
            int pointer = Marker.fpduPtr(stream, start + at);
            int fpdu = at - pointer;
            if (pointer > 0 && Marker.isDue(position + fpdu - Marker.LENGTH)) {
                fpdu -= Marker.LENGTH;
            }
            if (fpdu >= 0) {
                return fpdu;
            }
        }
        return NONE;
    }

    private boolean isChain(MemorySegment stream, long start, int available) {
        int at = 0;
        for (int i = 0; i < CHAIN; i++) {
            if (!looksLikeFpdu(stream, start + at, available - at)) {
                return false;
            }
            at += Fpdu.lengthWithoutMarkers(Fpdu.ulpduLength(stream, start + at));
        }
        return true;
    }

    private boolean looksLikeFpdu(MemorySegment stream, long offset, int available) {
        if (available < Fpdu.LENGTH_FIELD + TaggedHeader.LENGTH) {
            return false;
        }
        long header = offset + Fpdu.LENGTH_FIELD;
        int length = Fpdu.ulpduLength(stream, offset);
        int ddp = DdpControl.ddpControl(stream, header);
        int rdmap = DdpControl.rdmapControl(stream, header);
        int opcode = DdpControl.opcode(rdmap);
        boolean plausible = DdpControl.version(ddp) == DdpControl.VERSION
                && (ddp & DdpControl.RESERVED_MASK) == 0
                && DdpControl.rdmapVersion(rdmap) == DdpControl.RDMAP_VERSION
                && (rdmap & DdpControl.RDMAP_RESERVED_MASK) == 0
                && RdmapOpcode.isKnown(opcode)
                && RdmapOpcode.isTagged(opcode) == DdpControl.isTagged(ddp)
                && length <= Fpdu.MAX_ULPDU;
        if (!plausible || DdpControl.isTagged(ddp)) {
            return plausible && length >= TaggedHeader.LENGTH;
        }
        return length >= UntaggedHeader.LENGTH
                && untagged.wrap(stream, header, available - Fpdu.LENGTH_FIELD)
                && untagged.queueNumber() == RdmapOpcode.queue(opcode);
    }
}
