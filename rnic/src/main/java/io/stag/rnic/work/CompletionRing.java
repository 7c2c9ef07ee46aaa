package io.stag.rnic.work;

import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The ring of a completion queue: agents append, any thread takes. Both sides are serialised by short locks. */
public final class CompletionRing {
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(CompletionRing.class, "tail", long.class);
            HEAD = lookup.findVarHandle(CompletionRing.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int capacity;
    private final int mask;
    private final long[] ids;
    private final CompletionStatus[] statuses;
    private final Operation[] operations;
    private final CompletionOwner[] owners;
    private final long[] lengths;
    private final int[] flags;
    private final long[] immediates;
    private final int[] invalidatedStags;
    private final @Nullable ErrorDetail[] details;
    private @Nullable DatagramInfo @Nullable [] datagrams; // once there was a datagram
    private final SpinLock producing = new SpinLock();
    private final SpinLock consuming = new SpinLock();
    private long tail; // written by agents
    private long head; // written by pollers

    /** A ring of {@code capacity} completions. */
    public CompletionRing(int capacity) {
        this.capacity = capacity;
        int size = Math.max(1, Integer.highestOneBit(Math.max(1, capacity - 1)) << 1);
        mask = size - 1;
        ids = new long[size];
        statuses = new CompletionStatus[size];
        operations = new Operation[size];
        owners = new CompletionOwner[size];
        lengths = new long[size];
        flags = new int[size];
        immediates = new long[size];
        invalidatedStags = new int[size];
        details = new ErrorDetail[size];
    }

    /** Completions it can hold. */
    public int capacity() {
        return capacity;
    }

    /** True when there is nothing to take; any thread. */
    public boolean isEmpty() {
        return (long) HEAD.getOpaque(this) == (long) TAIL.getAcquire(this);
    }

    /** Completions to take, perhaps a little old; any thread. */
    public int size() {
        long taken = (long) HEAD.getOpaque(this);
        return (int) Math.max(0, (long) TAIL.getAcquire(this) - taken);
    }

    /** Agent: appends a completion. @return false when there is no room; the completion is lost */
    public boolean add(
            long id,
            CompletionStatus status,
            Operation operation,
            CompletionOwner owner,
            long length,
            int flagBits,
            long immediate,
            int invalidatedStag,
            @Nullable ErrorDetail detail) {
        return add(id, status, operation, owner, length, flagBits, immediate, invalidatedStag, detail, null);
    }

    /** Agent: appends a completion, with what belongs to its datagram if it has one. @return as the other one */
    public boolean add(
            long id,
            CompletionStatus status,
            Operation operation,
            CompletionOwner owner,
            long length,
            int flagBits,
            long immediate,
            int invalidatedStag,
            @Nullable ErrorDetail detail,
            @Nullable DatagramInfo datagram) {
        producing.lock();
        try {
            long at = tail;
            if (at - (long) HEAD.getAcquire(this) >= capacity) {
                return false;
            }
            int slot = (int) at & mask;
            ids[slot] = id;
            statuses[slot] = status;
            operations[slot] = operation;
            owners[slot] = owner;
            lengths[slot] = length;
            flags[slot] = flagBits;
            immediates[slot] = immediate;
            invalidatedStags[slot] = invalidatedStag;
            details[slot] = detail;
            if (datagram != null) {
                flags[slot] |= WorkCompletions.WITH_DATAGRAM;
                datagramOf(slot).takeFrom(datagram);
            }
            TAIL.setRelease(this, at + 1);
            return true;
        } finally {
            producing.unlock();
        }
    }

    private DatagramInfo datagramOf(int slot) {
        @Nullable DatagramInfo[] all = datagrams;
        if (all == null) {
            all = new DatagramInfo[mask + 1];
            datagrams = all;
        }
        DatagramInfo own = all[slot];
        if (own == null) {
            own = new DatagramInfo();
            all[slot] = own;
        }
        return own;
    }

    /** Any thread: moves completions to the end of {@code into}. @return how many */
    public int poll(WorkCompletions into) {
        if (isEmpty()) {
            return 0;
        }
        consuming.lock();
        try {
            long at = head;
            long available = (long) TAIL.getAcquire(this);
            long end = Math.min(available, at + into.capacity() - into.size());
            for (long i = at; i < end; i++) {
                int slot = (int) i & mask;
                CompletionOwner owner = owners[slot];
                into.add(
                        ids[slot],
                        statuses[slot],
                        operations[slot],
                        owner.id(),
                        lengths[slot],
                        flags[slot],
                        immediates[slot],
                        invalidatedStags[slot],
                        details[slot]);
                if ((flags[slot] & WorkCompletions.WITH_DATAGRAM) != 0) {
                    into.addDatagram(datagramOf(slot));
                }
                details[slot] = null;
                owner.completionPolled(operations[slot]);
            }
            HEAD.setRelease(this, end);
            return (int) (end - at);
        } finally {
            consuming.unlock();
        }
    }
}
