package io.stag.fuzz;

import io.stag.rnic.memory.Rights;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * All memory of an endpoint: areas that are registered, guard octets between them, and a shadow of what the memory should
 * hold. Whatever differs from the shadow was written where nobody may write.
 */
final class World {
    /** STags and bases of EXPOSED and SINK are those of the vectors, so that these are seeds. */
    enum Area {
        EXPOSED(
                0x1234_5678,
                0x1_0000_2000L,
                256,
                Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE | Rights.WINDOW_BIND | Rights.REMOTE_INVALIDATE),
        SINK(0xa1b2_c301, 0x1_0000L, 256, Rights.LOCAL_READ | Rights.LOCAL_WRITE),
        /** Ends 128 octets below 2^64. */
        WRITE_ONLY(0x0000_0101, 0xFFFF_FFFF_FFFF_FF00L, 128, Rights.LOCAL_WRITE | Rights.REMOTE_WRITE),
        READ_ONLY(0x0000_0202, 0, 128, Rights.LOCAL_READ | Rights.REMOTE_READ),
        /** Of another protection domain. */
        FOREIGN(0x0000_0303, 0, 64, Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE),
        RECEIVES(0x0000_0404, 0, 512, Rights.LOCAL_READ | Rights.LOCAL_WRITE),
        SOURCE(0x0000_0505, 0, 2048, Rights.LOCAL_READ),
        BINDABLE(0x0000_0606, 0, 256, Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.WINDOW_BIND),
        /** Not registered at first: for fast registration. */
        SPARE(0x0000_0707, 0, 264, 0);

        final int stag;
        final long base;
        final int length;
        final int rights;

        Area(int stag, long base, int length, int rights) {
            this.stag = stag;
            this.base = base;
            this.length = length;
            this.rights = rights;
        }

        /** Where it is in the memory. */
        int offset() {
            return OFFSETS[ordinal()];
        }
    }

    private static final int GUARD = 64;
    private static final int[] OFFSETS = new int[Area.values().length];
    private static final int SIZE;
    private static final byte[] PRISTINE;

    static {
        int at = GUARD;
        for (Area area : Area.values()) {
            OFFSETS[area.ordinal()] = at;
            at += Math.ceilDiv(area.length, GUARD) * GUARD + GUARD;
        }
        SIZE = at;
        PRISTINE = new byte[SIZE];
        for (int i = 0; i < SIZE; i++) {
            PRISTINE[i] = (byte) (i * 31 + (i >> 8));
        }
    }

    private final MemorySegment memory = Arena.global().allocate(SIZE, GUARD);
    private final byte[] shadow = new byte[SIZE];
    private final MemorySegment shadowMemory = MemorySegment.ofArray(shadow);

    /** Expensive; made once and used by many runs. */
    World() {
        reset();
    }

    void reset() {
        System.arraycopy(PRISTINE, 0, shadow, 0, SIZE);
        memory.copyFrom(shadowMemory);
    }

    MemorySegment slice(Area area) {
        return memory.asSlice(area.offset(), area.length);
    }

    MemorySegment slice(int offset, int length) {
        return memory.asSlice(offset, length);
    }

    /** What should be there. */
    byte[] expected(int offset, int length) {
        return Arrays.copyOfRange(shadow, offset, offset + length);
    }

    /** The number there, as this machine stores it. */
    long expectedWord(int offset) {
        return shadowMemory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    void expectWord(int offset, long value) {
        shadowMemory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }

    void expect(int offset, byte[] octets, int from, int length) {
        System.arraycopy(octets, from, shadow, offset, length);
    }

    /** Takes over what is there: for memory that may have been written in part. */
    void allow(int offset, int length) {
        MemorySegment.copy(memory, offset, shadowMemory, offset, length);
    }

    /** Everything is as expected. */
    void check(String when) {
        long at = memory.mismatch(shadowMemory);
        if (at >= 0) {
            throw new AssertionError(when + ": memory changed at " + describe((int) at) + " where it may not");
        }
    }

    private static String describe(int at) {
        for (Area area : Area.values()) {
            if (at >= area.offset() && at < area.offset() + area.length) {
                return area + "+" + (at - area.offset());
            }
        }
        return "guard octet " + at;
    }
}
