package io.stag.rnic.work;

import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.PeerRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.MemorySegment;

/** The part of a posting list that concerns a peer. Owned by one thread. */
abstract sealed class PeerList<R extends PeerRequests<R>> implements PeerRequests<R>
        permits SendList, ReliableSendList {
    /** Longest message (RFC 5041, section 5.2). */
    static final long MAX_MESSAGE = 0xFFFF_FFFFL;

    private static final long ATOMIC_RESULT = 8;

    final PostingTarget target;
    private final SendSlots slots;
    private final String howToBegin;
    private boolean needsSinks; // some request must have got one when it is posted

    PeerList(SendQueue queue, PostingTarget target, String howToBegin) {
        this.target = target;
        this.howToBegin = howToBegin;
        slots = new SendSlots(queue, target);
    }

    /** This list. */
    abstract R self();

    @Override
    public final R send(long id) {
        begin(WorkKind.SEND, id);
        return self();
    }

    @Override
    public final R sendInvalidate(long id, int remoteStag) {
        SendWork work = begin(WorkKind.SEND, id);
        work.invalidate = true;
        work.remoteStag = remoteStag;
        return self();
    }

    @Override
    public final R write(long id, int remoteStag, long remoteOffset) {
        begin(WorkKind.WRITE, id).at(remoteStag, remoteOffset);
        return self();
    }

    @Override
    public final R writeImmediate(long id, int remoteStag, long remoteOffset, long immediate) {
        begin(WorkKind.WRITE_IMMEDIATE, id).at(remoteStag, remoteOffset).immediate = immediate;
        return self();
    }

    @Override
    public final R immediate(long id, long immediate) {
        begin(WorkKind.IMMEDIATE, id).immediate = immediate;
        return self();
    }

    @Override
    public final R read(long id, int remoteStag, long remoteOffset) {
        begin(WorkKind.READ, id).at(remoteStag, remoteOffset);
        return self();
    }

    @Override
    public final R readInvalidate(long id, int remoteStag, long remoteOffset) {
        begin(WorkKind.READ, id).at(remoteStag, remoteOffset).invalidate = true;
        needsSinks = true;
        return self();
    }

    @Override
    public final R fetchAdd(long id, int remoteStag, long remoteOffset, long add, long fieldTops) {
        SendWork work = begin(WorkKind.FETCH_ADD, id).at(remoteStag, remoteOffset);
        work.operand = add;
        work.operandMask = fieldTops;
        needsSinks = true;
        return self();
    }

    @Override
    public final R compareSwap(
            long id, int remoteStag, long remoteOffset, long compare, long compareMask, long swap, long swapMask) {
        SendWork work = begin(WorkKind.COMPARE_SWAP, id).at(remoteStag, remoteOffset);
        work.operand = swap;
        work.operandMask = swapMask;
        work.compare = compare;
        work.compareMask = compareMask;
        needsSinks = true;
        return self();
    }

    @Override
    public final R from(MemoryRegion region, long offset, long length) {
        SendWork work = change();
        if (!work.kind.carriesPayload()) {
            throw refused(work.kind + " sends no payload; from() belongs to Send and Write");
        }
        addBuffer(work, region, offset, length);
        return kept();
    }

    @Override
    public final R into(MemoryRegion region, long offset, long length) {
        SendWork work = change();
        switch (work.kind) {
            case READ -> {
                if (work.invalidate && work.buffers.count() == 1) {
                    throw refused("a Read that invalidates its sink goes to one buffer");
                }
                addBuffer(work, region, offset, length);
            }
            case FETCH_ADD, COMPARE_SWAP -> {
                if (length != ATOMIC_RESULT || work.buffers.count() > 0) {
                    throw refused("the result of an atomic goes to one buffer of 8 octets");
                }
                addBuffer(work, region, offset, length);
            }
            case SEND, WRITE, WRITE_IMMEDIATE, IMMEDIATE, INVALIDATE, BIND, FAST_REGISTER ->
                throw refused(work.kind + " brings nothing back; into() belongs to Reads and atomics");
        }
        return kept();
    }

    @Override
    public final R inline(MemorySegment data) {
        SendWork work = change();
        if (!work.kind.carriesPayload()) {
            throw refused(work.kind + " sends no payload; inline() belongs to Send and Write");
        }
        if (data.byteSize() > target.maxInline()) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED,
                    data.byteSize() + " octets inline, the queue pair allows " + target.maxInline());
        }
        if (work.buffers.count() > 0) {
            throw refused("a request has either inline payload or buffers");
        }
        work.copyInline(data, target.maxInline());
        return kept();
    }

    @Override
    public final R unsignaled() {
        change().signaled = false;
        return kept();
    }

    @Override
    public final R solicited() {
        SendWork work = change();
        if (work.kind != WorkKind.SEND && work.kind != WorkKind.IMMEDIATE && work.kind != WorkKind.WRITE_IMMEDIATE) {
            throw refused(work.kind + " completes no receive of the peer; solicited() belongs to Send and Immediate");
        }
        work.solicited = true;
        return kept();
    }

    @Override
    public final R readFence() {
        SendWork work = change();
        if (work.kind == WorkKind.READ) {
            throw refused("a Read cannot be fenced (RDMA verbs §8.2.2.2): Reads are answered in order anyway");
        }
        work.readFence = true;
        return kept();
    }

    @Override
    public final int post() {
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

    /** Starts a request. */
    SendWork begin(WorkKind kind, long id) {
        return slots.begin(kind, id);
    }

    /** The request last started, which leaves the list if it is not {@link #kept}. */
    final SendWork change() {
        return slots.change(howToBegin);
    }

    /** The request that was changed stays. */
    final R kept() {
        slots.keep();
        return self();
    }

    private void addBuffer(SendWork work, MemoryRegion region, long offset, long length) {
        if (work.inline != null) {
            throw refused("a request has either inline payload or buffers");
        }
        addBuffer(work.buffers, own(region), offset, length, target);
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

    static VerbsException refused(String message) {
        return new VerbsException(VerbsError.INVALID_ARGUMENT, message);
    }
}
