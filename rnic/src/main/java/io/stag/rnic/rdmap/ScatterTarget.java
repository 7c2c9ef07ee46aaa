package io.stag.rnic.rdmap;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Rights;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Placement into local buffers of receives and Reads; each is checked again at the moment of the copy. */
final class ScatterTarget {
    private ScatterTarget() {}

    static AccessCheck place(
            RdmaStream stream, @Nullable Grant grant, long offset, MemorySegment in, int at, int length) {
        if (grant == null) {
            return AccessCheck.INVALID_STAG;
        }
        AccessCheck check =
                grant.check(stream.domain, stream.queuePair, Rights.LOCAL_WRITE, grant.base() + offset, length);
        return check == AccessCheck.OK ? stream.decoder.place(in, at, grant.memory(), offset, length) : check;
    }
}
