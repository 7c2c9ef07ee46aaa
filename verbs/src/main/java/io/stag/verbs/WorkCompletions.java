package io.stag.verbs;

import java.util.Arrays;
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

    private final long[] ids;
    private final CompletionStatus[] statuses;
    private final Operation[] operations;
    private final int[] queuePairs;
    private final long[] lengths;
    private final int[] flags;
    private final long[] immediates;
    private final int[] invalidatedStags;
    private final @Nullable ErrorDetail[] details;
    private final @Nullable DatagramInfo[] datagrams; // each made when first needed
    private int size;

    private WorkCompletions(int capacity) {
        ids = new long[capacity];
        statuses = new CompletionStatus[capacity];
        Arrays.fill(statuses, CompletionStatus.SUCCESS);
        operations = new Operation[capacity];
        Arrays.fill(operations, Operation.SEND);
        queuePairs = new int[capacity];
        lengths = new long[capacity];
        flags = new int[capacity];
        immediates = new long[capacity];
        invalidatedStags = new int[capacity];
        details = new ErrorDetail[capacity];
        datagrams = new DatagramInfo[capacity];
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
        return ids.length;
    }

    /** The id given when the request was posted. */
    public long id(int index) {
        return ids[Objects.checkIndex(index, size)];
    }

    /** How the request ended. With any other status than success only id, queue pair, operation and detail are set. */
    public CompletionStatus status(int index) {
        return statuses[Objects.checkIndex(index, size)];
    }

    /** True when {@link #status} is success. */
    public boolean isSuccess(int index) {
        return status(index) == CompletionStatus.SUCCESS;
    }

    /** What kind of request it was. */
    public Operation operation(int index) {
        return operations[Objects.checkIndex(index, size)];
    }

    /** Number of the queue pair the request was posted to (or, with a shared receive queue, that received the message). */
    public int queuePairId(int index) {
        return queuePairs[Objects.checkIndex(index, size)];
    }

    /** Octets received or read. */
    public long length(int index) {
        return lengths[Objects.checkIndex(index, size)];
    }

    /** True when the message that completed this receive was solicited. */
    public boolean isSolicited(int index) {
        return (flags[Objects.checkIndex(index, size)] & SOLICITED) != 0;
    }

    /** True when {@link #immediate} is set. */
    public boolean hasImmediate(int index) {
        return (flags[Objects.checkIndex(index, size)] & WITH_IMMEDIATE) != 0;
    }

    /** The eight octets of immediate data, as a big-endian number. */
    public long immediate(int index) {
        return immediates[Objects.checkIndex(index, size)];
    }

    /** True when the peer invalidated {@link #invalidatedStag}. */
    public boolean hasInvalidatedStag(int index) {
        return (flags[Objects.checkIndex(index, size)] & WITH_INVALIDATE) != 0;
    }

    /** The STag of ours that the peer's Send invalidated. */
    public int invalidatedStag(int index) {
        return invalidatedStags[Objects.checkIndex(index, size)];
    }

    /** True for receives and Write-Records of a datagram queue pair: {@link #datagram} is set. */
    public boolean hasDatagram(int index) {
        return (flags[Objects.checkIndex(index, size)] & WITH_DATAGRAM) != 0;
    }

    /** Where a message came from and, for a Write-Record, where it is. Overwritten by the next poll. */
    public DatagramInfo datagram(int index) {
        DatagramInfo info = hasDatagram(index) ? datagrams[index] : null;
        if (info == null) {
            throw new VerbsException(VerbsError.INVALID_STATE, "no completion of a datagram: " + describe(index));
        }
        return info;
    }

    /** Why the request failed; for a flushed one, the first cause. Null on success. */
    public @Nullable ErrorDetail detail(int index) {
        return details[Objects.checkIndex(index, size)];
    }

    /** One line for people. */
    public String describe(int index) {
        ErrorDetail detail = detail(index);
        String text =
                operation(index) + " id " + id(index) + " on queue pair " + queuePairId(index) + ": " + status(index);
        return detail == null ? text : text + ", " + status(index).explanation() + "; " + detail;
    }

    /** For providers: forgets the former content. */
    public void clear() {
        Arrays.fill(details, 0, size, null);
        size = 0;
    }

    /** For providers: true when nothing more fits. */
    public boolean isFull() {
        return size == ids.length;
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
        ids[at] = id;
        statuses[at] = status;
        operations[at] = operation;
        queuePairs[at] = queuePairId;
        lengths[at] = length;
        flags[at] = flagBits;
        immediates[at] = immediate;
        invalidatedStags[at] = invalidatedStag;
        details[at] = detail;
        size = at + 1;
    }

    /** For providers: gives the completion last added what belongs to its datagram, in exchange for other arrays. */
    public void addDatagram(DatagramInfo info) {
        int at = size - 1;
        DatagramInfo own = datagrams[at];
        if (own == null) {
            own = new DatagramInfo();
            datagrams[at] = own;
        }
        own.takeFrom(info);
        flags[at] |= WITH_DATAGRAM;
    }
}
