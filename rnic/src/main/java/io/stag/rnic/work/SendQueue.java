package io.stag.rnic.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The ring of a send queue. Any thread appends; the engine starts requests in order and retires them in order. Slots are
 * exchanged with those of the posting list, so that posting copies nothing and slots exist only where they were used.
 */
public final class SendQueue {
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(SendQueue.class, "tail", long.class);
            HEAD = lookup.findVarHandle(SendQueue.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable SendWork[] slots;
    private final int mask;
    private final int depth;
    private final SpinLock posting = new SpinLock();
    private long tail; // written by posters
    private long head; // written by the engine: oldest not retired
    private long next; // engine only: oldest not started

    /** A queue of {@code depth} requests. */
    public SendQueue(int depth) {
        this.depth = depth;
        int size = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
        slots = new SendWork[Math.max(size, 1)];
        mask = slots.length - 1;
    }

    /** Requests it can hold. */
    public int depth() {
        return depth;
    }

    /** Requests in it; any thread. */
    public int size() {
        return (int) ((long) TAIL.getAcquire(this) - (long) HEAD.getAcquire(this));
    }

    /** Appends the first {@code count} requests of a list, as many as fit, and gives it other slots. Any thread. */
    int post(@Nullable SendWork[] list, int count) {
        posting.lock();
        try {
            long at = tail;
            int room = depth - (int) (at - (long) HEAD.getAcquire(this));
            int taken = Math.min(room, count);
            for (int i = 0; i < taken; i++) {
                int slot = (int) (at + i) & mask;
                SendWork used = slots[slot];
                slots[slot] = list[i];
                list[i] = used;
            }
            TAIL.setRelease(this, at + taken);
            return taken;
        } finally {
            posting.unlock();
        }
    }

    /** Engine: the next request to start, or null. */
    public @Nullable SendWork peekNext() {
        return next < (long) TAIL.getAcquire(this) ? slots[(int) next & mask] : null;
    }

    /** Engine: the request last peeked at is under way. */
    public void started() {
        next++;
    }

    /** Engine, instead of {@link #started}: takes the next request out, to be retired in any order, and leaves a spare one. */
    public SendWork take(@Nullable SendWork spare) {
        int slot = (int) next & mask;
        SendWork taken = slots[slot];
        if (taken == null || next == (long) TAIL.getAcquire(this)) {
            throw new IllegalStateException("nothing to take");
        }
        slots[slot] = spare;
        next++;
        return taken;
    }

    /** Engine: the oldest request under way, or null. */
    public @Nullable SendWork oldestStarted() {
        return head < next ? slots[(int) head & mask] : null;
    }

    /** Engine: number of requests under way. */
    public int underWay() {
        return (int) (next - head);
    }

    /** Engine: a request under way, counted from the oldest. */
    public SendWork underWay(int index) {
        SendWork work = index < underWay() ? slots[(int) (head + index) & mask] : null;
        if (work == null) {
            throw new IllegalStateException("no request " + index + " of " + underWay());
        }
        return work;
    }

    /** Engine: true when all requests before the next one are retired. */
    public boolean nothingUnderWay() {
        return head == next;
    }

    /** Engine: the oldest request is finished; its slot is free. */
    public void retire() {
        if (head == next) {
            next++; // flushed before it was started
        }
        HEAD.setRelease(this, head + 1);
    }

    /** Engine: the oldest request of all, started or not, or null. */
    public @Nullable SendWork oldest() {
        return head < (long) TAIL.getAcquire(this) ? slots[(int) head & mask] : null;
    }
}
