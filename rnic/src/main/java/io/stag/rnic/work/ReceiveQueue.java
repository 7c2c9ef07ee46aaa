package io.stag.rnic.work;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ring of a receive queue, an own one or a shared one: any thread appends, any agent takes. Slots are exchanged, so
 * a taken receive stays with its taker and posting copies nothing.
 */
public final class ReceiveQueue {
    private final int depth;
    private @Nullable ReceiveWork[] slots;
    private int mask;
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
            int taken = Math.clamp(depth - (tail - head), 0, count);
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

    /**
     * Agent: a taken receive is the first of the queue again, which may then hold more than its depth until messages take
     * them. @return the spare that was in its slot, if any
     */
    public @Nullable ReceiveWork putBack(ReceiveWork taken) {
        access.lock();
        try {
            if (tail - head == slots.length) {
                grow();
            }
            head--;
            int slot = (int) head & mask;
            ReceiveWork spare = slots[slot];
            slots[slot] = taken;
            return spare;
        } finally {
            access.unlock();
        }
    }

    private void grow() {
        @Nullable ReceiveWork[] full = slots;
        slots = new ReceiveWork[2 * full.length];
        for (long i = head; i < tail; i++) {
            slots[(int) i & slots.length - 1] = full[(int) i & mask];
        }
        mask = slots.length - 1;
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
