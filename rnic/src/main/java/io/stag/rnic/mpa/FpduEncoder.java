package io.stag.rnic.mpa;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Placement;
import io.stag.wire.Crc32c;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sending side of MPA's full operation (RFC 5044, section 4): length, pad, markers, CRC. Between {@link #begin} and
 * {@link #end} the caller writes the ULPDU, or its header only and has payload copied by {@link #gather}.
 */
public final class FpduEncoder {
    private static final int LARGEST_FRAME = 9_216;

    private final boolean crc;
    private final boolean markers;
    private final Crc32c checksum = new Crc32c();
    private int segmentSize; // 0: TCP may cut as it likes
    private int inSegment; // octets of whole FPDUs in the TCP segment that is being filled
    private int position;
    private @Nullable StagingBuffer out;
    private int ulpduLength;
    private int unmarked; // FPDU octets from the length field on that lie together, without room for markers

    /** Starts at stream position {@code startPosition} modulo 2^32: 0 but in tests. */
    public FpduEncoder(boolean crc, boolean markers, int startPosition) {
        this(crc, markers, startPosition, 0);
    }

    /**
     * The same for a path with TCP segments of {@code emss} octets.
     *
     * <p>Linux siw refuses an FPDU whose CRC field is cut by the end of a TCP segment. FPDUs are multiples of four octets
     * long, so that happens only where segments are not. There this class packs whole FPDUs into a segment and asks for
     * a break behind them; elsewhere it leaves that to TCP, which then needs fewer calls. Segments beyond the largest
     * frames exist inside one machine only.
     */
    public FpduEncoder(boolean crc, boolean markers, int startPosition, int emss) {
        this.crc = crc;
        this.markers = markers;
        this.position = startPosition;
        segmentSize(emss);
    }

    /** The path's TCP segments have another size from now on. */
    public final void segmentSize(int emss) {
        segmentSize = crc && emss % Fpdu.CRC_LENGTH != 0 && emss <= LARGEST_FRAME ? emss : 0;
    }

    /** Octets that an FPDU with such a ULPDU takes at this point of the stream. */
    public int wireLength(int ulpdu) {
        return markers ? Marker.wireLength(position, ulpdu) : Fpdu.lengthWithoutMarkers(ulpdu);
    }

    /** The most octets that an FPDU with such a ULPDU takes, wherever it begins. */
    public int longestWireLength(int ulpdu) {
        return markers ? Marker.wireLength(0, ulpdu) : Fpdu.lengthWithoutMarkers(ulpdu); // at 0 a marker is due
    }

    /**
     * Starts an FPDU behind what {@code target} holds; the caller made sure that {@link #wireLength} octets fit.
     *
     * @return offset in the target's segment where the caller writes the ULPDU
     */
    public int begin(StagingBuffer target, int ulpdu) {
        if (target.size() == 0) {
            inSegment = 0; // what was there before has left
        }
        if (out != target) { // a store costs more, since the garbage collector keeps books of them
            out = target;
        }
        ulpduLength = ulpdu;
        unmarked = Fpdu.LENGTH_FIELD + ulpdu;
        Fpdu.putUlpduLength(target.segment(), target.end(), ulpdu);
        return target.end() + Fpdu.LENGTH_FIELD;
    }

    /**
     * Copies payload to where it lies in the FPDU, with room for markers.
     *
     * @param memory where the payload is; the caller has checked the access
     * @param offset of the payload in that memory
     * @param ulpduOffset of the payload in the ULPDU; what is before has been written by the caller, or gathered
     * @param length octets
     * @return whether the memory was there; if not, the FPDU cannot be finished
     */
    public AccessCheck gather(MemorySegment memory, long offset, int ulpduOffset, int length) {
        StagingBuffer target = Objects.requireNonNull(out, "begin first");
        int fpduOffset = Fpdu.LENGTH_FIELD + ulpduOffset;
        return markers
                ? gatherBetweenMarkers(memory, offset, target, fpduOffset, length)
                : Placement.gather(memory, offset, target.segment(), (long) target.end() + fpduOffset, length);
    }

    private AccessCheck gatherBetweenMarkers(
            MemorySegment memory, long offset, StagingBuffer target, int fpduOffset, int length) {
        unmarked = Math.min(unmarked, fpduOffset);
        int at = fpduOffset + Marker.LENGTH * Marker.countBefore(position, fpduOffset);
        return Placement.gatherPieces(
                memory,
                offset,
                target.segment(),
                (long) target.end() + at,
                length,
                Marker.distanceToNext(position + at),
                Marker.BETWEEN,
                Marker.LENGTH);
    }

    /** Finishes the FPDU: pad, markers, CRC. */
    public void end() {
        StagingBuffer target = Objects.requireNonNull(out, "begin first");
        MemorySegment segment = target.segment();
        int start = target.end();
        int covered = Fpdu.LENGTH_FIELD + ulpduLength;
        int pad = Fpdu.pad(ulpduLength);
        int padAt = start + covered + (markers ? Marker.LENGTH * Marker.countBefore(position, covered) : 0);
        for (int i = 0; i < pad; i++) {
            segment.set(ValueLayout.JAVA_BYTE, padAt + i, (byte) 0);
        }
        covered += pad;
        if (markers) {
            covered += insertMarkers(segment, start);
        }
        int value = 0; // with CRC off the field is present and zero
        if (crc) {
            checksum.reset();
            checksum.update(target.buffer(), start, covered);
            value = checksum.value();
        }
        Crc32c.putWire(segment, start + covered, value);
        int length = covered + Fpdu.CRC_LENGTH;
        target.append(length);
        position += length;
        if (segmentSize > 0) {
            boolean fits = inSegment + length <= segmentSize;
            inSegment = fits ? inSegment + length : length;
            target.breakSegment(fits);
        }
    }

    /**
     * Finishes an FPDU whose payload stays where it is: the caller wrote the ULPDU's header only, where {@link #canSplice} allows it.
     *
     * @param splices gets the payload
     * @param header octets of the header
     * @param grant whose memory the payload is in; the caller has checked the access
     * @param offset of the payload in that memory
     * @return whether the memory was there; if not, no FPDU was made
     */
    public AccessCheck splice(Splices splices, int header, Grant grant, long offset) {
        StagingBuffer target = Objects.requireNonNull(out, "begin first");
        int start = target.end();
        int covered = Fpdu.LENGTH_FIELD + header;
        int payload = ulpduLength - header;
        if (crc) {
            checksum.reset();
            checksum.update(target.buffer(), start, covered);
            AccessCheck check = Placement.checksum(grant, offset, payload, checksum);
            if (check != AccessCheck.OK) {
                return check;
            }
        }
        MemorySegment segment = target.segment();
        int tail = start + covered;
        int pad = Fpdu.pad(ulpduLength);
        for (int i = 0; i < pad; i++) {
            segment.set(ValueLayout.JAVA_BYTE, tail + i, (byte) 0);
        }
        if (crc) {
            checksum.update(target.buffer(), tail, pad);
        }
        Crc32c.putWire(segment, (long) tail + pad, crc ? checksum.value() : 0);
        splices.add(grant.memory(), offset, payload, tail, start);
        target.append(covered + pad + Fpdu.CRC_LENGTH);
        position += covered + payload + pad + Fpdu.CRC_LENGTH;
        return AccessCheck.OK;
    }

    /** True when {@link #splice} can be used. */
    public boolean canSplice() {
        return !markers && segmentSize == 0;
    }

    /**
     * Writes the markers, and spreads apart what lies together.
     *
     * @return octets of all markers
     */
    private int insertMarkers(MemorySegment segment, int start) {
        int count = Marker.count(position, ulpduLength);
        int first = Marker.distanceToNext(position);
        if (first < unmarked) {
            spread(segment, start, first, count);
        }
        for (int k = 0; k < count; k++) {
            int marker = first + k * Marker.INTERVAL;
            Marker.put(segment, (long) start + marker, Marker.pointer(position, position + marker));
        }
        return count * Marker.LENGTH;
    }

    /** Makes room for markers, from the last to the first, so that nothing is overwritten before it moved. */
    private void spread(MemorySegment segment, int start, int first, int count) {
        int end = unmarked;
        for (int k = count - 1; k >= 0; k--) {
            int chunk = first + k * Marker.BETWEEN;
            if (chunk < end) {
                int behind = start + first + k * Marker.INTERVAL + Marker.LENGTH;
                MemorySegment.copy(segment, (long) start + chunk, segment, behind, end - chunk);
                end = chunk;
            }
        }
    }
}
