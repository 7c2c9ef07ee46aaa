package io.stag.rnic.rdmap;

import java.lang.foreign.MemorySegment;

/** Where the next octets of a stream belong, in registered memory. Valid until the agent's step ends. */
public final class DirectTarget {
    private MemorySegment memory = MemorySegment.NULL;
    private long offset;
    private int length;

    DirectTarget() {}

    void set(MemorySegment newMemory, long newOffset, int newLength) {
        memory = newMemory;
        offset = newOffset;
        length = newLength;
    }

    /** The memory. */
    public MemorySegment memory() {
        return memory;
    }

    /** Offset of the first octet. */
    public long offset() {
        return offset;
    }

    /** How many octets belong there. */
    public int length() {
        return length;
    }
}
