package io.stag.wire.mpa;

import static io.stag.wire.NetworkOrder.U16;

import java.lang.foreign.MemorySegment;

/**
 * Sizes of a framed PDU (RFC 5044, section 4.1), Markers apart; those are in {@link Marker}.
 *
 * <pre>
 *  0       2                 2+n     2+n+p        6+n+p
 *  | length | ULPDU, n octets | PAD, p | CRC, 4    |
 * </pre>
 */
public final class Fpdu {
    /** Octets of the ULPDU_Length field. */
    public static final int LENGTH_FIELD = 2;

    /** Octets of the CRC field, present also when CRC is off. */
    public static final int CRC_LENGTH = 4;

    /** The longest ULPDU that may be sent. */
    public static final int MAX_ULPDU = 64768;

    /** MULPDU never falls below this. */
    public static final int MIN_MULPDU = 128;

    private Fpdu() {}

    /**
     * Octets of padding after a ULPDU.
     *
     * @param ulpduLength octets of the ULPDU
     * @return 0 to 3
     */
    public static int pad(int ulpduLength) {
        return -(ulpduLength + LENGTH_FIELD) & 3;
    }

    /**
     * Octets of a whole FPDU without its Markers.
     *
     * @param ulpduLength octets of the ULPDU
     * @return a multiple of 4
     */
    public static int lengthWithoutMarkers(int ulpduLength) {
        return LENGTH_FIELD + ulpduLength + pad(ulpduLength) + CRC_LENGTH;
    }

    /**
     * The longest ULPDU whose FPDU fits into one TCP segment (RFC 5044, section 4.5), within the limits of section 3.
     *
     * @param emss effective maximum segment size of TCP in octets
     * @param markers whether Markers are sent
     * @return {@link #MIN_MULPDU} to {@link #MAX_ULPDU}
     */
    public static int mulpdu(int emss, boolean markers) {
        int markerOctets = markers ? Marker.LENGTH * Math.ceilDiv(emss, Marker.INTERVAL) : 0;
        int mulpdu = emss - (LENGTH_FIELD + CRC_LENGTH + markerOctets + (emss & 3));
        return Math.clamp(mulpdu, MIN_MULPDU, MAX_ULPDU);
    }

    /**
     * Reads ULPDU_Length.
     *
     * @param segment where to read
     * @param offset offset of the field
     * @return 0 to 65535
     */
    public static int ulpduLength(MemorySegment segment, long offset) {
        return Short.toUnsignedInt(segment.get(U16, offset));
    }

    /**
     * Writes ULPDU_Length.
     *
     * @param segment where to write
     * @param offset offset of the field
     * @param ulpduLength octets of the ULPDU; the low 16 bits are written
     */
    public static void putUlpduLength(MemorySegment segment, long offset, int ulpduLength) {
        segment.set(U16, offset, (short) ulpduLength);
    }
}
