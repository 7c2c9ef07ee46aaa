package io.stag.rnic.mpa;

import io.stag.wire.Crc32c;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import java.lang.foreign.MemorySegment;

/**
 * Receiving side of MPA's full operation (RFC 5044, sections 4 to 6): finds FPDUs by their length fields, checks CRC and
 * markers, and hands up ULPDUs as contiguous octets. Nothing is handed up before the whole FPDU is there and valid.
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

    private static final int BETWEEN_MARKERS = Marker.INTERVAL - Marker.LENGTH;

    private final boolean crc;
    private final boolean markers;
    private final Crc32c checksum = new Crc32c();
    private int position;
    private int needed;
    private int wireLength;
    private int ulpduOffset;
    private int ulpduLength;

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
        if (markers && !stripMarkers(in.segment(), in.start())) {
            return Result.BAD_MARKER;
        }
        ulpduOffset = in.start() + header;
        return Result.FPDU;
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

    /** After {@link Result#FPDU}: where the ULPDU is in the buffer's segment. */
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

    /** Moves what follows each inner marker to the left. @return false when a marker points elsewhere */
    private boolean stripMarkers(MemorySegment segment, int start) {
        int count = Marker.count(position, ulpduLength);
        int covered = wireLength - Fpdu.CRC_LENGTH;
        int first = Marker.distanceToNext(position);
        int shift = 0;
        for (int k = 0; k < count; k++) {
            int marker = first + k * Marker.INTERVAL;
            if (Marker.fpduPtr(segment, (long) start + marker) != Marker.pointer(position, position + marker)) {
                return false;
            }
            if (marker == 0) {
                continue; // before the length field: nothing to move
            }
            shift += Marker.LENGTH;
            int chunk = marker + Marker.LENGTH;
            int length = Math.min(BETWEEN_MARKERS, covered - chunk);
            MemorySegment.copy(segment, (long) start + chunk, segment, (long) start + chunk - shift, length);
        }
        return true;
    }
}
