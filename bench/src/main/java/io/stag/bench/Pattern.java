package io.stag.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Octets that depend on their position and on a round, so that an octet that is missing, late or in the wrong place is
 * seen. Eight octets are one number, mixed from position and round.
 */
final class Pattern {
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;
    private static final long ODD = 0xD6E8_FEB8_6659_FD93L;
    private static final int SHIFT = 29;
    private static final boolean LITTLE = ByteOrder.nativeOrder().equals(ByteOrder.LITTLE_ENDIAN);
    private static final int BLOCK = 4096;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private Pattern() {}

    /** The eight octets at {@code 8 * index}. */
    private static long word(long round, long index) {
        long mixed = (index + round * GOLDEN) * ODD;
        return mixed ^ mixed >>> SHIFT;
    }

    /** One octet, in the machine's byte order. */
    static byte octet(long round, long position) {
        int byteIndex = (int) (position & Long.BYTES - 1);
        int shift = Byte.SIZE * (LITTLE ? byteIndex : Long.BYTES - 1 - byteIndex);
        return (byte) (word(round, position / Long.BYTES) >>> shift);
    }

    /**
     * Writes octets.
     *
     * @param position what the first octet's position counts as; a multiple of 8
     */
    static void fill(MemorySegment memory, long offset, long length, long round, long position) {
        long words = length / Long.BYTES;
        long first = position / Long.BYTES;
        for (long i = 0; i < words; i++) {
            memory.set(WORD, offset + i * Long.BYTES, word(round, first + i));
        }
        for (long i = words * Long.BYTES; i < length; i++) {
            memory.set(ValueLayout.JAVA_BYTE, offset + i, octet(round, position + i));
        }
    }

    /** {@return offset of the first octet that is wrong, relative to {@code offset}, or -1 when all are right} */
    static long firstWrong(MemorySegment memory, long offset, long length, long round, long position) {
        for (long done = 0; done < length; done += BLOCK) {
            long step = Math.min(BLOCK, length - done);
            if (!blockMatches(memory, offset + done, step, round, position + done)) {
                return done + firstWrongOctet(memory, offset + done, step, round, position + done);
            }
        }
        return -1;
    }

    private static boolean blockMatches(MemorySegment memory, long offset, long length, long round, long position) {
        long words = length / Long.BYTES;
        long first = position / Long.BYTES;
        long difference = 0;
        for (long i = 0; i < words; i++) {
            difference |= memory.get(WORD, offset + i * Long.BYTES) ^ word(round, first + i);
        }
        for (long i = words * Long.BYTES; i < length; i++) {
            difference |= memory.get(ValueLayout.JAVA_BYTE, offset + i) ^ octet(round, position + i);
        }
        return difference == 0;
    }

    private static long firstWrongOctet(MemorySegment memory, long offset, long length, long round, long position) {
        for (long i = 0; i < length; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset + i) != octet(round, position + i)) {
                return i;
            }
        }
        return 0; // it changed while we looked
    }
}
