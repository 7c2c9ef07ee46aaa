package io.stag.rnic.mpa;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Direct memory between a stream and the engine. Octets sit in {@code [start, end)}; new ones are appended at the end,
 * old ones taken from the start. Belongs to one agent.
 */
public final class StagingBuffer {
    private final ByteBuffer buffer;
    private final MemorySegment segment;
    private int start;
    private int end;

    /** Allocates memory that is freed when the buffer is no longer reachable. */
    public StagingBuffer(int capacity) {
        // allocateDirect rather than an arena: no session to check on each access, and channels need no copy
        buffer = ByteBuffer.allocateDirect(capacity);
        segment = MemorySegment.ofBuffer(buffer);
    }

    /** The whole memory as a segment. */
    public MemorySegment segment() {
        return segment;
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
        return buffer.capacity();
    }

    /** Octets held. */
    public int size() {
        return end - start;
    }

    /** Octets that can be appended without {@link #compact}. */
    public int room() {
        return buffer.capacity() - end;
    }

    /** Counts {@code octets} that were written behind the end. */
    public void append(int octets) {
        if (octets < 0 || octets > room()) {
            throw new IllegalStateException(octets + " octets appended, room for " + room());
        }
        end += octets;
    }

    /** Drops {@code octets} from the start. */
    public void consume(int octets) {
        if (octets < 0 || octets > size()) {
            throw new IllegalStateException(octets + " octets consumed of " + size());
        }
        start += octets;
        if (start == end) {
            start = 0;
            end = 0;
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
            end -= start;
            start = 0;
        }
    }

    /** Forgets what is held. */
    public void clear() {
        start = 0;
        end = 0;
    }

    /** Appends what {@code other} holds and empties it. */
    public void takeAll(StagingBuffer other) {
        MemorySegment.copy(other.segment, other.start, segment, end, other.size());
        append(other.size());
        other.clear();
    }
}
