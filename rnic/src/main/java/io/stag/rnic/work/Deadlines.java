package io.stag.rnic.work;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What is due when: a heap that elements know their place in, so that setting and moving a deadline allocates nothing. */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
public final class Deadlines<T extends Deadlines.Timed> {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Something with a deadline. Those with the same come in the order in which they were set. */
    public abstract static class Timed {
        private long deadlineNanos = NEVER;
        private long order;
        private int place = -1;

        /** For subclasses. */
        protected Timed() {}

        /** When it is due, or {@link #NEVER}. */
        public final long deadlineNanos() {
            return deadlineNanos;
        }
    }

    private static final Timed NOBODY = new Timed() {};

    private Timed[] heap = new Timed[16];
    private int size;
    private long nextOrder;

    /** Nothing is due. */
    public Deadlines() {}

    /** A little later than {@code nanos}, so that what is due at about the same time is seen to at once. */
    public static long together(long nanos, long grain) {
        return (nanos | Long.highestOneBit(Math.max(1, grain)) - 1) + 1;
    }

    /** The earliest deadline, or {@link #NEVER}. */
    public long next() {
        return size == 0 ? NEVER : heap[0].deadlineNanos;
    }

    /** Elements with a deadline. */
    public int size() {
        return size;
    }

    /** What is due first, or null. */
    @SuppressWarnings("unchecked") // only elements of this type were set
    public @Nullable T first() {
        return size == 0 ? null : (T) heap[0];
    }

    /** Gives {@code element} another deadline; {@link #NEVER} takes it out. */
    public void set(T element, long deadlineNanos) {
        Timed timed = element;
        if (timed.deadlineNanos == deadlineNanos) {
            return;
        }
        boolean earlier = deadlineNanos < timed.deadlineNanos;
        timed.deadlineNanos = deadlineNanos;
        timed.order = nextOrder++;
        if (deadlineNanos == NEVER) {
            remove(timed);
        } else if (timed.place < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            put(timed, size++);
            up(timed);
        } else if (earlier) {
            up(timed);
        } else {
            down(timed);
        }
    }

    private void remove(Timed timed) {
        int at = timed.place;
        timed.place = -1;
        Timed last = heap[--size];
        heap[size] = NOBODY; // else the element would be kept alive
        if (last != timed) {
            put(last, at);
            up(last);
            down(last);
        }
    }

    private void put(Timed timed, int at) {
        heap[at] = timed;
        timed.place = at;
    }

    private void up(Timed timed) {
        int at = timed.place;
        while (at > 0 && isBefore(timed, heap[(at - 1) / 2])) {
            int parent = (at - 1) / 2;
            put(heap[parent], at);
            at = parent;
        }
        put(timed, at);
    }

    private void down(Timed timed) {
        int at = timed.place;
        while (true) {
            int child = 2 * at + 1;
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (child >= size || !isBefore(heap[child], timed)) {
                put(timed, at);
                return;
            }
            put(heap[child], at);
            at = child;
        }
    }

    private static boolean isBefore(Timed left, Timed right) {
        return left.deadlineNanos != right.deadlineNanos
                ? left.deadlineNanos < right.deadlineNanos
                : left.order < right.order;
    }
}
