package io.stag.rnic.mpa;

import org.jspecify.annotations.Nullable;

/**
 * Staging buffers of one agent. A stream holds one only while octets are in it, so idle streams cost nothing. Two sizes:
 * a large one to fill and drain, and one that just holds an FPDU, for streams that stop in the middle of one.
 */
public final class StagingPool {
    /** Size of a working buffer: several of the largest FPDUs, and still inside a second-level cache. */
    public static final int WORKING_CAPACITY = 256 * 1024;

    /** Room for the largest FPDU that the length field can announce, with its markers. */
    public static final int FPDU_CAPACITY = 66 * 1024;

    /** Streams whose peers take nothing hold what they could not send, and there may be thousands of them. */
    private static final int MOST_WORKING = 32;

    private static final int KEPT = 8;

    private final Spares working = new Spares();
    private final Spares small = new Spares();
    private final Splices splices = new Splices();
    private int workingLeased;
    private int smallLeased;

    /** Creates an empty pool. */
    public StagingPool() {}

    /** For payload that is sent from where it is; empty between two steps of the agent. */
    public Splices splices() {
        return splices;
    }

    /** An empty buffer to fill: a working buffer unless many streams have stopped and hold theirs. */
    public StagingBuffer lease() {
        return workingLeased < MOST_WORKING ? leaseWorking() : leaseSmall();
    }

    /** An empty buffer that holds as much as {@code other} can. */
    public StagingBuffer leaseLike(StagingBuffer other) {
        return other.capacity() == WORKING_CAPACITY ? leaseWorking() : leaseSmall();
    }

    private StagingBuffer leaseSmall() {
        smallLeased++;
        StagingBuffer free = small.take();
        return free != null ? free : new StagingBuffer(FPDU_CAPACITY);
    }

    private StagingBuffer leaseWorking() {
        workingLeased++;
        StagingBuffer free = working.take();
        return free != null ? free : new StagingBuffer(WORKING_CAPACITY);
    }

    /** Takes a buffer back; its content is forgotten. */
    public void release(StagingBuffer buffer) {
        buffer.clear();
        boolean large = buffer.capacity() == WORKING_CAPACITY;
        if (large) {
            workingLeased--;
        } else {
            smallLeased--;
        }
        (large ? working : small).put(buffer);
    }

    /** Buffers in use. Any thread, perhaps a little old. */
    public int leased() {
        return workingLeased + smallLeased;
    }

    /** Memory of all buffers, in use or kept. Any thread, perhaps a little old. */
    public long octets() {
        return (long) WORKING_CAPACITY * (workingLeased + working.count)
                + (long) FPDU_CAPACITY * (smallLeased + small.count);
    }

    /**
     * What a stream keeps that stops with octets in a working buffer: the same while few streams do so, else a buffer
     * just large enough, so that many stalled streams cannot hold large buffers.
     */
    public StagingBuffer settle(StagingBuffer buffer) {
        if (buffer.capacity() != WORKING_CAPACITY || workingLeased <= KEPT || buffer.size() > FPDU_CAPACITY) {
            return buffer;
        }
        StagingBuffer kept = leaseSmall();
        kept.takeAll(buffer);
        release(buffer);
        return kept;
    }

    /**
     * Buffers that nobody uses, the last one first: it may still be in the cache. Who takes one leaves its place as it is, and
     * finds it unchanged when giving it back: a store costs more than a look, since the garbage collector keeps books of them.
     */
    private static final class Spares {
        private final @Nullable StagingBuffer[] buffers = new StagingBuffer[KEPT];
        private int count;

        @Nullable
        StagingBuffer take() {
            return count == 0 ? null : buffers[--count];
        }

        @SuppressWarnings("ReferenceEquality") // only whether there is something to store
        void put(StagingBuffer buffer) {
            if (count < KEPT) {
                if (buffers[count] != buffer) {
                    buffers[count] = buffer;
                }
                count++;
            }
        }
    }
}
