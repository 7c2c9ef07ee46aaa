package io.stag.rnic.datagram;

import io.stag.rnic.mpa.Splices;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
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

    /** A row of datagrams. An object for each rather than an array for each field: what belongs together is read together. */
    private static final class Entry {
        private static final DatagramAddress NOWHERE = new DatagramAddress();

        private int offset;
        private int length;
        private int segmentSize;
        private DatagramAddress destination = NOWHERE;
    }

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CAPACITY);
    private final MemorySegment segment = MemorySegment.ofBuffer(buffer);
    private final long address = segment.address();
    private final Entry[] entries = new Entry[ENTRIES];
    private final Splices pieces = new Splices();
    private int mostSegments = 1;
    private int leastInPlace = Integer.MAX_VALUE;
    private int segmentsOfLast;
    private int count;
    private int end;
    private @Nullable IOException failure;

    /** Allocates the memory. */
    public DatagramOutput() {
        Arrays.setAll(entries, _ -> new Entry());
    }

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
            begin(entries[count++], length, destination);
        }
        entries[count - 1].length += length;
        segmentsOfLast++;
        end += length;
        return count - 1;
    }

    @SuppressWarnings("ReferenceEquality") // only whether there is something to store
    private void begin(Entry entry, int length, DatagramAddress destination) {
        entry.offset = end;
        entry.length = 0;
        entry.segmentSize = length;
        if (entry.destination != destination) { // a store costs more, since the garbage collector keeps books of them
            entry.destination = destination;
        }
        segmentsOfLast = 0;
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
        Entry last = entries[count - 1];
        boolean closed = last.length != segmentsOfLast * last.segmentSize; // behind a shorter one comes nothing
        return !closed
                && length <= last.segmentSize
                && last.length + length <= LONGEST_ENTRY
                && destination.isSame(last.destination);
    }

    /** Entries made. */
    public int count() {
        return count;
    }

    /** Where entry {@code index} begins. */
    public int offset(int index) {
        return entries[index].offset;
    }

    /** Octets of entry {@code index}. */
    public int length(int index) {
        return entries[index].length;
    }

    /** Octets of each datagram of entry {@code index} but the last. */
    public int segmentSize(int index) {
        return entries[index].segmentSize;
    }

    /** Datagrams of entry {@code index}. */
    public int segments(int index) {
        Entry entry = entries[index];
        return entry.length == entry.segmentSize ? 1 : Math.ceilDiv(entry.length, entry.segmentSize);
    }

    /** Where entry {@code index} goes. */
    public DatagramAddress destination(int index) {
        return entries[index].destination;
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
