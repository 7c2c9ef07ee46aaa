package io.stag.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;

import java.lang.foreign.ValueLayout;

/** Layouts of wire fields: unaligned and most significant octet first, as everything in iWARP but the MPA CRC. */
public final class NetworkOrder {
    /** One octet. */
    public static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;

    /** Two octets. */
    public static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(BIG_ENDIAN);

    /** Four octets. */
    public static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);

    /** Eight octets. */
    public static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN);

    private NetworkOrder() {}

    /**
     * Two fields that follow each other, to be written at once: each access costs more in checks than in moving octets.
     *
     * @param first a field of four octets
     * @param second the one behind it
     * @return both, for {@link #U64}
     */
    public static long pair(int first, int second) {
        return (long) first << Integer.SIZE | (second & 0xFFFF_FFFFL);
    }

    /**
     * The same with fields of two octets; what is more of them does not count.
     *
     * @param first a field
     * @param second the one behind it
     * @return both, for {@link #U32}
     */
    public static int pairOfShorts(int first, int second) {
        return first << Short.SIZE | (second & 0xFFFF);
    }
}
