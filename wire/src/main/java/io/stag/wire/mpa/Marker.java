package io.stag.wire.mpa;

import static io.stag.wire.NetworkOrder.U16;
import static io.stag.wire.NetworkOrder.U32;

import java.lang.foreign.MemorySegment;

/**
 * Markers (RFC 5044, sections 4.2 and 4.3): their octets, and where they lie.
 *
 * <pre>
 *  0          2          4
 *  | reserved  | FPDUPTR |
 * </pre>
 *
 * <p>Positions count the octets of one direction from the first one in Full Operation, Markers included, modulo 2^32.
 * A Marker starts at each multiple of {@link #INTERVAL}. An FPDU begins at a multiple of 4; if a Marker is due there,
 * it belongs to the FPDU and comes before its length field. The others lie between length field and CRC; one may come
 * directly before the CRC, none directly after it.
 *
 * <p>An FPDU offset counts the octets of an FPDU from its length field without Markers.
 */
public final class Marker {
    /** Distance from the start of one Marker to the start of the next. */
    public static final int INTERVAL = 512;

    /** Octets of a Marker. */
    public static final int LENGTH = 4;

    /** Octets of FPDUs from one Marker to the next. */
    public static final int BETWEEN = INTERVAL - LENGTH;

    private static final int FPDUPTR = 2;
    private static final int FPDUPTR_MASK = 0xFFFC;

    private Marker() {}

    /**
     * Reads FPDUPTR.
     *
     * @param segment where to read
     * @param offset offset of the Marker
     * @return octets back to the length field, the two low bits masked off
     */
    public static int fpduPtr(MemorySegment segment, long offset) {
        return segment.get(U16, offset + FPDUPTR) & FPDUPTR_MASK;
    }

    /**
     * Writes a Marker.
     *
     * @param segment where to write
     * @param offset offset of the Marker
     * @param fpduPtr octets back to the length field; the two low bits are written as zero
     */
    public static void put(MemorySegment segment, long offset, int fpduPtr) {
        segment.set(U32, offset, fpduPtr & FPDUPTR_MASK); // reserved octets, which are zero, and FPDUPTR
    }

    /**
     * Octets from a position to the next Marker.
     *
     * @param position a stream position
     * @return 0 (a Marker is due here) to 511
     */
    public static int distanceToNext(int position) {
        return -position & (INTERVAL - 1);
    }

    /**
     * Whether a Marker is due at a position.
     *
     * @param position a stream position
     * @return true when the position is a multiple of {@link #INTERVAL}
     */
    public static boolean isDue(int position) {
        return distanceToNext(position) == 0;
    }

    /**
     * Position of the length field, to which all Markers of the FPDU point.
     *
     * @param fpduPosition stream position at which the FPDU begins
     * @return that position, or four octets later if the FPDU begins with a Marker
     */
    public static int lengthFieldPosition(int fpduPosition) {
        return isDue(fpduPosition) ? fpduPosition + LENGTH : fpduPosition;
    }

    /**
     * FPDUPTR of a Marker of an FPDU.
     *
     * @param fpduPosition stream position at which the FPDU begins
     * @param markerPosition stream position of the Marker
     * @return 0 for a Marker before the length field, else the octets back to that field
     */
    public static int pointer(int fpduPosition, int markerPosition) {
        return markerPosition == fpduPosition ? 0 : markerPosition - lengthFieldPosition(fpduPosition);
    }

    /**
     * Markers of an FPDU that lie before one of its octets.
     *
     * @param fpduPosition stream position at which the FPDU begins
     * @param fpduOffset FPDU offset of the octet, of a length field (0) or later, up to that of the CRC
     * @return how many, the one before the length field and one directly before the octet included
     */
    public static int countBefore(int fpduPosition, int fpduOffset) {
        int first = distanceToNext(fpduPosition);
        return first > fpduOffset ? 0 : 1 + (fpduOffset - first) / BETWEEN;
    }

    /**
     * Markers that belong to an FPDU.
     *
     * @param fpduPosition stream position at which the FPDU begins
     * @param ulpduLength octets of its ULPDU
     * @return how many, the one before the length field included
     */
    public static int count(int fpduPosition, int ulpduLength) {
        return countBefore(fpduPosition, Fpdu.lengthWithoutMarkers(ulpduLength) - Fpdu.CRC_LENGTH);
    }

    /**
     * Octets of an FPDU on the wire, from its first Marker or length field to the end of its CRC.
     *
     * @param fpduPosition stream position at which the FPDU begins
     * @param ulpduLength octets of its ULPDU
     * @return a multiple of 4
     */
    public static int wireLength(int fpduPosition, int ulpduLength) {
        return Fpdu.lengthWithoutMarkers(ulpduLength) + LENGTH * count(fpduPosition, ulpduLength);
    }
}
