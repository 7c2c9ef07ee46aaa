package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.StagEntry;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** RDMA Writes: nothing is delivered, the octets are just placed (RFC 5040, section 5.1). */
final class InboundWrites implements PayloadTarget {
    private final RdmaStream stream;
    private int stag;
    private long next; // tagged offset
    private int payload;
    private boolean last;
    private @Nullable StagEntry recent; // the region or window that was looked up last
    private @Nullable StagEntry written; // with segments not counted yet
    private long segments;

    InboundWrites(RdmaStream stream) {
        this.stream = stream;
    }

    /** Takes a segment that is there as a whole. */
    boolean accept(MemorySegment in, int at, int length, int segmentStag, long taggedOffset, boolean isLast) {
        stag = segmentStag;
        next = taggedOffset;
        payload = length;
        last = isLast;
        Grant grant = null;
        if (length > 0) {
            if (!stream.settings.allowRemoteWrite()) {
                return refuseQueuePair();
            }
            grant = lookup(segmentStag);
            AccessCheck check = check(grant, length);
            if (grant != null && check == AccessCheck.OK) {
                check = Placement.place(in, at, grant, taggedOffset, length);
            }
            if (check != AccessCheck.OK) {
                return refuse(grant, check);
            }
        }
        count(grant);
        return true;
    }

    /** Checks a segment, all but its payload. STag and offset of an empty one are not looked at (RFC 5041, section 5.2). */
    boolean begin(int segmentStag, long taggedOffset, int length, boolean isLast) {
        stag = segmentStag;
        next = taggedOffset;
        payload = length;
        last = isLast;
        if (length == 0) {
            return true;
        }
        if (!stream.settings.allowRemoteWrite()) {
            return refuseQueuePair();
        }
        Grant grant = lookup(stag);
        AccessCheck check = check(grant, length);
        return check == AccessCheck.OK || refuse(grant, check);
    }

    /**
     * Like {@link io.stag.rnic.memory.StagTable#lookup}, which takes many steps: most segments go where the one before them
     * went. What an entry grants is looked at each time, and one that was removed grants nothing.
     */
    private @Nullable Grant lookup(int wanted) {
        StagEntry entry = recent;
        Grant grant = entry == null ? null : entry.grant();
        if (grant == null || grant.stag() != wanted) {
            grant = stream.stags.lookup(wanted);
            recent = grant == null ? null : grant.entry();
        }
        return grant;
    }

    private AccessCheck check(@Nullable Grant grant, int length) {
        return grant == null
                ? AccessCheck.INVALID_STAG
                : grant.check(stream.domain, stream.queuePair, Rights.REMOTE_WRITE, next, length);
    }

    @Override
    public boolean place(MemorySegment in, int at, int length) {
        if (length == 0) {
            return true;
        }
        Grant grant = lookup(stag);
        AccessCheck check = check(grant, length);
        if (grant != null && check == AccessCheck.OK) {
            check = Placement.place(in, at, grant, next, length);
        }
        if (check != AccessCheck.OK) {
            return refuse(grant, check);
        }
        next += length;
        return true;
    }

    @Override
    public boolean target(int left, DirectTarget found) {
        Grant grant = lookup(stag);
        AccessCheck check = check(grant, left);
        if (grant == null || check != AccessCheck.OK) {
            return refuse(grant, check);
        }
        found.set(grant.memory(), grant.offsetOf(next), left);
        return true;
    }

    @Override
    public void advance(int octets) {
        next += octets;
    }

    @Override
    public void targetGone() {
        refuse(lookup(stag), AccessCheck.GONE);
    }

    @Override
    public boolean finish() {
        count(payload == 0 ? null : lookup(stag));
        return true;
    }

    private void count(@Nullable Grant grant) {
        if (grant != null) {
            StagEntry entry = grant.entry();
            if (!entry.equals(written)) {
                countSegments();
                written = entry;
            }
            segments++;
        }
        if (last) {
            stream.counters.messagesReceived++;
            stream.counters.writesReceived++;
        }
    }

    /** Adds up at the end of a batch: an atomic addition for each segment would wait until its payload has left the core. */
    void countSegments() {
        StagEntry entry = written;
        if (entry != null) {
            entry.countRemoteWrites(segments);
            written = null;
            segments = 0;
        }
    }

    private boolean refuseQueuePair() {
        return stream.refuse(
                TerminateCode.DDP_TAGGED_STAG_NOT_ASSOCIATED,
                "RDMA Write to a queue pair that does not allow remote writes");
    }

    private boolean refuse(@Nullable Grant grant, AccessCheck check) {
        if (grant != null) {
            grant.entry().countRefused();
        }
        stream.failAccess(
                AccessErrors.ofTagged(check),
                TerminateMessage.DDP_HEADER,
                "RDMA Write of " + payload + " octets",
                stag,
                next,
                check);
        return false;
    }
}
