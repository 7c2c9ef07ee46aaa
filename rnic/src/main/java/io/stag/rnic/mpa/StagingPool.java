package io.stag.rnic.mpa;

import org.jspecify.annotations.Nullable;

/**
 * Staging buffers of one agent. A stream holds one only while octets are in it, so idle streams cost nothing. Three sizes:
 * one to fill and drain, a larger one for streams that have much to send, and one that just holds an FPDU, for streams that
 * stop in the middle of one.
 */
public final class StagingPool {
    /** Size of a working buffer: several of the largest FPDUs, and still inside a second-level cache. */
    public static final int WORKING_CAPACITY = 256 * 1024;

    /** Room for the largest FPDU that the length field can announce, with its markers. */
    public static final int FPDU_CAPACITY = 66 * 1024;

    /**
     * Size of a buffer for streams that have much to send: the Linux kernel copies a MiB in one call for two thirds of what it
     * takes in four (docs/performance.md).
     */
    public static final int LARGE_CAPACITY = 1024 * 1024;

    /** Streams whose peers take nothing hold what they could not send, and there may be thousands of them. */
    private static final int MOST_WORKING = 32;

    private static final int MOST_LARGE = 8;

    private static final int KEPT = 8;

    private static final int LARGE_KEPT = 2;

    private final Size small = new Size(FPDU_CAPACITY, KEPT);
    private final Size working = new Size(WORKING_CAPACITY, KEPT);
    private final Size large = new Size(LARGE_CAPACITY, LARGE_KEPT);
    private final Splices splices = new Splices();

    /** Creates an empty pool. */
    public StagingPool() {}

    /** For payload that is sent from where it is; empty between two steps of the agent. */
    public Splices splices() {
        return splices;
    }

    /** An empty buffer to fill: a working buffer unless many streams have stopped and hold theirs. */
    public StagingBuffer lease() {
        return (working.leased < MOST_WORKING ? working : small).lease();
    }

    /** Like {@link #lease()}; a large one for more than a working buffer holds, unless several streams hold theirs. */
    public StagingBuffer lease(int wanted) {
        return wanted > WORKING_CAPACITY && large.leased < MOST_LARGE ? large.lease() : lease();
    }

    /** An empty buffer that holds so many octets, which are no more than a large one can. */
    public StagingBuffer leaseFor(int octets) {
        return (octets <= FPDU_CAPACITY ? small : octets <= WORKING_CAPACITY ? working : large).lease();
    }

    /** Takes a buffer back; its content is forgotten. */
    public void release(StagingBuffer buffer) {
        buffer.clear();
        sizeOf(buffer).release(buffer);
    }

    private Size sizeOf(StagingBuffer buffer) {
        return switch (buffer.capacity()) {
            case WORKING_CAPACITY -> working;
            case FPDU_CAPACITY -> small;
            case LARGE_CAPACITY -> large;
            default -> throw new IllegalArgumentException("no buffer of a pool: " + buffer.capacity() + " octets");
        };
    }

    /** Buffers in use. Any thread, perhaps a little old. */
    public int leased() {
        return small.leased + working.leased + large.leased;
    }

    /** Memory of all buffers, in use or kept. Any thread, perhaps a little old. */
    public long octets() {
        return small.octets() + working.octets() + large.octets();
    }

    /**
     * What a stream keeps that stops with octets in a buffer: the same while few streams do so, else one just large enough,
     * so that many stalled streams cannot hold large buffers.
     */
    public StagingBuffer settle(StagingBuffer buffer) {
        if (working.leased + large.leased <= KEPT || buffer.size() > FPDU_CAPACITY || sizeOf(buffer) == small) {
            return buffer;
        }
        StagingBuffer kept;
        try {
            kept = small.lease();
        } catch (OutOfMemoryError e) {
            release(buffer); // the stream ends, and others need it
            throw e;
        }
        kept.takeAll(buffer);
        release(buffer);
        return kept;
    }

    /**
     * Buffers of one size. Of those that nobody uses the last one comes first: it may still be in the cache. Who takes one
     * leaves its place as it is, and finds it unchanged when giving it back: a store costs more than a look, since the garbage
     * collector keeps books of them.
     */
    private static final class Size {
        private final int capacity;
        private final @Nullable StagingBuffer[] spares;
        private int count;
        private int leased;

        Size(int capacity, int kept) {
            this.capacity = capacity;
            spares = new StagingBuffer[kept];
        }

        StagingBuffer lease() {
            StagingBuffer spare = count == 0 ? null : spares[--count];
            StagingBuffer buffer = spare != null ? spare : new StagingBuffer(capacity);
            leased++; // not before: there may be no memory left
            return buffer;
        }

        @SuppressWarnings("ReferenceEquality") // only whether there is something to store
        void release(StagingBuffer buffer) {
            leased--;
            if (count < spares.length) {
                if (spares[count] != buffer) {
                    spares[count] = buffer;
                }
                count++;
            }
        }

        long octets() {
            return (long) capacity * (leased + count);
        }
    }
}
