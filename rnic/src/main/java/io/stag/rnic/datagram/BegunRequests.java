package io.stag.rnic.datagram;

import io.stag.rnic.work.SendWork;
import org.jspecify.annotations.Nullable;

/** Requests that are begun and not complete, in order: a ring. */
final class BegunRequests {
    private final @Nullable SendWork[] ring;
    private int head;
    private int count;

    /** At most {@code most}, a power of two. */
    BegunRequests(int most) {
        ring = new SendWork[most];
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == ring.length;
    }

    SendWork get(int index) {
        SendWork work = ring[head + index & ring.length - 1];
        if (work == null || index >= count) {
            throw new IllegalStateException("no request " + index + " of " + count);
        }
        return work;
    }

    void add(SendWork work) {
        ring[head + count & ring.length - 1] = work;
        count++;
    }

    void removeFirst() {
        ring[head] = null;
        head = head + 1 & ring.length - 1;
        count--;
    }
}
