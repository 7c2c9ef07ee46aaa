package io.stag.verbs;

import java.util.Arrays;
import java.util.Objects;

/**
 * Which octets of a range of registered memory were written by Write-Records since somebody last looked: a bit for each block
 * of {@value DatagramInfo#BLOCK} octets, counted from the start of the region. Filled by {@link DatagramQueuePair#pollValidity};
 * reuse it, and polling allocates nothing.
 *
 * <p>A block at the edge of a message counts as valid when all octets that the message has in it are there.
 */
public final class ValidityMap {
    private static final int BLOCK = DatagramInfo.BLOCK;

    private final long[] words;
    private long firstBlock;
    private long blocks;

    private ValidityMap(long[] words) {
        this.words = words;
    }

    /** A map for ranges of up to {@code length} octets. */
    public static ValidityMap ofLength(long length) {
        if (length < 1) {
            throw new VerbsException(VerbsError.INVALID_ARGUMENT, "length " + length + " is below 1");
        }
        // a range that starts and ends inside of blocks touches one block more, and one word more
        return new ValidityMap(new long[Math.toIntExact(length / BLOCK / Long.SIZE + 2)]);
    }

    /** The first octet that the map tells of: where the first block of the range begins. */
    public long start() {
        return firstBlock * BLOCK;
    }

    /** The octet behind the last that the map tells of. */
    public long end() {
        return (firstBlock + blocks) * BLOCK;
    }

    /** Whether the block with octet {@code offset} of the region is valid. */
    public boolean isValid(long offset) {
        long block = Objects.checkIndex(offset / BLOCK - firstBlock, blocks);
        return isSet(block);
    }

    private boolean isSet(long block) {
        return (words[(int) (block / Long.SIZE)] >>> block % Long.SIZE & 1) != 0;
    }

    /** Number of blocks that are valid. */
    public long validBlocks() {
        long count = 0;
        for (int i = 0; i < usedWords(); i++) {
            count += Long.bitCount(words[i]);
        }
        return count;
    }

    /** The first octet from {@code from} on that is in a valid block, or {@link #end}. */
    public long nextValid(long from) {
        return next(from, true);
    }

    /** The first octet from {@code from} on that is not in a valid block, or {@link #end}. */
    public long nextInvalid(long from) {
        return next(from, false);
    }

    private long next(long from, boolean valid) {
        long offset = Math.max(from, start());
        while (offset < end() && isSet(offset / BLOCK - firstBlock) != valid) {
            offset = (offset / BLOCK + 1) * BLOCK;
        }
        return Math.min(offset, end());
    }

    private int usedWords() {
        return (int) Math.ceilDiv(blocks, (long) Long.SIZE);
    }

    /** For providers: begins a map of {@code newBlocks} blocks, all invalid. */
    public void reset(long newFirstBlock, long newBlocks) {
        if (newBlocks > (long) words.length * Long.SIZE) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED,
                    "a range of " + newBlocks + " blocks, the map was made for " + (long) words.length * Long.SIZE);
        }
        firstBlock = newFirstBlock;
        blocks = newBlocks;
        Arrays.fill(words, 0, usedWords(), 0);
    }

    /** For providers: marks blocks valid, for each bit of {@code mask} the block that many behind {@code block}. */
    public void mark(long block, long mask) {
        long at = block - firstBlock;
        int word = (int) (at / Long.SIZE);
        int shift = (int) (at % Long.SIZE);
        words[word] |= mask << shift;
        if (shift > 0 && word + 1 < usedWords()) {
            words[word + 1] |= mask >>> (Long.SIZE - shift);
        }
    }
}
