package io.stag.fuzz;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * MPA framing once more, octet group by octet group as RFC 5044, section 4.3, tells it, without any of the engine's code:
 * what the engine is compared with, and how a hostile peer's octets get valid CRCs.
 */
final class SlowFraming {
    static final int LONGEST_FPDU = 66 * 1024;

    private static final int INTERVAL = 512;
    private static final int GROUP = 4;

    private final boolean markers;

    SlowFraming(boolean markers) {
        this.markers = markers;
    }

    /**
     * An FPDU in a stream.
     *
     * @param wireLength octets it takes, or would take when it is not all there; at least 1 more than there are
     * @param whole whether all of it is there
     */
    record Found(byte[] ulpdu, int wireLength, boolean whole, boolean markersRight, boolean crcRight) {
        static final Found NOTHING = new Found(new byte[0], 0, false, true, true);
    }

    /** Looks at the FPDU at {@code at}, which has this position in the stream. */
    Found find(byte[] stream, int at, int position) {
        return walk(stream, at, position, false);
    }

    /** Puts right markers and CRCs of all FPDUs that are there in full. */
    void repair(byte[] stream, int position) {
        int at = 0;
        Found found = walk(stream, at, position, true);
        while (found.whole()) {
            at += found.wireLength();
            found = walk(stream, at, position + at, true);
        }
    }

    /** An FPDU for this position of the stream; the CRC field is 0 if there shall be no CRC. */
    byte[] encode(byte[] ulpdu, int position, boolean crc) {
        byte[] plain = Arrays.copyOf(ulpdu, ulpdu.length + 2);
        System.arraycopy(ulpdu, 0, plain, 2, ulpdu.length);
        plain[0] = (byte) (ulpdu.length >> 8);
        plain[1] = (byte) ulpdu.length;
        plain = Arrays.copyOf(plain, (plain.length + GROUP - 1) / GROUP * GROUP);
        var out = new ByteArrayOutputStream();
        int lengthField = markers && position % INTERVAL == 0 ? position + GROUP : position;
        for (int group = 0; group <= plain.length; group += GROUP) {
            int here = position + out.size();
            if (markers && here % INTERVAL == 0) {
                int pointer = group == 0 ? 0 : here - lengthField;
                out.writeBytes(new byte[] {0, 0, (byte) (pointer >> 8), (byte) pointer});
            }
            if (group < plain.length) {
                out.write(plain, group, GROUP);
            }
        }
        int value = crc ? crc(out.toByteArray(), 0, out.size()) : 0;
        out.writeBytes(new byte[] {(byte) value, (byte) (value >> 8), (byte) (value >> 16), (byte) (value >> 24)});
        return out.toByteArray();
    }

    private Found walk(byte[] stream, int start, int position, boolean repair) {
        List<Integer> markerOffsets = new ArrayList<>();
        int at = start;
        if (markers && position % INTERVAL == 0) {
            markerOffsets.add(at);
            at += GROUP;
        }
        int lengthField = at;
        if (stream.length < lengthField + 2) {
            return new Found(new byte[0], lengthField + 2 - start, false, true, true);
        }
        int length = (stream[lengthField] & 0xFF) << 8 | stream[lengthField + 1] & 0xFF;
        int padded = (2 + length + GROUP - 1) / GROUP * GROUP;
        byte[] plain = new byte[Math.min(padded, stream.length)]; // more is not there in any case
        for (int group = 0; group <= padded; group += GROUP) {
            if (group > 0 && markers && (position + at - start) % INTERVAL == 0) {
                markerOffsets.add(at);
                at += GROUP;
            }
            if (group < padded) {
                for (int i = 0; i < GROUP && at + i < stream.length && group + i < plain.length; i++) {
                    plain[group + i] = stream[at + i];
                }
                at += GROUP;
            }
        }
        int covered = at - start;
        int wireLength = covered + GROUP;
        if (stream.length - start < wireLength) {
            return new Found(new byte[0], wireLength, false, true, true);
        }
        boolean markersRight = true;
        for (int marker : markerOffsets) {
            int pointer = marker < lengthField ? 0 : marker - lengthField;
            if (repair) {
                stream[marker + 2] = (byte) (pointer >> 8);
                stream[marker + 3] = (byte) pointer;
            }
            int found = (stream[marker + 2] & 0xFF) << 8 | stream[marker + 3] & 0xFC;
            markersRight &= found == pointer;
        }
        int crc = crc(stream, start, covered);
        int crcField = 0;
        for (int i = 0; i < GROUP; i++) {
            if (repair) {
                stream[start + covered + i] = (byte) (crc >> 8 * i);
            }
            crcField |= (stream[start + covered + i] & 0xFF) << 8 * i;
        }
        return new Found(Arrays.copyOfRange(plain, 2, 2 + length), wireLength, true, markersRight, crcField == crc);
    }

    private static int crc(byte[] octets, int offset, int length) {
        var crc = new CRC32C();
        crc.update(octets, offset, length);
        return (int) crc.getValue();
    }
}
