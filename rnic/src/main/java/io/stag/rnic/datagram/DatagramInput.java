package io.stag.rnic.datagram;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Datagrams that a port received, with their sources: as many as one call brings. Where the system joins datagrams of one
 * source, a slot holds several of the same size behind each other, the last perhaps shorter. One per agent, filled again and
 * again.
 */
public final class DatagramInput {
    /** Slots: datagrams, or rows of joined ones, that one call can bring. */
    public static final int SLOTS = 16;

    /** Octets of a slot: the longest datagram there is. */
    public static final int SLOT_LENGTH = 65_536;

    /** Not a power of two, or the headers of all slots would fall into the same lines of the cache. */
    private static final int STRIDE = SLOT_LENGTH + 9 * 64;

    /** What is known of a slot. An object for each rather than an array for each field: what belongs together is read together. */
    private static final class Slot {
        private int length;
        private int segmentSize;
        private long sourceHigh;
        private long sourceLow;
        private int sourcePort;
        private int sourceScope;
    }

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(SLOTS * STRIDE);
    private final MemorySegment segment = MemorySegment.ofBuffer(buffer);
    private final long address = segment.address();
    private final Slot[] slots = new Slot[SLOTS];
    private int count;
    private boolean more;

    /** Allocates the memory. */
    public DatagramInput() {
        Arrays.setAll(slots, _ -> new Slot());
    }

    /** Forgets what was received. */
    public void clear() {
        count = 0;
        more = false;
    }

    /** Port: more may wait. */
    public void moreMayWait() {
        more = true;
    }

    /** Whether the port may have more; if not, everything that had come is here. */
    public boolean mayHaveMore() {
        return more || count == SLOTS;
    }

    /** Slots filled. */
    public int count() {
        return count;
    }

    /** The memory of all slots. */
    public MemorySegment segment() {
        return segment;
    }

    /** Where the memory is, for system calls during which the caller keeps this reachable. */
    public long address() {
        return address;
    }

    /** The same memory; position and limit are free for the caller's use. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** Where slot {@code index} begins. */
    public static int offset(int index) {
        return index * STRIDE;
    }

    /**
     * Port: the next slot was filled.
     *
     * @param length octets received
     * @param segmentSize octets of each datagram but the last, when several were joined; else {@code length} or more
     */
    public void add(int length, int segmentSize, long sourceHigh, long sourceLow, int sourcePort, int sourceScope) {
        Slot slot = slots[count++];
        slot.length = length;
        slot.segmentSize = segmentSize;
        slot.sourceHigh = sourceHigh;
        slot.sourceLow = sourceLow;
        slot.sourcePort = sourcePort;
        slot.sourceScope = sourceScope;
    }

    /** Whether what is in slot {@code index} came from {@code source}. */
    public boolean isFrom(int index, DatagramAddress source) {
        Slot slot = slots[index];
        return source.is(slot.sourceHigh, slot.sourceLow, slot.sourcePort, slot.sourceScope);
    }

    /** Octets in slot {@code index}. */
    public int length(int index) {
        return slots[index].length;
    }

    /** Octets of each datagram in slot {@code index} but the last. */
    public int segmentSize(int index) {
        return slots[index].segmentSize;
    }

    /** First half of the source's address. */
    public long sourceHigh(int index) {
        return slots[index].sourceHigh;
    }

    /** Second half of the source's address. */
    public long sourceLow(int index) {
        return slots[index].sourceLow;
    }

    /** Port of the source. */
    public int sourcePort(int index) {
        return slots[index].sourcePort;
    }

    /** Interface of a link-local source, or 0. */
    public int sourceScope(int index) {
        return slots[index].sourceScope;
    }
}
