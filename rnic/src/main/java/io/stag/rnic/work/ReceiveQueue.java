package io.stag.rnic.work;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ring of a receive queue, an own one or a shared one: any thread appends, any agent takes. Slots are exchanged, so
 * a taken receive stays with its taker and posting copies nothing.
 */
public final class ReceiveQueue {
    private final @Nullable ReceiveWork[] slots;
    private final int mask;
    private final int depth;
    private final SpinLock access = new SpinLock();
    private long tail;
    private long head;
    private int limit;

    /** A queue of {@code depth} receives. */
    public ReceiveQueue(int depth) {
        this.depth = depth;
        int size = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
        slots = new ReceiveWork[Math.max(size, 1)];
        mask = slots.length - 1;
    }

    /** Receives it can hold. */
    public int depth() {
        return depth;
    }

    /** Receives in it; any thread. */
    public int size() {
        access.lock();
        try {
            return (int) (tail - head);
        } finally {
            access.unlock();
        }
    }

    /** Appends the first {@code count} receives of a list, as many as fit, and gives it other slots. Any thread. */
    int post(@Nullable ReceiveWork[] list, int count) {
        access.lock();
        try {
            int taken = Math.min(depth - (int) (tail - head), count);
            for (int i = 0; i < taken; i++) {
                int slot = (int) (tail + i) & mask;
                ReceiveWork used = slots[slot];
                slots[slot] = list[i];
                list[i] = used;
            }
            tail += taken;
            return taken;
        } finally {
            access.unlock();
        }
    }

    /** Agent: takes the oldest receive and leaves {@code spare} in its slot; null when there is none. */
    public @Nullable ReceiveWork take(ReceiveWork spare) {
        access.lock();
        try {
            if (head == tail) {
                return null;
            }
            int slot = (int) head & mask;
            ReceiveWork taken = slots[slot];
            slots[slot] = spare;
            head++;
            return taken;
        } finally {
            access.unlock();
        }
    }

    /** Asks for one report when fewer than {@code newLimit} receives are left; 0 disarms. */
    public void armLimit(int newLimit) {
        access.lock();
        limit = newLimit;
        access.unlock();
    }

    /** Agent, after a take: whether the armed limit was crossed just now. */
    public boolean limitReached() {
        access.lock();
        try {
            if (limit == 0 || tail - head >= limit) {
                return false;
            }
            limit = 0;
            return true;
        } finally {
            access.unlock();
        }
    }

    /** Agent: gives every receive to {@code sink} in order and empties the queue. */
    public void drain(Consumer<ReceiveWork> sink) {
        ReceiveWork work = take(new ReceiveWork());
        while (work != null) {
            sink.accept(work);
            work = take(work);
        }
    }
}
