package io.stag.rnic.work;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.Rights;
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

    /** Buffers count from now on under their present STags only; a length of 0 is never checked (RDMA verbs §7.6.3). */
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
            buffers.pin(i, grant.stag());
        }
        return AccessCheck.OK;
    }

    /** The same for a request, which may have its payload with it. */
    public AccessCheck pin(SendWork work, int right) {
        return work.inline == null ? pin(work.buffers, right) : AccessCheck.OK;
    }

    /** Copies octets {@code offset} to {@code offset + length} of the request's payload. */
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
        long offset = buffers.offset(buffer) + skip;
        AccessCheck check = grant.check(domain, queuePair, Rights.LOCAL_READ, grant.base() + offset, length);
        return check == AccessCheck.OK ? Placement.gather(grant.memory(), offset, out, at, length) : check;
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
