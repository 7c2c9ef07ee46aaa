package io.stag.rnic.work;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** The posting list of a connected queue pair's send queue. Owned by one thread. */
public final class SendList extends PeerList<SendRequests> implements SendRequests {

    /** A list for {@code queue}. */
    public SendList(SendQueue queue, PostingTarget target) {
        super(queue, target, "send(id)");
    }

    @Override
    SendRequests self() {
        return this;
    }

    @Override
    public SendRequests invalidate(long id, int localStag) {
        begin(WorkKind.INVALIDATE, id).remoteStag = localStag;
        return this;
    }

    @Override
    public SendRequests bindWindow(
            long id, MemoryWindow window, int key, MemoryRegion region, long offset, long length, Set<Access> rights) {
        if (!(window instanceof SoftMemoryWindow softWindow)) {
            throw refused("the window belongs to another provider");
        }
        if (!target.allowsWindowBind()) {
            throw new VerbsException(
                    VerbsError.NOT_PERMITTED, "the queue pair was created with allowWindowBind(false)");
        }
        SoftMemoryRegion softRegion = own(region);
        int bits = Rights.of(rights);
        SendWork work = begin(WorkKind.BIND, id);
        work.window = softWindow;
        work.region = softRegion;
        work.key = key & 0xFF;
        work.offset = offset;
        work.length = length;
        work.rights = bits;
        return this;
    }

    @Override
    public SendRequests fastRegister(long id, MemoryRegion region, int key, MemorySegment memory, Set<Access> rights) {
        if (!target.allowsFastRegister()) {
            throw new VerbsException(
                    VerbsError.NOT_PERMITTED, "the queue pair was created with allowFastRegister(false)");
        }
        SoftMemoryRegion softRegion = own(region);
        int bits = Rights.of(rights);
        SendWork work = begin(WorkKind.FAST_REGISTER, id);
        work.region = softRegion;
        work.key = key & 0xFF;
        work.memory = memory;
        work.rights = bits;
        return this;
    }

    @Override
    public SendRequests localFence() {
        SendWork work = change();
        if (!work.kind.isLocal()) {
            throw refused("localFence() belongs to local operations; use readFence() for " + work.kind);
        }
        work.localFence = true;
        return kept();
    }
}
