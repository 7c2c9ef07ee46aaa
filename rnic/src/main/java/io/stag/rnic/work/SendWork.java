package io.stag.rnic.work;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One request of a send queue; a slot that is filled again and again. Fields are open to the engine: this is a record of
 * the ring, not an abstraction. Filled by the posting thread, then owned by the engine until retired.
 */
public final class SendWork {
    /** How far the engine got with it. */
    public enum Progress {
        /** Not started. */
        QUEUED,
        /** All its octets are staged; done when the stream has taken {@link SendWork#endPosition}. */
        STAGED,
        /** Sent; the peer's response is due. */
        AWAITING_RESPONSE,
        /** Nothing left to wait for. */
        DONE
    }

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    /** The caller's id. */
    public long id;
    /** What to do. */
    public WorkKind kind = WorkKind.SEND;
    /** Completion wanted on success. */
    public boolean signaled;
    /** Solicited event at the peer. */
    public boolean solicited;
    /** Waits for earlier Reads and atomics. */
    public boolean readFence;
    /** Waits for all earlier requests. */
    public boolean localFence;
    /** Send: invalidate {@link #remoteStag} at the peer. Read: invalidate the sink afterwards. */
    public boolean invalidate;
    /** Made by the engine itself (ready-to-receive, liveness): no completion whatever happens. */
    public boolean internal;
    /** STag at the peer, or the local STag of an invalidation. */
    public int remoteStag;
    /** Offset at the peer. */
    public long remoteOffset;
    /** Datagrams: where it goes. */
    public @Nullable DatagramAddress destination;
    /** Immediate data. */
    public long immediate;
    /** Atomic: add or swap data. */
    public long operand;
    /** Atomic: add or swap mask. */
    public long operandMask;
    /** Atomic: compare data. */
    public long compare;
    /** Atomic: compare mask. */
    public long compareMask;
    /** Local buffers. */
    public final ScatterList buffers = new ScatterList();
    /** Payload taken at posting; null when not inline. */
    public @Nullable MemorySegment inline;
    /** Octets of {@link #inline}. */
    public int inlineLength;
    /** Bind and fast registration: new key. */
    public int key;
    /** Bind and fast registration: rights. */
    public int rights;
    /** Bind and fast registration: the region. */
    public @Nullable SoftMemoryRegion region;
    /** Bind: the window. */
    public @Nullable SoftMemoryWindow window;
    /** Bind: range in the region. */
    public long offset;
    /** Bind: range in the region. */
    public long length;
    /** Fast registration: the memory. */
    public MemorySegment memory = NOTHING;

    /** How far the engine is. */
    public Progress progress = Progress.QUEUED;
    /** Count of stream octets at which everything of it has left. */
    public long endPosition;
    /** Read: sink STag on the wire. Atomic: request identifier. */
    public int sinkStag;
    /** Read: sink offset on the wire. */
    public long sinkOffset;
    /** Read: octets of the response placed so far. */
    public long placed;
    /** What the peer said was wrong with it, if it did. */
    public @Nullable CompletionStatus failure;
    /** MSN of its message on queue 0 or 1. */
    public int msn;

    private @Nullable MemorySegment inlineStore;
    private @Nullable DatagramAddress ownDestination;

    SendWork() {}

    /** Payload octets. */
    public long payloadLength() {
        return inline != null ? inlineLength : buffers.total();
    }

    void start(WorkKind newKind, long newId) {
        id = newId;
        kind = newKind;
        signaled = true;
        solicited = false;
        readFence = false;
        localFence = false;
        invalidate = false;
        internal = false;
        remoteStag = 0;
        remoteOffset = 0;
        buffers.clear();
        inline = null;
        inlineLength = 0;
        region = null;
        window = null;
        memory = NOTHING;
        progress = Progress.QUEUED;
        placed = 0;
        failure = null;
    }

    /** Names memory of the peer. */
    SendWork at(int newRemoteStag, long newRemoteOffset) {
        remoteStag = newRemoteStag;
        remoteOffset = newRemoteOffset;
        return this;
    }

    /** A zero-length request of the engine itself. */
    public static SendWork internal(WorkKind kind) {
        SendWork work = new SendWork();
        work.start(kind, 0);
        work.signaled = false;
        work.internal = true;
        return work;
    }

    /** Takes a destination by value. */
    void copyDestination(long high, long low, int port, int scope) {
        DatagramAddress own = ownDestination;
        if (own == null) {
            own = new DatagramAddress();
            ownDestination = own;
        }
        own.set(high, low, port, scope);
        destination = own;
    }

    void copyInline(MemorySegment data, int capacity) {
        MemorySegment store = inlineStore;
        if (store == null) {
            store = MemorySegment.ofArray(new byte[capacity]);
            inlineStore = store;
        }
        try {
            MemorySegment.copy(data, 0, store, 0, data.byteSize());
        } catch (IllegalStateException | WrongThreadException e) {
            throw new VerbsException(
                    VerbsError.INVALID_MEMORY, "the inline payload cannot be read: " + e.getMessage(), e);
        }
        inline = store;
        inlineLength = (int) data.byteSize();
    }
}
