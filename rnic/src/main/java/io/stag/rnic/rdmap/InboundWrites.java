package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.RecentLookup;
import io.stag.rnic.memory.RemoteWriteCount;
import io.stag.rnic.memory.Rights;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.MemorySegment;

/** RDMA Writes: nothing is delivered, the octets are just placed (RFC 5040, section 5.1). */
final class InboundWrites {
    private final RdmaStream stream;
    private final RecentLookup stags;
    private final RemoteWriteCount segments = new RemoteWriteCount();

    InboundWrites(RdmaStream stream) {
        this.stream = stream;
        stags = new RecentLookup(stream.stags);
    }

    /** Checks a segment and places it. STag and offset of an empty one are not looked at (RFC 5041, section 5.2). */
    boolean accept(MemorySegment in, int at, int length, int stag, long taggedOffset, boolean last) {
        if (length > 0 && !place(in, at, length, stag, taggedOffset)) {
            return false;
        }
        if (last) {
            stream.counters.messagesReceived++;
            stream.counters.writesReceived++;
        }
        return true;
    }

    private boolean place(MemorySegment in, int at, int length, int stag, long taggedOffset) {
        if (!stream.settings.allowRemoteWrite()) {
            return stream.refuse(
                    TerminateCode.DDP_TAGGED_STAG_NOT_ASSOCIATED,
                    "RDMA Write to a queue pair that does not allow remote writes");
        }
        Grant grant = stags.lookup(stag);
        if (grant == null) {
            return refuse(length, stag, taggedOffset, AccessCheck.INVALID_STAG);
        }
        AccessCheck check = grant.check(stream.domain, stream.queuePair, Rights.REMOTE_WRITE, taggedOffset, length);
        if (check == AccessCheck.OK) {
            check = stream.decoder.place(in, at, grant.memory(), grant.offsetOf(taggedOffset), length);
        }
        if (check != AccessCheck.OK) {
            grant.entry().countRefused();
            return refuse(length, stag, taggedOffset, check);
        }
        segments.add(grant.entry());
        return true;
    }

    /** At the end of a batch, and before anybody can know that one of its segments came. */
    void countSegments() {
        segments.show();
    }

    private boolean refuse(int length, int stag, long taggedOffset, AccessCheck check) {
        stream.failAccess(
                AccessErrors.ofTagged(check),
                TerminateMessage.DDP_HEADER,
                "RDMA Write of " + length + " octets",
                stag,
                taggedOffset,
                check);
        return false;
    }
}
