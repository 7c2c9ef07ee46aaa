package io.stag.rnic.memory;

import io.stag.verbs.DatagramInfo;
import io.stag.verbs.ValidityMap;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which blocks of a region Write-Records have written since somebody last looked. Agents mark, any thread takes; what is seen
 * as marked is in memory.
 */
public final class ValidityBits {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int BLOCK = DatagramInfo.BLOCK;

    private final long[] words;

    ValidityBits(long length) {
        words = new long[Math.toIntExact(Math.ceilDiv(Math.ceilDiv(length, (long) BLOCK), (long) Long.SIZE))];
    }

    /** Agent: the octets of these blocks were placed. */
    public void mark(long firstBlock, long endBlock) {
        for (long block = firstBlock; block < endBlock; ) {
            long next = Math.min(endBlock, (block / Long.SIZE + 1) * Long.SIZE);
            WORDS.getAndBitwiseOrRelease(words, (int) (block / Long.SIZE), mask(block, next));
            block = next;
        }
    }

    /** Any thread: whether any block with octets of the range is marked. */
    public boolean hasAny(long offset, long length) {
        long end = endBlock(offset, length);
        for (long block = offset / BLOCK; block < end; ) {
            long next = Math.min(end, (block / Long.SIZE + 1) * Long.SIZE);
            if (((long) WORDS.getAcquire(words, (int) (block / Long.SIZE)) & mask(block, next)) != 0) {
                return true;
            }
            block = next;
        }
        return false;
    }

    /** Any thread: moves the marks of all blocks with octets of the range to {@code into}. @return how many there were */
    public long take(long offset, long length, ValidityMap into) {
        long first = offset / BLOCK;
        long end = endBlock(offset, length);
        into.reset(first, end - first);
        long count = 0;
        for (long block = first; block < end; ) {
            long next = Math.min(end, (block / Long.SIZE + 1) * Long.SIZE);
            int word = (int) (block / Long.SIZE);
            long mask = mask(block, next);
            if (((long) WORDS.getOpaque(words, word) & mask) != 0) {
                long taken = (long) WORDS.getAndBitwiseAnd(words, word, ~mask) & mask;
                into.mark(block, taken >>> block % Long.SIZE);
                count += Long.bitCount(taken);
            }
            block = next;
        }
        return count;
    }

    private static long endBlock(long offset, long length) {
        return length == 0 ? offset / BLOCK : (offset + length - 1) / BLOCK + 1;
    }

    /** Bits of the blocks from {@code from} to {@code to}, which are in one word. */
    private static long mask(long from, long to) {
        long upTo = to % Long.SIZE == 0 ? -1L : (1L << to % Long.SIZE) - 1;
        return upTo & -1L << from % Long.SIZE;
    }
}
