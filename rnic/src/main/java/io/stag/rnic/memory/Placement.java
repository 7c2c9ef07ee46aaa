package io.stag.rnic.memory;

import io.stag.wire.Crc32c;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Copies between staging and registered memory. The owner of registered memory may close its arena at any moment; that
 * is its mistake and reported as {@link AccessCheck#GONE}. Callers have checked the access before.
 */
public final class Placement {
    private Placement() {}

    /** Copies received octets to a tagged offset; a release fence follows, so that a program may poll the memory. */
    public static AccessCheck place(
            MemorySegment staging, long stagingOffset, Grant grant, long taggedOffset, long length) {
        return place(staging, stagingOffset, grant.memory(), grant.offsetOf(taggedOffset), length);
    }

    /** Like the other one, to an offset of the memory itself. */
    public static AccessCheck place(
            MemorySegment staging, long stagingOffset, MemorySegment memory, long offset, long length) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            MemorySegment.copy(staging, stagingOffset, memory, offset, length);
        } catch (IllegalStateException e) {
            return goneOrRethrow(memory, interrupted, e);
        }
        VarHandle.releaseFence();
        return AccessCheck.OK;
    }

    /** Copies octets of registered memory from a tagged offset into staging. */
    public static AccessCheck gather(
            Grant grant, long taggedOffset, MemorySegment staging, long stagingOffset, long length) {
        return gather(grant.memory(), grant.offsetOf(taggedOffset), staging, stagingOffset, length);
    }

    /** Like the other one, from an offset of the memory itself. */
    public static AccessCheck gather(
            MemorySegment memory, long offset, MemorySegment staging, long stagingOffset, long length) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            MemorySegment.copy(memory, offset, staging, stagingOffset, length);
        } catch (IllegalStateException e) {
            return goneOrRethrow(memory, interrupted, e);
        }
        return AccessCheck.OK;
    }

    /**
     * Like {@link #place(MemorySegment, long, MemorySegment, long, long)} for octets that do not lie together in staging memory.
     *
     * @param first octets of the first piece, at most
     * @param piece octets of each piece behind it, at most
     * @param gap octets between two pieces
     */
    public static AccessCheck placePieces(
            MemorySegment staging,
            long stagingOffset,
            MemorySegment memory,
            long offset,
            int length,
            int first,
            int piece,
            int gap) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            copyPieces(staging, stagingOffset, gap, memory, offset, 0, length, first, piece);
        } catch (IllegalStateException e) {
            return goneOrRethrow(memory, interrupted, e);
        }
        VarHandle.releaseFence();
        return AccessCheck.OK;
    }

    /**
     * Like {@link #gather(MemorySegment, long, MemorySegment, long, long)}, with the pieces of {@link #placePieces}. What
     * the gaps hold afterwards means nothing: the caller writes over them.
     */
    public static AccessCheck gatherPieces(
            MemorySegment memory,
            long offset,
            MemorySegment staging,
            long stagingOffset,
            int length,
            int first,
            int piece,
            int gap) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            copyPieces(memory, offset, 0, staging, stagingOffset, gap, length, first, piece);
        } catch (IllegalStateException e) {
            return goneOrRethrow(memory, interrupted, e);
        }
        return AccessCheck.OK;
    }

    private static void copyPieces(
            MemorySegment source,
            long sourceOffset,
            int sourceGap,
            MemorySegment target,
            long targetOffset,
            int targetGap,
            int length,
            int first,
            int piece) {
        long from = sourceOffset;
        long to = targetOffset;
        int step = Math.min(first, length);
        for (int left = length; left > 0; ) {
            // over the gap too, as the next piece begins behind it: whole vectors are copied faster
            MemorySegment.copy(source, from, target, to, Math.min(step + targetGap, left));
            left -= step;
            from += step + sourceGap;
            to += step + targetGap;
            step = Math.min(piece, left);
        }
    }

    /** Adds octets of registered memory to a CRC, from an offset of the memory itself. */
    public static AccessCheck checksum(Grant grant, long offset, int length, Crc32c crc) {
        ByteBuffer view = grant.takeView();
        if (view == null) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            try {
                crc.update(grant.memory(), offset, length);
            } catch (IllegalStateException e) {
                return goneOrRethrow(grant.memory(), interrupted, e);
            }
            return AccessCheck.OK;
        }
        try {
            crc.update(view, (int) offset, length);
        } catch (IllegalStateException e) {
            if (grant.memory().scope().isAlive()) {
                throw e;
            }
            return AccessCheck.GONE;
        }
        grant.giveBackView(view);
        return AccessCheck.OK;
    }

    /**
     * An exception counts as the owner's doing only if the registered memory is really gone.
     *
     * <p>When an arena is closed during an access the JVM stops the access by an asynchronous exception, which also
     * sets the interrupt status of the accessing thread (seen with JDK 25). That would close the next channel the agent
     * uses, so it is taken back unless it was set before the access.
     */
    static AccessCheck goneOrRethrow(MemorySegment memory, boolean interruptedBefore, IllegalStateException e) {
        if (memory.scope().isAlive()) {
            throw e;
        }
        if (!interruptedBefore) {
            Thread.interrupted();
        }
        return AccessCheck.GONE;
    }
}
