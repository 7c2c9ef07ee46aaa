package io.stag.rnic.mpa;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Placement;
import io.stag.wire.Crc32c;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import java.lang.foreign.MemorySegment;

/**
 * Receiving side of MPA's full operation (RFC 5044, sections 4 to 6): finds FPDUs by their length fields, checks CRC and
 * markers, and hands up ULPDUs. Nothing is handed up before the whole FPDU is there and valid.
 *
 * <p>The first {@link #HEADERS} octets of a ULPDU lie together. Behind them there may be markers, so that payload is copied
 * by {@link #place} only.
 */
public final class FpduDecoder {

    /** What {@link #next} found. */
    public enum Result {
        /** More octets are needed, at least {@link #needed}. */
        INCOMPLETE,
        /** A valid ULPDU is at {@link #ulpduOffset}. */
        FPDU,
        /** The CRC does not match: MPA error 2. */
        BAD_CRC,
        /** A marker points elsewhere than the length fields say: MPA error 3. */
        BAD_MARKER
    }

    /** Octets of a ULPDU, or all if it has fewer, that can be read where they are: more than all headers together have. */
    public static final int HEADERS = 126;

    private final boolean crc;
    private final boolean markers;
    private final Crc32c checksum = new Crc32c();
    private int position;
    private int needed;
    private int wireLength;
    private int ulpduOffset;
    private int ulpduLength;
    private int untilMarker; // octets of the ULPDU before the first marker that is left in it

    /** Starts at stream position {@code startPosition} modulo 2^32: 0 but in tests. */
    public FpduDecoder(boolean crc, boolean markers, int startPosition) {
        this.crc = crc;
        this.markers = markers;
        this.position = startPosition;
    }

    /** Looks at the FPDU at the start of {@code in}. */
    public Result next(StagingBuffer in) {
        int lead = markers && Marker.isDue(position) ? Marker.LENGTH : 0;
        int header = lead + Fpdu.LENGTH_FIELD;
        if (in.size() < header) {
            needed = header - in.size();
            return Result.INCOMPLETE;
        }
        ulpduLength = Fpdu.ulpduLength(in.segment(), (long) in.start() + lead);
        wireLength = markers ? Marker.wireLength(position, ulpduLength) : Fpdu.lengthWithoutMarkers(ulpduLength);
        if (in.size() < wireLength) {
            needed = wireLength - in.size();
            return Result.INCOMPLETE;
        }
        if (crc && !crcMatches(in)) {
            return Result.BAD_CRC;
        }
        ulpduOffset = in.start() + Fpdu.LENGTH_FIELD;
        if (markers) {
            int count = Marker.count(position, ulpduLength);
            if (!markersPointHere(in.segment(), in.start(), count)) {
                return Result.BAD_MARKER;
            }
            joinHeaders(in.segment(), in.start(), count);
        }
        return Result.FPDU;
    }

    /**
     * After {@link Result#FPDU}: copies payload to where it belongs, without markers; a release fence follows, so that a
     * program may poll the memory.
     *
     * @param in the segment of the buffer
     * @param at offset of the payload there, if there were no markers behind {@link #ulpduOffset}
     * @param memory where it goes; the caller has checked the access
     * @param offset where in that memory
     * @param length octets
     * @return whether the memory was there
     */
    public AccessCheck place(MemorySegment in, int at, MemorySegment memory, long offset, int length) {
        return markers
                ? placeBetweenMarkers(in, at, memory, offset, length)
                : Placement.place(in, at, memory, offset, length);
    }

    private AccessCheck placeBetweenMarkers(MemorySegment in, int at, MemorySegment memory, long offset, int length) {
        int run = untilMarker - (at - ulpduOffset);
        int passed = run > 0 ? 0 : 1 - run / Marker.BETWEEN; // markers
        run += passed * Marker.BETWEEN;
        int from = at + passed * Marker.LENGTH;
        return Placement.placePieces(in, from, memory, offset, length, run, Marker.BETWEEN, Marker.LENGTH);
    }

    /** Drops the FPDU last found. */
    public void consume(StagingBuffer in) {
        in.consume(wireLength);
        position += wireLength;
    }

    /** After {@link Result#INCOMPLETE}: how many octets are missing at least. */
    public int needed() {
        return needed;
    }

    /** After {@link Result#FPDU}: where the ULPDU begins in the buffer's segment. */
    public int ulpduOffset() {
        return ulpduOffset;
    }

    /** Length of the ULPDU last looked at. */
    public int ulpduLength() {
        return ulpduLength;
    }

    private boolean crcMatches(StagingBuffer in) {
        int covered = wireLength - Fpdu.CRC_LENGTH;
        checksum.reset();
        checksum.update(in.buffer(), in.start(), covered);
        return checksum.value() == Crc32c.getWire(in.segment(), (long) in.start() + covered);
    }

    private boolean markersPointHere(MemorySegment segment, int start, int count) {
        int first = Marker.distanceToNext(position);
        for (int k = 0; k < count; k++) {
            int marker = first + k * Marker.INTERVAL;
            if (Marker.fpduPtr(segment, (long) start + marker) != Marker.pointer(position, position + marker)) {
                return false;
            }
        }
        return true;
    }

    /** Moves what is before an early marker over it; the next one is {@link Marker#INTERVAL} octets behind it. */
    private void joinHeaders(MemorySegment segment, int start, int count) {
        int marker = Marker.distanceToNext(position);
        if (count > 0 && marker < Fpdu.LENGTH_FIELD + HEADERS) {
            MemorySegment.copy(segment, start, segment, (long) start + Marker.LENGTH, marker);
            ulpduOffset += Marker.LENGTH;
            marker += Marker.INTERVAL;
        }
        untilMarker = start + marker - ulpduOffset;
    }
}
