package io.stag.verbs;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A caller's batch of work completions, filled by {@link CompletionQueue#poll}. Reuse it: polling allocates nothing. */
public final class WorkCompletions {
    /** Flag: the completing message was solicited. */
    public static final int SOLICITED = 1;
    /** Flag: {@link #immediate} is set. */
    public static final int WITH_IMMEDIATE = 2;
    /** Flag: {@link #invalidatedStag} is set. */
    public static final int WITH_INVALIDATE = 4;
    /** Flag: {@link #datagram} is set. */
    public static final int WITH_DATAGRAM = 8;

    private final Entry[] entries;
    private int size;

    /** One completion. An object for each rather than an array for each field: what belongs together is read together. */
    private static final class Entry {
        private long id;
        private CompletionStatus status = CompletionStatus.SUCCESS;
        private Operation operation = Operation.SEND;
        private int queuePair;
        private long length;
        private int flags;
        private long immediate;
        private int invalidatedStag;
        private @Nullable ErrorDetail detail;
        private @Nullable DatagramInfo datagram; // made when first needed
    }

    private WorkCompletions(int capacity) {
        entries = new Entry[capacity];
        for (int i = 0; i < capacity; i++) {
            entries[i] = new Entry();
        }
    }

    /** A batch that takes up to {@code capacity} completions per poll. */
    public static WorkCompletions ofCapacity(int capacity) {
        if (capacity < 1) {
            throw new VerbsException(VerbsError.INVALID_ARGUMENT, "capacity " + capacity + " is below 1");
        }
        return new WorkCompletions(capacity);
    }

    /** Number of completions of the last poll. */
    public int size() {
        return size;
    }

    /** Number of completions one poll can take. */
    public int capacity() {
        return entries.length;
    }

    /** The id given when the request was posted. */
    public long id(int index) {
        return entry(index).id;
    }

    /** How the request ended. With any other status than success only id, queue pair, operation and detail are set. */
    public CompletionStatus status(int index) {
        return entry(index).status;
    }

    /** True when {@link #status} is success. */
    public boolean isSuccess(int index) {
        return status(index) == CompletionStatus.SUCCESS;
    }

    /** What kind of request it was. */
    public Operation operation(int index) {
        return entry(index).operation;
    }

    /** Number of the queue pair the request was posted to (or, with a shared receive queue, that received the message). */
    public int queuePairId(int index) {
        return entry(index).queuePair;
    }

    /** Octets received or read. */
    public long length(int index) {
        return entry(index).length;
    }

    /** True when the message that completed this receive was solicited. */
    public boolean isSolicited(int index) {
        return (entry(index).flags & SOLICITED) != 0;
    }

    /** True when {@link #immediate} is set. */
    public boolean hasImmediate(int index) {
        return (entry(index).flags & WITH_IMMEDIATE) != 0;
    }

    /** The eight octets of immediate data, as a big-endian number. */
    public long immediate(int index) {
        return entry(index).immediate;
    }

    /** True when the peer invalidated {@link #invalidatedStag}. */
    public boolean hasInvalidatedStag(int index) {
        return (entry(index).flags & WITH_INVALIDATE) != 0;
    }

    /** The STag of ours that the peer's Send invalidated. */
    public int invalidatedStag(int index) {
        return entry(index).invalidatedStag;
    }

    /** True for receives and Write-Records of a datagram queue pair: {@link #datagram} is set. */
    public boolean hasDatagram(int index) {
        return (entry(index).flags & WITH_DATAGRAM) != 0;
    }

    /** Where a message came from and, for a Write-Record, where it is. Overwritten by the next poll. */
    public DatagramInfo datagram(int index) {
        DatagramInfo info = hasDatagram(index) ? entries[index].datagram : null;
        if (info == null) {
            throw new VerbsException(VerbsError.INVALID_STATE, "no completion of a datagram: " + describe(index));
        }
        return info;
    }

    /** Why the request failed; for a flushed one, the first cause. Null on success. */
    public @Nullable ErrorDetail detail(int index) {
        return entry(index).detail;
    }

    /** One line for people. */
    public String describe(int index) {
        ErrorDetail detail = detail(index);
        String text =
                operation(index) + " id " + id(index) + " on queue pair " + queuePairId(index) + ": " + status(index);
        return detail == null ? text : text + ", " + status(index).explanation() + "; " + detail;
    }

    private Entry entry(int index) {
        return entries[Objects.checkIndex(index, size)];
    }

    /** For providers: forgets the former content. */
    public void clear() {
        for (int i = 0; i < size; i++) {
            entries[i].detail = null;
        }
        size = 0;
    }

    /** For providers: true when nothing more fits. */
    public boolean isFull() {
        return size == entries.length;
    }

    /** For providers: appends a completion; the caller checked {@link #isFull}. */
    public void add(
            long id,
            CompletionStatus status,
            Operation operation,
            int queuePairId,
            long length,
            int flagBits,
            long immediate,
            int invalidatedStag,
            @Nullable ErrorDetail detail) {
        int at = size;
        Entry entry = entries[at];
        entry.id = id;
        // the same as before, mostly: then a look spares the garbage collector's bookkeeping of a store
        if (entry.status != status) {
            entry.status = status;
        }
        if (entry.operation != operation) {
            entry.operation = operation;
        }
        entry.queuePair = queuePairId;
        entry.length = length;
        entry.flags = flagBits;
        entry.immediate = immediate;
        entry.invalidatedStag = invalidatedStag;
        entry.detail = detail;
        size = at + 1;
    }

    /** For providers: gives the completion last added what belongs to its datagram, which is taken from {@code info}. */
    public void addDatagram(DatagramInfo info) {
        Entry entry = entries[size - 1];
        DatagramInfo own = entry.datagram;
        if (own == null) {
            own = new DatagramInfo();
            entry.datagram = own;
        }
        own.takeFrom(info);
        entry.flags |= WITH_DATAGRAM;
    }
}
