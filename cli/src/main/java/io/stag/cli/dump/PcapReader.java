package io.stag.cli.dump;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The classic format of tcpdump, in either octet order, with times in micro- or nanoseconds.
 *
 * <pre>
 *  file:   magic 4 | version 4 | zone 4 | accuracy 4 | snap length 4 | link type 4
 *  packet: seconds 4 | fraction 4 | captured length 4 | original length 4 | octets
 * </pre>
 */
final class PcapReader extends CaptureReader {
    private static final int MICROSECONDS = 0xA1B2C3D4;
    private static final int NANOSECONDS = 0xA1B23C4D;
    private static final int REST_OF_FILE_HEADER = 20;
    private static final int LINK_TYPE = 16;
    private static final int LINK_TYPE_MASK = 0xFFFF; // the rest says how long a frame check sequence is
    private static final int PACKET_HEADER = 16;
    private static final int CAPTURED_LENGTH = 8;

    private final CapturedPacket packet = new CapturedPacket();
    private final ByteOrder order;
    private final int nanosPerTick;

    PcapReader(int magic, InputStream in) throws IOException {
        super(in);
        order = magic == MICROSECONDS || magic == NANOSECONDS ? BIG_ENDIAN : LITTLE_ENDIAN;
        nanosPerTick = magic == NANOSECONDS || Integer.reverseBytes(magic) == NANOSECONDS ? 1 : 1_000;
        require(REST_OF_FILE_HEADER, order);
        packet.linkType = buffer.getInt(LINK_TYPE) & LINK_TYPE_MASK;
    }

    static boolean isMagic(int number) {
        int swapped = Integer.reverseBytes(number);
        return number == MICROSECONDS || number == NANOSECONDS || swapped == MICROSECONDS || swapped == NANOSECONDS;
    }

    @Override
    @Nullable
    CapturedPacket next() throws IOException {
        if (!read(PACKET_HEADER, order)) {
            return null;
        }
        long seconds = Integer.toUnsignedLong(buffer.getInt(0));
        long fraction = Integer.toUnsignedLong(buffer.getInt(4));
        int length = buffer.getInt(CAPTURED_LENGTH);
        if (length < 0 || length > MAX_PACKET) {
            throw new CaptureDamaged("a packet of " + Integer.toUnsignedString(length) + " octets", position());
        }
        require(length, order);
        packet.timestampNanos = seconds * 1_000_000_000 + fraction * nanosPerTick;
        packet.buffer = buffer.order(BIG_ENDIAN);
        packet.length = length;
        return packet;
    }
}
