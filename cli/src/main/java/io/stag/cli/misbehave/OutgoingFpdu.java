package io.stag.cli.misbehave;

import static io.stag.wire.NetworkOrder.U16;

import io.stag.wire.Crc32c;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A segment and what shall be wrong with its frame (RFC 5044, section 4).
 *
 * @param segment the content
 * @param lengthField ULPDU_Length, or {@link #TRUE_LENGTH}
 * @param padOctet what the pad is filled with
 * @param crcChange is added to the CRC by exclusive or
 * @param pointerChange is added to the FPDUPTR of each Marker
 * @param markerReserved the reserved half of each Marker
 * @param withoutMarkers leaves out Markers that are due
 */
record OutgoingFpdu(
        Segment segment,
        int lengthField,
        int padOctet,
        int crcChange,
        int pointerChange,
        int markerReserved,
        boolean withoutMarkers) {
    private static final int TRUE_LENGTH = -1;

    static OutgoingFpdu of(Segment segment) {
        return new OutgoingFpdu(segment, TRUE_LENGTH, 0, 0, 0, 0, false);
    }

    OutgoingFpdu withLengthField(int value) {
        return new OutgoingFpdu(segment, value, padOctet, crcChange, pointerChange, markerReserved, withoutMarkers);
    }

    OutgoingFpdu withPad(int octet) {
        return new OutgoingFpdu(segment, lengthField, octet, crcChange, pointerChange, markerReserved, withoutMarkers);
    }

    OutgoingFpdu withBadCrc() {
        return new OutgoingFpdu(segment, lengthField, padOctet, 1, pointerChange, markerReserved, withoutMarkers);
    }

    OutgoingFpdu withPointersOff(int octets) {
        return new OutgoingFpdu(segment, lengthField, padOctet, crcChange, octets, markerReserved, withoutMarkers);
    }

    OutgoingFpdu withMarkerReserved(int value) {
        return new OutgoingFpdu(segment, lengthField, padOctet, crcChange, pointerChange, value, withoutMarkers);
    }

    OutgoingFpdu withMarkersLeftOut() {
        return new OutgoingFpdu(segment, lengthField, padOctet, crcChange, pointerChange, markerReserved, true);
    }

    /**
     * The octets for the wire.
     *
     * @param markers whether Markers were agreed on for our direction
     * @param crc whether CRC was agreed on; without, the field is zero
     * @param position octets sent since the startup
     */
    byte[] encode(boolean markers, boolean crc, int position) {
        byte[] body = body();
        byte[] marked = markers && !withoutMarkers ? withMarkers(body, position) : body;
        byte[] fpdu = Arrays.copyOf(marked, marked.length + Crc32c.LENGTH);
        MemorySegment memory = MemorySegment.ofArray(fpdu);
        int value = 0;
        if (crc) {
            Crc32c sum = new Crc32c();
            sum.update(memory, 0, marked.length);
            value = sum.value();
        }
        Crc32c.putWire(memory, marked.length, value ^ crcChange);
        return fpdu;
    }

    private byte[] body() {
        int length = segment.length();
        byte[] body = new byte[Fpdu.LENGTH_FIELD + length + Fpdu.pad(length)];
        Arrays.fill(body, Fpdu.LENGTH_FIELD + length, body.length, (byte) padOctet);
        System.arraycopy(segment.octets(), 0, body, Fpdu.LENGTH_FIELD, length);
        Fpdu.putUlpduLength(MemorySegment.ofArray(body), 0, lengthField == TRUE_LENGTH ? length : lengthField);
        return body;
    }

    private byte[] withMarkers(byte[] body, int fpduPosition) {
        byte[] marked = new byte[body.length + Marker.LENGTH * Marker.countBefore(fpduPosition, body.length)];
        int at = 0;
        for (int i = 0; i <= body.length; i++) { // one may be due behind the last octet, before the CRC
            if (Marker.isDue(fpduPosition + at)) {
                int pointer = Marker.pointer(fpduPosition, fpduPosition + at) + pointerChange;
                MemorySegment memory = MemorySegment.ofArray(marked);
                memory.set(U16, at, (short) markerReserved);
                memory.set(U16, at + 2L, (short) pointer);
                at += Marker.LENGTH;
            }
            if (i < body.length) {
                marked[at++] = body[i];
            }
        }
        return marked;
    }
}
