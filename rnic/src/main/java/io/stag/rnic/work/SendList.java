package io.stag.rnic.work;

import io.stag.rnic.memory.Grant;
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

/** The posting list of a send queue. Owned by one thread. */
public final class SendList implements SendRequests {
    /** Longest message (RFC 5041, section 5.2). */
    public static final long MAX_MESSAGE = 0xFFFF_FFFFL;

    private static final long ATOMIC_RESULT = 8;

    private final PostingTarget target;
    private final SendSlots slots;
    private boolean needsSinks; // some request must have got one when it is posted

    /** A list for {@code queue}. */
    public SendList(SendQueue queue, PostingTarget target) {
        this.target = target;
        slots = new SendSlots(queue, target);
    }

    @Override
    public SendRequests send(long id) {
        begin(WorkKind.SEND, id);
        return this;
    }

    @Override
    public SendRequests sendInvalidate(long id, int remoteStag) {
        SendWork work = begin(WorkKind.SEND, id);
        work.invalidate = true;
        work.remoteStag = remoteStag;
        return this;
    }

    @Override
    public SendRequests write(long id, int remoteStag, long remoteOffset) {
        beginRemote(WorkKind.WRITE, id, remoteStag, remoteOffset);
        return this;
    }

    @Override
    public SendRequests writeImmediate(long id, int remoteStag, long remoteOffset, long immediate) {
        beginRemote(WorkKind.WRITE_IMMEDIATE, id, remoteStag, remoteOffset).immediate = immediate;
        return this;
    }

    @Override
    public SendRequests immediate(long id, long immediate) {
        begin(WorkKind.IMMEDIATE, id).immediate = immediate;
        return this;
    }

    @Override
    public SendRequests read(long id, int remoteStag, long remoteOffset) {
        beginRemote(WorkKind.READ, id, remoteStag, remoteOffset);
        return this;
    }

    @Override
    public SendRequests readInvalidate(long id, int remoteStag, long remoteOffset) {
        beginRemote(WorkKind.READ, id, remoteStag, remoteOffset).invalidate = true;
        needsSinks = true;
        return this;
    }

    @Override
    public SendRequests fetchAdd(long id, int remoteStag, long remoteOffset, long add, long fieldTops) {
        SendWork work = beginRemote(WorkKind.FETCH_ADD, id, remoteStag, remoteOffset);
        work.operand = add;
        work.operandMask = fieldTops;
        needsSinks = true;
        return this;
    }

    @Override
    public SendRequests compareSwap(
            long id, int remoteStag, long remoteOffset, long compare, long compareMask, long swap, long swapMask) {
        SendWork work = beginRemote(WorkKind.COMPARE_SWAP, id, remoteStag, remoteOffset);
        work.operand = swap;
        work.operandMask = swapMask;
        work.compare = compare;
        work.compareMask = compareMask;
        needsSinks = true;
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
        SendWork work = begin(WorkKind.BIND, id);
        work.window = softWindow;
        work.region = own(region);
        work.key = key & 0xFF;
        work.offset = offset;
        work.length = length;
        work.rights = Rights.of(rights);
        return this;
    }

    @Override
    public SendRequests fastRegister(long id, MemoryRegion region, int key, MemorySegment memory, Set<Access> rights) {
        if (!target.allowsFastRegister()) {
            throw new VerbsException(
                    VerbsError.NOT_PERMITTED, "the queue pair was created with allowFastRegister(false)");
        }
        SendWork work = begin(WorkKind.FAST_REGISTER, id);
        work.region = own(region);
        work.key = key & 0xFF;
        work.memory = memory;
        work.rights = Rights.of(rights);
        return this;
    }

    @Override
    public SendRequests from(MemoryRegion region, long offset, long length) {
        SendWork work = current();
        switch (work.kind) {
            case SEND, WRITE, WRITE_IMMEDIATE -> addBuffer(work.buffers, region, offset, length);
            case IMMEDIATE, READ, FETCH_ADD, COMPARE_SWAP, INVALIDATE, BIND, FAST_REGISTER ->
                throw refused(work.kind + " sends no payload; from() belongs to Send and Write");
        }
        return this;
    }

    @Override
    public SendRequests into(MemoryRegion region, long offset, long length) {
        SendWork work = current();
        switch (work.kind) {
            case READ -> {
                if (work.invalidate && work.buffers.count() == 1) {
                    throw refused("a Read that invalidates its sink goes to one buffer");
                }
                addBuffer(work.buffers, region, offset, length);
            }
            case FETCH_ADD, COMPARE_SWAP -> {
                if (length != ATOMIC_RESULT || work.buffers.count() > 0) {
                    throw refused("the result of an atomic goes to one buffer of 8 octets");
                }
                addBuffer(work.buffers, region, offset, length);
            }
            case SEND, WRITE, WRITE_IMMEDIATE, IMMEDIATE, INVALIDATE, BIND, FAST_REGISTER ->
                throw refused(work.kind + " brings nothing back; into() belongs to Reads and atomics");
        }
        return this;
    }

    @Override
    public SendRequests inline(MemorySegment data) {
        SendWork work = current();
        switch (work.kind) {
            case SEND, WRITE, WRITE_IMMEDIATE -> {
                if (data.byteSize() > target.maxInline()) {
                    throw new VerbsException(
                            VerbsError.LIMIT_EXCEEDED,
                            data.byteSize() + " octets inline, the queue pair allows " + target.maxInline());
                }
                if (work.buffers.count() > 0) {
                    throw refused("a request has either inline payload or buffers");
                }
                work.copyInline(data, target.maxInline());
            }
            case IMMEDIATE, READ, FETCH_ADD, COMPARE_SWAP, INVALIDATE, BIND, FAST_REGISTER ->
                throw refused(work.kind + " sends no payload; inline() belongs to Send and Write");
        }
        return this;
    }

    @Override
    public SendRequests unsignaled() {
        current().signaled = false;
        return this;
    }

    @Override
    public SendRequests solicited() {
        SendWork work = current();
        if (work.kind != WorkKind.SEND && work.kind != WorkKind.IMMEDIATE && work.kind != WorkKind.WRITE_IMMEDIATE) {
            throw refused(work.kind + " completes no receive of the peer; solicited() belongs to Send and Immediate");
        }
        work.solicited = true;
        return this;
    }

    @Override
    public SendRequests readFence() {
        SendWork work = current();
        if (work.kind == WorkKind.READ) {
            throw refused("a Read cannot be fenced (RDMA verbs §8.2.2.2): Reads are answered in order anyway");
        }
        work.readFence = true;
        return this;
    }

    @Override
    public SendRequests localFence() {
        SendWork work = current();
        if (!work.kind.isLocal()) {
            throw refused("localFence() belongs to local operations; use readFence() for " + work.kind);
        }
        work.localFence = true;
        return this;
    }

    @Override
    public int post() {
        int posted = slots.take();
        if (needsSinks) {
            needsSinks = false;
            checkSinks(posted);
        }
        return slots.post(posted);
    }

    private void checkSinks(int posted) {
        for (int i = 0; i < posted; i++) {
            SendWork work = slots.slot(i);
            if ((work.kind == WorkKind.FETCH_ADD || work.kind == WorkKind.COMPARE_SWAP) && work.buffers.count() == 0) {
                throw refused("an atomic needs a place for its result: into(region, offset, 8)");
            }
            if (work.kind == WorkKind.READ && work.invalidate && work.buffers.count() == 0) {
                throw refused("a Read that invalidates its sink needs one: into(region, offset, length)");
            }
        }
    }

    private SendWork begin(WorkKind kind, long id) {
        return slots.begin(kind, id);
    }

    private SendWork beginRemote(WorkKind kind, long id, int remoteStag, long remoteOffset) {
        return slots.beginRemote(kind, id, remoteStag, remoteOffset);
    }

    private SendWork current() {
        return slots.current("send(id)");
    }

    private void addBuffer(ScatterList buffers, MemoryRegion region, long offset, long length) {
        SendWork work = current();
        if (work.inline != null) {
            throw refused("a request has either inline payload or buffers");
        }
        addBuffer(buffers, own(region), offset, length, target);
    }

    static void addBuffer(
            ScatterList buffers, SoftMemoryRegion region, long offset, long length, PostingTarget target) {
        if (buffers.count() >= target.maxSegments()) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED, "a request names at most " + target.maxSegments() + " buffers");
        }
        if (region.domain() != target.domain()) {
            throw refused("the region belongs to another protection domain");
        }
        Grant grant = region.grant();
        // a region without grant may be filled by a fast registration further up the same queue
        if (offset < 0 || length < 0 || (grant != null && length > grant.length() - offset)) {
            throw refused("octets " + offset + " to " + (offset + length) + " are outside the region of "
                    + (grant == null ? "yet unknown" : grant.length()) + " octets");
        }
        if (length > MAX_MESSAGE - buffers.total()) {
            throw refused("a message is shorter than 2^32 octets (RFC 5041 §5.2)");
        }
        buffers.add(region, offset, length);
    }

    static SoftMemoryRegion own(MemoryRegion region) {
        if (region instanceof SoftMemoryRegion soft) {
            return soft;
        }
        throw refused("the region belongs to another provider");
    }

    private static VerbsException refused(String message) {
        return new VerbsException(VerbsError.INVALID_ARGUMENT, message);
    }
}
