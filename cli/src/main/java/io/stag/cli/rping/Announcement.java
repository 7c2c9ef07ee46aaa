package io.stag.cli.rping;

import static java.nio.ByteOrder.BIG_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;

/**
 * Tells the peer where a buffer is; the payload of every Send of rping.
 *
 * <pre>
 *  0         8     12     16
 *  | address | key | size |
 * </pre>
 *
 * @param address tagged offset of the buffer's first octet
 * @param key its STag
 * @param size its length
 */
record Announcement(long address, int key, int size) {
    /** Octets of the message. */
    static final int LENGTH = 16;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final int ADDRESS = 0;
    private static final int KEY = 8;
    private static final int SIZE = 12;

    static Announcement read(MemorySegment message) {
        return new Announcement(message.get(U64, ADDRESS), message.get(U32, KEY), message.get(U32, SIZE));
    }

    void put(MemorySegment message) {
        message.set(U64, ADDRESS, address);
        message.set(U32, KEY, key);
        message.set(U32, SIZE, size);
    }

    @Override
    public String toString() {
        return "address 0x" + Long.toHexString(address) + " key 0x"
                + HexFormat.of().toHexDigits(key) + " size " + Integer.toUnsignedString(size);
    }
}
