package io.stag.wire;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;

/** Octets in native memory for tests. */
public final class Octets {
    private Octets() {}

    public static MemorySegment of(String hex) {
        return of(HexFormat.of().parseHex(hex));
    }

    public static MemorySegment of(byte[] octets) {
        return dirty(octets.length).copyFrom(MemorySegment.ofArray(octets));
    }

    /** Memory full of ones, in which a field that is not written shows. */
    public static MemorySegment dirty(long length) {
        return Arena.ofAuto().allocate(length).fill((byte) 0xFF);
    }

    public static String hex(MemorySegment segment) {
        return HexFormat.of().formatHex(segment.toArray(ValueLayout.JAVA_BYTE));
    }

    public static String hex(MemorySegment segment, long offset, long length) {
        return hex(segment.asSlice(offset, length));
    }
}
