package io.stag.rnic.work;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.mpa.Splices;
import io.stag.wire.Crc32c;
import java.lang.foreign.MemorySegment;

/**
 * Copies between a datagram and the buffers of a request, at any offset of the message. Each buffer is checked again at the
 * moment of the copy.
 */
public final class ScatterCopy {
    private final int domain;
    private final int queuePair;

    /** For requests of this queue pair. */
    public ScatterCopy(int domain, int queuePair) {
        this.domain = domain;
        this.queuePair = queuePair;
    }

    /**
     * Checks buffers, which count from now on under their present grants only. A length of 0 is never checked (RDMA verbs
     * §7.6.3).
     */
    public AccessCheck pin(ScatterList buffers, int right) {
        for (int i = 0; i < buffers.count(); i++) {
            if (buffers.length(i) == 0) {
                continue;
            }
            Grant grant = buffers.region(i).grant();
            if (grant == null) {
                return AccessCheck.INVALID_STAG;
            }
            AccessCheck check =
                    grant.check(domain, queuePair, right, grant.base() + buffers.offset(i), buffers.length(i));
            if (check != AccessCheck.OK) {
                return check;
            }
            buffers.pin(i, grant);
        }
        return AccessCheck.OK;
    }

    /** The same for a request, which may have its payload with it. */
    public AccessCheck pin(SendWork work, int right) {
        return work.inline == null ? pin(work.buffers, right) : AccessCheck.OK;
    }

    /** Copies octets {@code offset} to {@code offset + length} of the request's payload, which was checked by {@link #pin}. */
    public AccessCheck gather(SendWork work, long offset, int length, MemorySegment out, long at) {
        MemorySegment inline = work.inline;
        if (inline != null) {
            MemorySegment.copy(inline, offset, out, at, length);
            return AccessCheck.OK;
        }
        ScatterList buffers = work.buffers;
        long skip = offset;
        int copied = 0;
        for (int i = 0; copied < length; i++) {
            long size = buffers.length(i);
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int step = (int) Math.min(size - skip, length - copied);
            AccessCheck check = gather(buffers, i, skip, step, out, at + copied);
            if (check != AccessCheck.OK) {
                return check;
            }
            copied += step;
            skip = 0;
        }
        return AccessCheck.OK;
    }

    private AccessCheck gather(ScatterList buffers, int buffer, long skip, int length, MemorySegment out, long at) {
        Grant grant = buffers.pinnedGrant(buffer);
        if (grant == null) {
            return AccessCheck.INVALID_STAG;
        }
        return Placement.gather(grant.memory(), buffers.offset(buffer) + skip, out, at, length);
    }

    /**
     * Leaves octets {@code offset} to {@code offset + length} of the request's payload where they are, if they lie in one buffer.
     *
     * @param crc gets them
     * @param pieces notes them, for {@code position} in a datagram
     * @return false when they lie in several or may not be read: {@link #gather} copies them or says why not
     */
    public boolean leave(SendWork work, long offset, int length, Crc32c crc, Splices pieces, int position) {
        if (work.inline != null) {
            return false;
        }
        ScatterList buffers = work.buffers;
        int buffer = 0;
        long skip = offset;
        while (skip >= buffers.length(buffer)) {
            skip -= buffers.length(buffer);
            buffer++;
        }
        Grant grant = buffers.pinnedGrant(buffer);
        if (grant == null || buffers.length(buffer) - skip < length) {
            return false;
        }
        long at = buffers.offset(buffer) + skip;
        if (Placement.checksum(grant, at, length, crc) != AccessCheck.OK) {
            return false;
        }
        pieces.add(grant.memory(), at, length, position, position);
        return true;
    }

    /** Places octets of a message from its octet {@code offset} on. */
    public AccessCheck place(ScatterList buffers, long offset, MemorySegment in, long at, int length) {
        long skip = offset;
        int copied = 0;
        for (int i = 0; copied < length; i++) {
            long size = buffers.length(i);
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int step = (int) Math.min(size - skip, length - copied);
            AccessCheck check = place(buffers, i, skip, in, at + copied, step);
            if (check != AccessCheck.OK) {
                return check;
            }
            copied += step;
            skip = 0;
        }
        return AccessCheck.OK;
    }

    private AccessCheck place(ScatterList buffers, int buffer, long skip, MemorySegment in, long at, int length) {
        Grant grant = buffers.pinnedGrant(buffer);
        if (grant == null) {
            return AccessCheck.INVALID_STAG;
        }
        long offset = buffers.offset(buffer) + skip;
        AccessCheck check = grant.check(domain, queuePair, Rights.LOCAL_WRITE, grant.base() + offset, length);
        return check == AccessCheck.OK ? Placement.place(in, at, grant.memory(), offset, length) : check;
    }
}
