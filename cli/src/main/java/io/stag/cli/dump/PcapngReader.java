package io.stag.cli.dump;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The format of Wireshark and of newer tcpdump: blocks of any kind, each with its length in front and behind. Blocks that
 * hold no packets are skipped.
 *
 * <pre>
 *  block:            type 4 | length 4 | body | padding to 4 | length 4
 *  section header:   order magic 4 | version 4 | section length 8 | options
 *  interface:        link type 2 | reserved 2 | snap length 4 | options
 *  enhanced packet:  interface 4 | time, high 4 | time, low 4 | captured length 4 | original length 4 | octets
 *  simple packet:    original length 4 | octets
 * </pre>
 */
final class PcapngReader extends CaptureReader {
    static final int SECTION_HEADER = 0x0A0D0D0A;

    private static final int ORDER_MAGIC = 0x1A2B3C4D;
    private static final int INTERFACE = 1;
    private static final int OLD_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;
    private static final int BLOCK_HEADER = 8;
    private static final int BLOCK_FRAME = 12; // header, and the length behind
    private static final int ENHANCED_PACKET_HEADER = 20;
    private static final int OPTION_END = 0;
    private static final int OPTION_TIME_RESOLUTION = 9;
    private static final int OPTION_TIME_OFFSET = 14;
    private static final int MAX_INTERFACES = 65_536;
    private static final long NANOS = 1_000_000_000;

    /** What an interface block said; ticks per second of its times, and seconds to add to them. */
    private record Interface(int linkType, int snapLength, long ticksPerSecond, long offsetSeconds) {}

    private final CapturedPacket packet = new CapturedPacket();
    private final List<Interface> interfaces = new ArrayList<>();
    private ByteOrder order = BIG_ENDIAN;

    /** The type of the first section header was already read by whoever chose the format. */
    PcapngReader(InputStream in) throws IOException {
        super(in);
        require(4, BIG_ENDIAN);
        startSection(buffer.getInt(0));
    }

    @Override
    @Nullable
    CapturedPacket next() throws IOException {
        while (read(BLOCK_HEADER, order)) {
            int type = buffer.getInt(0);
            if (type == SECTION_HEADER) {
                startSection(buffer.order(BIG_ENDIAN).getInt(4));
                continue;
            }
            int length = buffer.getInt(4);
            if (length < BLOCK_FRAME || length % 4 != 0) {
                throw new CaptureDamaged("a block of " + Integer.toUnsignedString(length) + " octets", position());
            }
            int body = length - BLOCK_FRAME;
            if (takeBlock(type, body)) {
                return packet;
            }
        }
        return null;
    }

    /** Takes the rest of a section header, whose octet order only its magic tells. */
    private void startSection(int bigEndianLength) throws IOException {
        require(4, BIG_ENDIAN);
        int magic = buffer.getInt(0);
        if (magic == ORDER_MAGIC) {
            order = BIG_ENDIAN;
        } else if (Integer.reverseBytes(magic) == ORDER_MAGIC) {
            order = LITTLE_ENDIAN;
        } else {
            throw new CaptureDamaged("a section without order magic", position());
        }
        int length = order == BIG_ENDIAN ? bigEndianLength : Integer.reverseBytes(bigEndianLength);
        if (length < BLOCK_FRAME + 16 || length > MAX_PACKET) {
            throw new CaptureDamaged("a section header of " + Integer.toUnsignedString(length) + " octets", position());
        }
        interfaces.clear();
        skip(length - BLOCK_HEADER - 4);
    }

    /** @return true when {@link #packet} was filled */
    private boolean takeBlock(int type, int body) throws IOException {
        switch (type) {
            case INTERFACE, ENHANCED_PACKET, OLD_PACKET, SIMPLE_PACKET -> {
                if (body > MAX_PACKET) {
                    throw new CaptureDamaged("a packet block of " + body + " octets", position());
                }
                require(body + 4, order);
            }
            default -> {
                skip(body + 4L);
                return false;
            }
        }
        return switch (type) {
            case INTERFACE -> addInterface(body);
            case SIMPLE_PACKET -> takeSimplePacket(body);
            case OLD_PACKET -> takePacket(body, Short.toUnsignedInt(buffer.getShort(0)));
            default -> takePacket(body, buffer.getInt(0));
        };
    }

    private boolean addInterface(int body) throws IOException {
        if (body < 8 || interfaces.size() == MAX_INTERFACES) {
            throw new CaptureDamaged("a wrong interface block", position());
        }
        long ticksPerSecond = 1_000_000;
        long offsetSeconds = 0;
        int at = 8;
        while (at + 4 <= body) {
            int code = Short.toUnsignedInt(buffer.getShort(at));
            int length = Short.toUnsignedInt(buffer.getShort(at + 2));
            if (code == OPTION_END || at + 4 + length > body) {
                break;
            }
            if (code == OPTION_TIME_RESOLUTION && length >= 1) {
                ticksPerSecond = ticksPerSecond(buffer.get(at + 4));
            } else if (code == OPTION_TIME_OFFSET && length >= 8) {
                offsetSeconds = buffer.getLong(at + 4);
            }
            at += 4 + (length + 3 & ~3);
        }
        interfaces.add(new Interface(
                Short.toUnsignedInt(buffer.getShort(0)), buffer.getInt(4), ticksPerSecond, offsetSeconds));
        return false;
    }

    private static long ticksPerSecond(byte resolution) {
        int exponent = resolution & 0x7F;
        if (resolution < 0) {
            return 1L << Math.min(exponent, 62);
        }
        long ticks = 1;
        for (int i = 0; i < Math.min(exponent, 18); i++) {
            ticks *= 10;
        }
        return ticks;
    }

    private boolean takePacket(int body, int interfaceNumber) throws IOException {
        if (body < ENHANCED_PACKET_HEADER) {
            throw new CaptureDamaged("a packet block of " + body + " octets", position());
        }
        Interface captured = interfaceOf(interfaceNumber);
        long ticks = Integer.toUnsignedLong(buffer.getInt(4)) << 32 | Integer.toUnsignedLong(buffer.getInt(8));
        packet.timestampNanos = (captured.offsetSeconds + ticks / captured.ticksPerSecond) * NANOS
                + fraction(ticks % captured.ticksPerSecond, captured.ticksPerSecond);
        return fill(captured, ENHANCED_PACKET_HEADER, buffer.getInt(12), body);
    }

    private boolean takeSimplePacket(int body) throws IOException {
        Interface captured = interfaceOf(0);
        int original = buffer.getInt(0);
        int limit = captured.snapLength == 0 ? body - 4 : Math.min(body - 4, captured.snapLength);
        packet.timestampNanos = 0;
        return fill(captured, 4, Math.min(original, limit), body);
    }

    private boolean fill(Interface captured, int header, int length, int body) throws IOException {
        if (length < 0 || length > body - header) {
            throw new CaptureDamaged("a packet longer than its block", position());
        }
        packet.linkType = captured.linkType;
        packet.length = length;
        System.arraycopy(buffer.array(), header, buffer.array(), 0, length);
        packet.buffer = buffer.order(BIG_ENDIAN);
        return true;
    }

    private Interface interfaceOf(int number) throws IOException {
        if (number < 0 || number >= interfaces.size()) {
            throw new CaptureDamaged("a packet of an unknown interface", position());
        }
        return interfaces.get(number);
    }

    private static long fraction(long ticks, long ticksPerSecond) {
        return NANOS % ticksPerSecond == 0 ? ticks * (NANOS / ticksPerSecond) : (long) (ticks * (1e9 / ticksPerSecond));
    }
}
