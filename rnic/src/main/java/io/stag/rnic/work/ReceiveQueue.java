package io.stag.rnic.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ring of a receive queue, an own one or a shared one: any thread appends, any agent takes. Slots are exchanged, so
 * a taken receive stays with its taker and posting copies nothing.
 */
public final class ReceiveQueue {
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(ReceiveQueue.class, "tail", long.class);
            HEAD = lookup.findVarHandle(ReceiveQueue.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int depth;
    private final boolean severalAgents;
    private @Nullable ReceiveWork[] slots;
    private int mask;
    private final SpinLock access = new SpinLock(); // of all but the taker, if there is only one
    private long tail; // written by posters
    private long head; // written by agents
    private int limit;

    /** A queue of {@code depth} receives, taken by one agent or by several at once. */
    public ReceiveQueue(int depth, boolean severalAgents) {
        this.depth = depth;
        this.severalAgents = severalAgents;
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
        long taken = (long) HEAD.getAcquire(this); // first, else it could be past the tail
        return (int) ((long) TAIL.getAcquire(this) - taken);
    }

    /** Appends the first {@code count} receives of a list, as many as fit, and gives it other slots. Any thread. */
    int post(@Nullable ReceiveWork[] list, int count) {
        access.lock();
        try {
            long at = tail;
            int taken = Math.clamp(depth - (at - (long) HEAD.getAcquire(this)), 0, count);
            for (int i = 0; i < taken; i++) {
                int slot = (int) (at + i) & mask;
                ReceiveWork used = slots[slot];
                slots[slot] = list[i];
                list[i] = used;
            }
            TAIL.setRelease(this, at + taken);
            return taken;
        } finally {
            access.unlock();
        }
    }

    /** Agent: takes the oldest receive and leaves {@code spare} in its slot; null when there is none. */
    public @Nullable ReceiveWork take(ReceiveWork spare) {
        if (!severalAgents) {
            return takeAlone(spare);
        }
        access.lock();
        try {
            return takeAlone(spare);
        } finally {
            access.unlock();
        }
    }

    private @Nullable ReceiveWork takeAlone(ReceiveWork spare) {
        long at = head;
        if (at == (long) TAIL.getAcquire(this)) {
            return null;
        }
        int slot = (int) at & mask;
        ReceiveWork taken = slots[slot];
        slots[slot] = spare;
        HEAD.setRelease(this, at + 1);
        return taken;
    }

    /**
     * Agent: a taken receive is the first of the queue again, which may then hold more than its depth until messages take
     * them. @return the spare that was in its slot, if any
     */
    public @Nullable ReceiveWork putBack(ReceiveWork taken) {
        access.lock(); // also alone: a poster may be about to fill what was the slot
        try {
            if (tail - head == slots.length) {
                grow();
            }
            long at = head - 1;
            int slot = (int) at & mask;
            ReceiveWork spare = slots[slot];
            slots[slot] = taken;
            HEAD.setRelease(this, at);
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
            if (limit == 0 || size() >= limit) {
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
