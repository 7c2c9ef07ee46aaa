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
}
