package io.stag.rnic.memory;

import io.stag.wire.rdmap.AtomicArithmetic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The atomic operations of RFC 7306 on registered memory, in the byte order of this machine and with its atomic
 * instructions: atomic against other queue pairs and against the program's own threads.
 */
public final class AtomicMemory {
    /** Operations work on this many octets, and their address must be a multiple of it. */
    public static final int WIDTH = Long.BYTES;

    // Refuses addresses that are not aligned by an IllegalArgumentException.
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private AtomicMemory() {}

    /** Takes the value that was in memory. One per agent, used again and again. */
    public static final class Original {
        private long value;

        /** Holds 0 until an operation succeeds. */
        public Original() {}

        /** The value before the last operation that succeeded. */
        public long value() {
            return value;
        }
    }

    /** Whether an operation can be done there: the address counts, not the offset (RFC 7306, section 5.1). */
    public static boolean isAligned(MemorySegment memory, long offset) {
        return (memory.address() + offset & WIDTH - 1) == 0;
    }

    /**
     * FetchAdd (RFC 7306, section 5.1.1).
     *
     * @param addMask top bits of the fields that are added one by one; 0 = one field of 64 bits
     * @param original takes the value before
     * @return OK, or GONE when the owner closed the arena; memory and original are then unchanged
     * @throws IllegalArgumentException when the address is not aligned; callers check that first
     */
    public static AccessCheck fetchAdd(
            MemorySegment memory, long offset, long addData, long addMask, Original original) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            original.value = addMask == 0
                    ? (long) WORD.getAndAdd(memory, offset, addData)
                    : addByFields(memory, offset, addData, addMask);
            return AccessCheck.OK;
        } catch (IllegalStateException e) {
            return Placement.goneOrRethrow(memory, interrupted, e);
        }
    }

    /**
     * CmpSwap (RFC 7306, section 5.1.2).
     *
     * @param original takes the value before, whether it was swapped or not
     * @return OK, also when the comparison failed, or GONE when the owner closed the arena
     * @throws IllegalArgumentException when the address is not aligned; callers check that first
     */
    public static AccessCheck compareSwap(
            MemorySegment memory,
            long offset,
            long compareData,
            long compareMask,
            long swapData,
            long swapMask,
            Original original) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            original.value = swap(memory, offset, compareData, compareMask, swapData, swapMask);
            return AccessCheck.OK;
        } catch (IllegalStateException e) {
            return Placement.goneOrRethrow(memory, interrupted, e);
        }
    }

    private static long addByFields(MemorySegment memory, long offset, long addData, long addMask) {
        long seen = (long) WORD.getVolatile(memory, offset);
        while (true) {
            long next = AtomicArithmetic.fetchAdd(seen, addData, addMask);
            long witness = (long) WORD.compareAndExchange(memory, offset, seen, next);
            if (witness == seen) {
                return seen;
            }
            seen = witness;
        }
    }

    private static long swap(
            MemorySegment memory, long offset, long compareData, long compareMask, long swapData, long swapMask) {
        long seen = (long) WORD.getVolatile(memory, offset);
        while (AtomicArithmetic.compareSwapMatches(seen, compareData, compareMask)) {
            long next = AtomicArithmetic.compareSwap(seen, compareData, compareMask, swapData, swapMask);
            long witness = (long) WORD.compareAndExchange(memory, offset, seen, next);
            if (witness == seen) {
                return seen;
            }
            seen = witness;
        }
        return seen;
    }
}
