package io.stag.rnic.rdmap;

import org.jspecify.annotations.Nullable;

/** The peer's Reads and atomics in the order of their delivery, at most IRD of them (RFC 5040, section 6.1). */
final class InboundRequests {
    private final @Nullable InboundRequest[] slots;
    private int first;
    private int count;

    InboundRequests(int ird) {
        slots = new InboundRequest[ird];
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == slots.length;
    }

    int capacity() {
        return slots.length;
    }

    /** A slot behind the last; the caller checked {@link #isFull}. */
    InboundRequest append() {
        int at = (first + count) % slots.length;
        InboundRequest slot = slots[at];
        if (slot == null) {
            slot = new InboundRequest();
            slots[at] = slot;
        }
        count++;
        slot.answered = 0;
        return slot;
    }

    InboundRequest oldest() {
        InboundRequest slot = count == 0 ? null : slots[first];
        if (slot == null) {
            throw new IllegalStateException("no inbound request");
        }
        return slot;
    }

    void removeOldest() {
        first = (first + 1) % slots.length;
        count--;
    }

    void clear() {
        count = 0;
    }
}
