package io.stag.rnic.rdmap;

import java.lang.foreign.MemorySegment;

/**
 * The place for a segment's payload, after all of its header was checked. The payload is copied there when the whole
 * segment has come, or put there bit by bit while it comes; access is checked again for each bit.
 */
interface PayloadTarget {
    /** Copies the next octets. @return false when they may not be put there; the stream failed */
    boolean place(MemorySegment in, int at, int length);

    /** Finds out where the next of {@code left} octets belong. @return false when they may not be put there */
    boolean target(int left, DirectTarget found);

    /** The next octets were put where {@link #target} said. */
    void advance(int octets);

    /** The memory that {@link #target} found is gone: the stream fails. */
    void targetGone();

    /** The payload is complete. @return false when the segment still broke a rule */
    boolean finish();
}
