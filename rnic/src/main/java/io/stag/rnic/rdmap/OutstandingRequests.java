package io.stag.rnic.rdmap;

import io.stag.rnic.work.SendWork;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Our Reads and atomics that await their responses, oldest first; responses come in this order (RFC 5040, section 5.5). */
final class OutstandingRequests {
    private final @Nullable SendWork[] slots;
    private int first;
    private int count;
    private boolean internal;

    OutstandingRequests(int ord) {
        slots = new SendWork[Math.max(1, ord)]; // one even without ORD, for a ready-to-receive Read
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** True when ORD forbids another one; those of the engine itself count too, as they do for the peer's IRD. */
    boolean isFull() {
        return count == slots.length;
    }

    /** True when a Read of the engine itself, ready-to-receive or liveness, is among them. */
    boolean hasInternal() {
        return internal;
    }

    void append(SendWork work) {
        slots[(first + count) % slots.length] = work;
        count++;
        internal |= work.internal;
    }

    @Nullable
    SendWork oldest() {
        return count == 0 ? null : slots[first];
    }

    /** The request with this MSN on queue 1, or null. */
    @Nullable
    SendWork withMsn(int msn) {
        for (int i = 0; i < count; i++) {
            SendWork work = slots[(first + i) % slots.length];
            if (work != null && work.msn == msn) {
                return work;
            }
        }
        return null;
    }

    void removeOldest() {
        SendWork removed = slots[first];
        if (removed != null && removed.internal) {
            internal = false;
        }
        slots[first] = null;
        first = (first + 1) % slots.length;
        count--;
    }

    void clear() {
        Arrays.fill(slots, null);
        count = 0;
        internal = false;
    }
}
