package io.stag.cli.dump;

import io.stag.wire.Crc32c;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Takes one FPDU out of a stream (RFC 5044, section 4): removes and checks Markers, computes the CRC. */
final class FpduDecoder {
    private static final int MAX_ULPDU_ON_WIRE = 0xFFFF;

    /** A Marker that does not point to the length field. */
    record WrongMarker(int position, int pointer, int expected) {}

    private final Crc32c crc = new Crc32c();
    private final MemorySegment ulpdu = MemorySegment.ofArray(new byte[MAX_ULPDU_ON_WIRE]);
    private final List<WrongMarker> wrongMarkers = new ArrayList<>();
    private int ulpduLength;
    private int crcField;
    private int crcComputed;
    private int markerCount;

    /**
     * Tries to take the FPDU at the start of some octets.
     *
     * @param stream where the octets are
     * @param offset where the FPDU begins, with its leading Marker if it has one
     * @param available octets there
     * @param position stream position of that octet
     * @param markers whether the stream has Markers
     * @return octets of the FPDU on the wire, or 0 when more are needed
     */
    int decode(MemorySegment stream, long offset, int available, int position, boolean markers) {
        int lead = markers && Marker.isDue(position) ? Marker.LENGTH : 0;
        if (available < lead + Fpdu.LENGTH_FIELD) {
            return 0;
        }
        int length = Fpdu.ulpduLength(stream, offset + lead);
        int wireLength = markers ? Marker.wireLength(position, length) : Fpdu.lengthWithoutMarkers(length);
        if (available < wireLength) {
            return 0;
        }
        ulpduLength = length;
        crc.reset();
        crc.update(stream, offset, wireLength - Fpdu.CRC_LENGTH);
        crcComputed = crc.value();
        crcField = Crc32c.getWire(stream, offset + wireLength - Fpdu.CRC_LENGTH);
        wrongMarkers.clear();
        markerCount = 0;
        copyUlpdu(stream, offset, wireLength - Fpdu.CRC_LENGTH, position, markers);
        return wireLength;
    }

    /** The ULPDU without Markers; {@link #ulpduLength} octets. */
    MemorySegment ulpdu() {
        return ulpdu;
    }

    int ulpduLength() {
        return ulpduLength;
    }

    boolean isCrcRight() {
        return crcField == crcComputed;
    }

    int crcField() {
        return crcField;
    }

    int crcComputed() {
        return crcComputed;
    }

    int markerCount() {
        return markerCount;
    }

    List<WrongMarker> wrongMarkers() {
        return wrongMarkers;
    }

    private void copyUlpdu(MemorySegment stream, long offset, int length, int position, boolean markers) {
        long copied = -Fpdu.LENGTH_FIELD; // the length field is not part of the ULPDU
        int at = 0;
        while (at < length) {
            if (markers && Marker.isDue(position + at)) {
                check(stream, offset + at, position, position + at);
                at += Marker.LENGTH;
                continue;
            }
            int piece = markers ? Math.min(length - at, Marker.distanceToNext(position + at)) : length - at;
            int skip = copied < 0 ? (int) Math.min(-copied, piece) : 0;
            long wanted = Math.min(piece - skip, ulpduLength - (copied + skip));
            if (wanted > 0) { // what is beyond is the pad
                MemorySegment.copy(stream, offset + at + skip, ulpdu, copied + skip, wanted);
            }
            copied += piece;
            at += piece;
        }
    }

    private void check(MemorySegment stream, long offset, int fpduPosition, int markerPosition) {
        markerCount++;
        int pointer = Marker.fpduPtr(stream, offset);
        int expected = Marker.pointer(fpduPosition, markerPosition);
        if (pointer != expected) {
            wrongMarkers.add(new WrongMarker(markerPosition, pointer, expected));
        }
    }
}
