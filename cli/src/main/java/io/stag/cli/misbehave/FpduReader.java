package io.stag.cli.misbehave;

import io.stag.wire.Crc32c;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.mpa.Marker;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Takes FPDUs out of the octets that a peer sent since the startup (RFC 5044, section 4), and notes what is wrong. */
final class FpduReader {
    private final boolean markers;
    private final boolean crc;
    private final List<Finding> findings = new ArrayList<>();
    private int position;

    FpduReader(boolean markers, boolean crc) {
        this.markers = markers;
        this.crc = crc;
    }

    /** Octets read so far. */
    int position() {
        return position;
    }

    /** What was wrong with the frames read so far. */
    List<Finding> findings() {
        return findings;
    }

    /**
     * The next FPDU.
     *
     * @param stream octets since the startup
     * @param end how many there are
     * @return empty when it is not all there
     */
    Optional<Segment> next(byte[] stream, int end) {
        int lengthAt = markers ? Marker.lengthFieldPosition(position) : position;
        if (end - lengthAt < Fpdu.LENGTH_FIELD) {
            return Optional.empty();
        }
        MemorySegment memory = MemorySegment.ofArray(stream);
        int length = Fpdu.ulpduLength(memory, lengthAt);
        int wire = markers ? Marker.wireLength(position, length) : Fpdu.lengthWithoutMarkers(length);
        if (end - position < wire) {
            return Optional.empty();
        }
        checkCrc(memory, wire);
        byte[] octets = new byte[length];
        int at = lengthAt + Fpdu.LENGTH_FIELD;
        for (int i = 0; i < length; i++) {
            if (markers && Marker.isDue(at)) {
                checkMarker(memory, at);
                at += Marker.LENGTH;
            }
            octets[i] = stream[at++];
        }
        position += wire;
        return Optional.of(new Segment(octets));
    }

    private void checkCrc(MemorySegment memory, int wire) {
        if (!crc) {
            return;
        }
        Crc32c sum = new Crc32c();
        int crcAt = position + wire - Crc32c.LENGTH;
        sum.update(memory, position, crcAt - (long) position);
        if (sum.value() != Crc32c.getWire(memory, crcAt)) {
            findings.add(Finding.violation("MPA-036", "RFC 5044 §4.4", "an FPDU of the peer has a wrong CRC"));
        }
    }

    private void checkMarker(MemorySegment memory, int at) {
        if (Marker.fpduPtr(memory, at) != Marker.pointer(position, at)) {
            findings.add(
                    Finding.violation("MPA-022", "RFC 5044 §4.3", "a Marker of the peer points to the wrong place"));
        }
    }
}
