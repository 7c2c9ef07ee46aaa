package io.stag.cli.dump;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/** Spoils capture files. */
final class PcapEditor {
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;

    private PcapEditor() {}

    /** Cuts octets off the end of one packet, as a snap length does. */
    static byte[] shorten(byte[] file, int packet, int octets) {
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(file, 0, FILE_HEADER);
        int at = FILE_HEADER;
        for (int i = 0; at < file.length; i++) {
            int length = in.getInt(at + 8);
            byte[] record = Arrays.copyOfRange(file, at, at + RECORD_HEADER + length);
            int kept = i == packet ? length - octets : length;
            ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).putInt(8, kept);
            out.write(record, 0, RECORD_HEADER + kept);
            at += RECORD_HEADER + length;
        }
        return out.toByteArray();
    }

    static CaptureReader reader(byte[] file) throws IOException {
        ByteArrayInputStream rest = new ByteArrayInputStream(file, 4, file.length - 4);
        return Objects.requireNonNull(CaptureReader.open(Arrays.copyOf(file, 4), rest));
    }
}
