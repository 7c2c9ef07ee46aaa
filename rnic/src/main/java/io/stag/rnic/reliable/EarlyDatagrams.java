package io.stag.rnic.reliable;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Datagrams of a stream that came before others that were due: Writes are in their place, of others there is a copy. */
final class EarlyDatagrams {
    private final long[] bits;
    private final @Nullable MemorySegment[] kept;
    private final int mask;
    private int count;
    private int highest; // PSN
    private long octets;

    /** For datagrams up to {@code window} beyond the last one taken; a power of two. */
    EarlyDatagrams(int window) {
        bits = new long[Math.max(1, window / Long.SIZE)];
        kept = new MemorySegment[Math.max(Long.SIZE, window)];
        mask = kept.length - 1;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean has(int psn) {
        return (bits[(psn & mask) >>> 6] & 1L << psn) != 0;
    }

    /** Octets of copies. */
    long octets() {
        return octets;
    }

    /** The highest PSN that is here, if there is one at all. */
    int highest() {
        return highest;
    }

    /** Bits of 64 PSNs, the least significant one for {@code first}. */
    long word(int first) {
        int at = first & mask;
        long low = bits[at >>> 6] >>> at;
        int shift = at & 63;
        return shift == 0 ? low : low | bits[(at >>> 6) + 1 & bits.length - 1] << (64 - shift);
    }

    void add(int psn, @Nullable MemorySegment copy) {
        bits[(psn & mask) >>> 6] |= 1L << psn;
        kept[psn & mask] = copy;
        if (count == 0 || psn - highest > 0) {
            highest = psn;
        }
        count++;
        if (copy != null) {
            octets += copy.byteSize();
        }
    }

    /** Takes one out that is here. @return the copy, or null when it was placed */
    @Nullable
    MemorySegment remove(int psn) {
        bits[(psn & mask) >>> 6] &= ~(1L << psn);
        MemorySegment copy = kept[psn & mask];
        kept[psn & mask] = null;
        count--;
        if (copy != null) {
            octets -= copy.byteSize();
        }
        return copy;
    }

    void clear() {
        Arrays.fill(bits, 0);
        Arrays.fill(kept, null);
        count = 0;
        octets = 0;
    }
}
