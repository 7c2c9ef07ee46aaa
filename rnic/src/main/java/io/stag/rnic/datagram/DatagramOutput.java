package io.stag.rnic.datagram;

import io.stag.rnic.mpa.Splices;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams for one call of a port. Datagrams of the same length to the same place are joined to one entry where the system
 * can cut them apart again; the last of an entry may be shorter. One per agent, filled again and again.
 *
 * <p>Long payload may stay where it is, if the port can send it from there. Its datagram has a hole then, as long as the
 * payload. Such pieces live from one filling to the call after it, because the owner of the memory may take it away at any moment.
 */
public final class DatagramOutput {
    /** Octets of all entries together: four messages of 64 KiB with their headers, and still inside a second-level cache. */
    public static final int CAPACITY = 264 * 1024;

    /** Entries that one call can take. */
    public static final int ENTRIES = 64;

    /** Octets of an entry: the longest payload of UDP over IPv4. */
    public static final int LONGEST_ENTRY = 65_507;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CAPACITY);
    private final MemorySegment segment = MemorySegment.ofBuffer(buffer);
    private final long address = segment.address();
    private final int[] offsets = new int[ENTRIES];
    private final int[] lengths = new int[ENTRIES];
    private final int[] segmentSizes = new int[ENTRIES];
    private final DatagramAddress[] destinations = new DatagramAddress[ENTRIES];
    private final Splices pieces = new Splices();
    private int mostSegments = 1;
    private int leastInPlace = Integer.MAX_VALUE;
    private int segmentsOfLast;
    private int count;
    private int end;
    private @Nullable IOException failure;

    /** Allocates the memory. */
    public DatagramOutput() {}

    /** Begins anew, for a port that can cut entries into so many datagrams and sends no payload from its place. */
    public void clear(int mostSegmentsPerEntry) {
        clear(mostSegmentsPerEntry, Integer.MAX_VALUE);
    }

    /** Begins anew, for a port that can cut entries into so many datagrams, and sends payload from such a length on from its place. */
    public void clear(int mostSegmentsPerEntry, int leastPayloadInPlace) {
        pieces.clear();
        leastInPlace = leastPayloadInPlace;
        mostSegments = mostSegmentsPerEntry;
        count = 0;
        end = 0;
        failure = null;
    }

    /** Whether datagrams of one length become one entry. */
    public boolean joins() {
        return mostSegments > 1;
    }

    /** The memory. */
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

    /** Where the next datagram is to be written. */
    public int end() {
        return end;
    }

    /** Whether a datagram of so many octets can be appended. */
    public boolean hasRoom(int length) {
        return hasRoom(length, 1);
    }

    /** Whether datagrams of so many octets in all can be appended, in as many entries. */
    public boolean hasRoom(int octets, int entries) {
        return octets <= CAPACITY - end && entries <= ENTRIES - count;
    }

    /** The datagram written at {@link #end} is complete. @return the entry that it belongs to, the last one */
    public int append(int length, DatagramAddress destination) {
        if (!joins(length, destination)) {
            offsets[count] = end;
            lengths[count] = 0;
            segmentSizes[count] = length;
            destinations[count] = destination;
            segmentsOfLast = 0;
            count++;
        }
        lengths[count - 1] += length;
        segmentsOfLast++;
        end += length;
        return count - 1;
    }

    /** Whether so many octets of payload can stay where they are. */
    public boolean takesPiece(int length) {
        return length >= leastInPlace && !pieces.isFull();
    }

    /** Payload that stays where it is, in the order of the datagrams; the position of a piece is that of its hole. */
    public Splices pieces() {
        return pieces;
    }

    /** Copies pieces into their holes, for who cannot send them from where they are. @return false when one is gone */
    public boolean fillHoles() {
        for (int i = 0; i < pieces.count(); i++) {
            if (!pieces.copy(i, segment)) {
                return false;
            }
        }
        pieces.clear();
        return true;
    }

    private boolean joins(int length, DatagramAddress destination) {
        if (count == 0 || segmentsOfLast == mostSegments) {
            return false;
        }
        int last = count - 1;
        boolean closed = lengths[last] != segmentsOfLast * segmentSizes[last]; // behind a shorter one comes nothing
        return !closed
                && length <= segmentSizes[last]
                && lengths[last] + length <= LONGEST_ENTRY
                && destination.isSame(destinations[last]);
    }

    /** Entries made. */
    public int count() {
        return count;
    }

    /** Where entry {@code index} begins. */
    public int offset(int index) {
        return offsets[index];
    }

    /** Octets of entry {@code index}. */
    public int length(int index) {
        return lengths[index];
    }

    /** Octets of each datagram of entry {@code index} but the last. */
    public int segmentSize(int index) {
        return segmentSizes[index];
    }

    /** Datagrams of entry {@code index}. */
    public int segments(int index) {
        return lengths[index] == segmentSizes[index] ? 1 : Math.ceilDiv(lengths[index], segmentSizes[index]);
    }

    /** Where entry {@code index} goes. */
    public DatagramAddress destination(int index) {
        return destinations[index];
    }

    /** Port: the first entry that was not taken cannot be sent at all. */
    public void refuse(IOException why) {
        failure = why;
    }

    /** Why the first entry that was not taken cannot be sent; null when the port was merely full. */
    public @Nullable IOException failure() {
        return failure;
    }
}
