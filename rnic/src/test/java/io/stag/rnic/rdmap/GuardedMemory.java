package io.stag.rnic.rdmap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Memory with octets around it that nobody may change. */
final class GuardedMemory {
    private static final int GUARD = 64;
    private static final byte GUARD_OCTET = (byte) 0xA5;

    private final MemorySegment all;
    private final MemorySegment inner;

    GuardedMemory(long length) {
        all = Arena.ofAuto().allocate(length + 2 * GUARD, 8).fill(GUARD_OCTET);
        inner = all.asSlice(GUARD, length).fill((byte) 0);
    }

    /** The memory without its guards. */
    MemorySegment segment() {
        return inner;
    }

    byte[] octets() {
        return inner.toArray(ValueLayout.JAVA_BYTE);
    }

    byte[] octets(long offset, long length) {
        return inner.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    void put(long offset, byte[] octets) {
        MemorySegment.copy(MemorySegment.ofArray(octets), 0, inner, offset, octets.length);
    }

    boolean isZero() {
        return inner.mismatch(MemorySegment.ofArray(new byte[(int) inner.byteSize()])) == -1;
    }

    boolean guardsAreIntact() {
        byte[] guard = new byte[GUARD];
        Arrays.fill(guard, GUARD_OCTET);
        return Arrays.equals(all.asSlice(0, GUARD).toArray(ValueLayout.JAVA_BYTE), guard)
                && Arrays.equals(all.asSlice(all.byteSize() - GUARD).toArray(ValueLayout.JAVA_BYTE), guard);
    }
}
