package io.stag.rnic.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Payload that is sent from where it is: pieces of registered memory, each with the place among the staged octets where
 * it belongs. They live from one poll of the engine to the system call after it and no longer, because the owner of the
 * memory may take it away at any moment.
 */
public final class Splices {
    /** Pieces for one system call. */
    public static final int MOST = 32;

    /** Memories that they may be in; pieces that follow each other share one. */
    public static final int MOST_MEMORIES = 8;

    /** In {@link #copyRest}: everything was copied. */
    public static final int COPIED = -1;

    private final MemorySegment[] memories = new MemorySegment[MOST_MEMORIES]; // behind the last one NULL
    private final int[] memory = new int[MOST]; // its index
    private final long[] offset = new long[MOST];
    private final int[] length = new int[MOST];
    private final int[] position = new int[MOST];
    private final int[] fpdu = new int[MOST];
    private int count;
    private int memoryCount;
    private int total;

    /** No pieces. */
    public Splices() {
        Arrays.fill(memories, MemorySegment.NULL);
    }

    /** Number of pieces. */
    public int count() {
        return count;
    }

    /** Octets of all pieces. */
    public int total() {
        return total;
    }

    /** True when no further piece can be added. */
    public boolean isFull() {
        return count == MOST || memoryCount == MOST_MEMORIES;
    }

    /**
     * Adds a piece.
     *
     * @param in where it is
     * @param offset of its first octet
     * @param length its octets
     * @param position offset in the staging buffer of the octet that follows it
     * @param fpdu offset in the staging buffer of its FPDU's first octet
     */
    // Segments that are equal may have different lives; one memory that is not recognized just takes two places.
    @SuppressWarnings({"MemorySegmentReferenceEquality", "ReferenceEquality"})
    public void add(MemorySegment in, long offset, int length, int position, int fpdu) {
        if (memoryCount == 0 || memories[memoryCount - 1] != in) {
            memories[memoryCount++] = in;
        }
        memory[count] = memoryCount - 1;
        this.offset[count] = offset;
        this.length[count] = length;
        this.position[count] = position;
        this.fpdu[count] = fpdu;
        count++;
        total += length;
    }

    /** Number of memories that pieces are in. */
    public int memories() {
        return memoryCount;
    }

    /** A memory that pieces are in, below {@link #MOST_MEMORIES}; {@link MemorySegment#NULL} behind the last one. */
    public MemorySegment memory(int index) {
        return memories[index];
    }

    /** Address of a piece's first octet, for a system call that holds its memory. */
    public long address(int index) {
        return memories[memory[index]].address() + offset[index];
    }

    /** Octets of a piece. */
    public int length(int index) {
        return length[index];
    }

    /** Offset in the staging buffer of the octet that follows a piece. */
    public int position(int index) {
        return position[index];
    }

    /** The first piece whose memory its owner has taken away, or {@link #count}. */
    public int firstGone() {
        int index = 0;
        while (index < count && memories[memory[index]].scope().isAlive()) {
            index++;
        }
        return index;
    }

    /** Forgets all pieces. */
    public void clear() {
        forgetMemories(0);
        count = 0;
        total = 0;
    }

    private void forgetMemories(int from) {
        while (memoryCount > from) {
            memories[--memoryCount] = MemorySegment.NULL;
        }
    }

    /**
     * Takes the FPDU of a piece and all that follow away from {@code staged}.
     *
     * @return how many octets that were
     */
    public int cut(StagingBuffer staged, int index) {
        int before = staged.size() + total;
        staged.truncate(fpdu[index]);
        for (int i = index; i < count; i++) {
            total -= length[i];
        }
        forgetMemories(index == 0 ? 0 : memory[index - 1] + 1);
        count = index;
        return before - staged.size() - total;
    }

    /**
     * Copies what the stream did not take, so that no piece is needed any more.
     *
     * @param staged the octets around the pieces
     * @param taken how many octets of everything the stream took
     * @param rest gets the others
     * @return {@link #COPIED}, or the index of a piece that is gone: all before its FPDU was copied
     */
    public int copyRest(StagingBuffer staged, int taken, StagingBuffer rest) {
        int skip = taken;
        int at = staged.start();
        for (int i = 0; i <= count; i++) {
            int end = i < count ? position[i] : staged.end();
            int skipped = Math.min(skip, end - at);
            append(staged.segment(), (long) at + skipped, end - at - skipped, rest);
            skip -= skipped;
            at = end;
            if (i < count) {
                skipped = Math.min(skip, length[i]);
                MemorySegment in = memories[memory[i]];
                try {
                    append(in, offset[i] + skipped, length[i] - skipped, rest);
                } catch (IllegalStateException e) {
                    if (in.scope().isAlive()) {
                        throw e;
                    }
                    return i;
                }
                skip -= skipped;
            }
        }
        return COPIED;
    }

    /** Copies a piece to its position. @return false when its memory is gone */
    public boolean copy(int index, MemorySegment to) {
        MemorySegment in = memories[memory[index]];
        try {
            MemorySegment.copy(in, offset[index], to, position[index], length[index]);
            return true;
        } catch (IllegalStateException e) {
            if (in.scope().isAlive()) {
                throw e;
            }
            return false;
        }
    }

    private static void append(MemorySegment from, long offset, int length, StagingBuffer to) {
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, to.segment(), ValueLayout.JAVA_BYTE, to.end(), length);
        to.append(length);
    }
}
