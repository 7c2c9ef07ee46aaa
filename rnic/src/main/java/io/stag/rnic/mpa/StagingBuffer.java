package io.stag.rnic.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Direct memory between a stream and the engine. Octets sit in {@code [start, end)}; new ones are appended at the end,
 * old ones taken from the start. Belongs to one agent.
 *
 * <p>A writer may ask for breaks: places where a TCP segment should end, if the stream can see to that.
 */
public final class StagingBuffer {
    /**
     * Memory begins at a page, not where chance puts it: kernels copy slower to some places than to others, by up to 5 percent
     * of the time that 64 KiB take to a peer.
     */
    private static final int PAGE = 4096;

    private final ByteBuffer buffer;
    private final MemorySegment segment;
    private final long address;
    private final int capacity;
    private int start;
    private int end;
    private int[] breaks = {}; // offsets; those from nextBreak to breakCount are still ahead
    private int nextBreak;
    private int breakCount;

    /** Allocates memory that is freed when the buffer is no longer reachable. */
    public StagingBuffer(int capacity) {
        // allocateDirect rather than an arena: no session to check on each access, and channels need no copy
        ByteBuffer whole = ByteBuffer.allocateDirect(capacity + PAGE - 1);
        buffer = whole.slice(PAGE - 1 - whole.alignmentOffset(PAGE - 1, PAGE), capacity);
        segment = MemorySegment.ofBuffer(buffer);
        address = segment.address();
        this.capacity = capacity;
    }

    /** The whole memory as a segment. */
    public MemorySegment segment() {
        return segment;
    }

    /** Where the memory is, for system calls during which the caller keeps this reachable. */
    public long address() {
        return address;
    }

    /** The whole memory as a buffer; position and limit are free for the caller's use. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** Offset of the first octet held. */
    public int start() {
        return start;
    }

    /** Offset behind the last octet held. */
    public int end() {
        return end;
    }

    /** Octets it can hold. */
    public int capacity() {
        return capacity;
    }

    /** Octets held. */
    public int size() {
        return end - start;
    }

    /** Octets that can be appended without {@link #compact}. */
    public int room() {
        return capacity - end;
    }

    /** Counts {@code octets} that were written behind the end. */
    public void append(int octets) {
        if (octets < 0 || octets > room()) {
            throw overfull(octets);
        }
        end += octets;
    }

    // apart, so that the rest is short enough to be inlined everywhere

    private IllegalStateException overfull(int octets) {
        return new IllegalStateException(octets + " octets appended, room for " + room());
    }

    private IllegalStateException exhausted(int octets) {
        return new IllegalStateException(octets + " octets consumed of " + size());
    }

    /** Asks for a break behind what is held, in place of the last one asked for if {@code moved}. */
    public void breakSegment(boolean moved) {
        if (moved && breakCount > nextBreak) {
            breakCount--;
        }
        if (breakCount == breaks.length) {
            breaks = Arrays.copyOf(breaks, Math.max(64, 2 * breakCount));
        }
        breaks[breakCount++] = end;
    }

    /** Whether a break is asked for. */
    public boolean hasBreak() {
        return nextBreak < breakCount;
    }

    /** Octets up to the first break, or all. */
    public int untilBreak() {
        return hasBreak() ? breaks[nextBreak] - start : size();
    }

    /** Drops {@code octets} from the start. */
    public void consume(int octets) {
        if (octets < 0 || octets > size()) {
            throw exhausted(octets);
        }
        start += octets;
        if (start == end) {
            clear();
        } else if (breakCount > 0) {
            passBreaks();
        }
    }

    private void passBreaks() {
        while (hasBreak() && breaks[nextBreak] <= start) {
            nextBreak++;
        }
    }

    /** Drops what is held from offset {@code newEnd} on. */
    public void truncate(int newEnd) {
        if (newEnd < start || newEnd > end) {
            throw new IllegalStateException("cannot end at " + newEnd + ", held is " + start + " to " + end);
        }
        end = newEnd;
    }

    /** Moves what is held to the front. */
    public void compact() {
        if (start > 0) {
            MemorySegment.copy(segment, start, segment, 0, size());
            for (int i = nextBreak; i < breakCount; i++) {
                breaks[i] -= start;
            }
            end -= start;
            start = 0;
        }
    }

    /** Forgets what is held. */
    public void clear() {
        start = 0;
        end = 0;
        nextBreak = 0;
        breakCount = 0;
    }

    /** Appends what {@code other} holds and empties it. */
    public void takeAll(StagingBuffer other) {
        MemorySegment.copy(other.segment, other.start, segment, end, other.size());
        while (other.hasBreak()) {
            int length = other.untilBreak();
            append(length);
            breakSegment(false);
            other.consume(length);
        }
        append(other.size());
        other.clear();
    }
}
