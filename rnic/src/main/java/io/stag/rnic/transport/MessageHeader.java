package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.stag.rnic.mpa.Splices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A {@code msghdr} and its {@code iovec}s: the places that one system call sends from. One per transport, since
 * only one of its streams makes a call at a time.
 */
final class MessageHeader {
    private static final long PLACES_ADDRESS = 16;
    private static final long PLACES_COUNT = 24;
    private static final long LENGTH = 56;
    private static final long PLACE = 16; // address and length
    private static final int MOST_PLACES = 2 * Splices.MOST + 1;

    private final MemorySegment memory;
    private int count;

    /** Memory that is freed when it is no longer reachable. */
    MessageHeader() {
        memory = Arena.ofAuto().allocate(LENGTH + MOST_PLACES * PLACE, Long.BYTES);
        memory.set(JAVA_LONG, PLACES_ADDRESS, memory.address() + LENGTH);
    }

    /** Begins anew. */
    void clear() {
        count = 0;
    }

    /** Adds a place behind the others, unless it is empty. */
    void add(long address, int length) {
        if (length > 0) {
            long at = LENGTH + count * PLACE;
            memory.set(JAVA_LONG, at, address);
            memory.set(JAVA_LONG, at + Long.BYTES, length);
            count++;
        }
    }

    /** Completes the structure with all places that were added. @return its address, valid while this is reachable */
    long fill() {
        memory.set(JAVA_LONG, PLACES_COUNT, count);
        return memory.address();
    }
}
