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

    /** One completion. An object for each rather than an array for each field: what belongs together is read together. */
    private static final class Slot {
        private long id;
        private CompletionStatus status = CompletionStatus.SUCCESS;
        private Operation operation = Operation.SEND;
        private @Nullable CompletionOwner owner;
        private long length;
        private int flags;
        private long immediate;
        private int invalidatedStag;
        private @Nullable ErrorDetail detail;
        private @Nullable DatagramInfo datagram; // made when first needed
    }

    private final int capacity;
    private final int mask;
    private final Slot[] slots;
    private final @Nullable SpinLock producing; // null when one agent produces everything
    private final SpinLock consuming = new SpinLock();
    private long tail; // written by agents
    private long head; // written by pollers

    /** A ring of {@code capacity} completions, which several agents may append at once. */
    public CompletionRing(int capacity) {
        this(capacity, true);
    }

    /** A ring of {@code capacity} completions, appended by several agents at once or by one. */
    public CompletionRing(int capacity, boolean severalAgents) {
        producing = severalAgents ? new SpinLock() : null;
        this.capacity = capacity;
        int size = Math.max(1, Integer.highestOneBit(Math.max(1, capacity - 1)) << 1);
        mask = size - 1;
        slots = new Slot[size];
        for (int i = 0; i < size; i++) {
            slots[i] = new Slot();
        }
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
        SpinLock lock = producing;
        if (lock == null) {
            return append(id, status, operation, owner, length, flagBits, immediate, invalidatedStag, detail, datagram);
        }
        lock.lock();
        try {
            return append(id, status, operation, owner, length, flagBits, immediate, invalidatedStag, detail, datagram);
        } finally {
            lock.unlock();
        }
    }

    private boolean append(
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
        long at = tail;
        if (at - (long) HEAD.getAcquire(this) >= capacity) {
            return false;
        }
        Slot slot = slots[(int) at & mask];
        fill(slot, id, status, operation, owner, length, flagBits, immediate, invalidatedStag, detail);
        if (datagram != null) {
            addDatagram(slot, datagram);
        }
        TAIL.setRelease(this, at + 1);
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // only whether there is something to store
    private static void fill(
            Slot slot,
            long id,
            CompletionStatus status,
            Operation operation,
            CompletionOwner owner,
            long length,
            int flagBits,
            long immediate,
            int invalidatedStag,
            @Nullable ErrorDetail detail) {
        slot.id = id;
        // the same as before, mostly: then a look spares the garbage collector's bookkeeping of a store
        if (slot.status != status) {
            slot.status = status;
        }
        if (slot.operation != operation) {
            slot.operation = operation;
        }
        if (slot.owner != owner) {
            slot.owner = owner;
        }
        slot.length = length;
        slot.flags = flagBits;
        slot.immediate = immediate;
        slot.invalidatedStag = invalidatedStag;
        slot.detail = detail;
    }

    private static void addDatagram(Slot slot, DatagramInfo datagram) {
        DatagramInfo own = slot.datagram;
        if (own == null) {
            own = new DatagramInfo();
            slot.datagram = own;
        }
        own.takeFrom(datagram);
        slot.flags |= WorkCompletions.WITH_DATAGRAM;
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
                move(slots[(int) i & mask], into);
            }
            HEAD.setRelease(this, end);
            return (int) (end - at);
        } finally {
            consuming.unlock();
        }
    }

    private static void move(Slot slot, WorkCompletions into) {
        CompletionOwner owner = slot.owner;
        if (owner == null) {
            throw new IllegalStateException("a completion of nobody");
        }
        into.add(
                slot.id,
                slot.status,
                slot.operation,
                owner.id(),
                slot.length,
                slot.flags,
                slot.immediate,
                slot.invalidatedStag,
                slot.detail);
        DatagramInfo datagram = slot.datagram;
        if (datagram != null && (slot.flags & WorkCompletions.WITH_DATAGRAM) != 0) {
            into.addDatagram(datagram);
        }
        slot.detail = null;
        owner.completionPolled(slot.operation);
    }
}
