package io.stag.rnic.datagram;

/**
 * Holds a sender back that is ahead of its receivers: so many datagrams may be on their way of which no report has come. A
 * datagram that is not reported in time counts as gone, so that nothing waits for ever for what was lost.
 */
final class FlowWindow {
    /** Numbers are 16 bits, so no more than half of them may be on their way. */
    static final int LARGEST = 1 << 14;

    private static final int NUMBER_MASK = 0xFFFF;

    private final int window;
    private final long timeoutNanos;
    private final int mask;
    private final int[] destinations;
    private final long[] sentNanos;
    private final boolean[] awaited;
    private int head; // all before it are reported or gone
    private int tail; // the next number
    private int outstanding;

    FlowWindow(int window, long timeoutNanos) {
        this.window = window;
        this.timeoutNanos = timeoutNanos;
        int size = Integer.highestOneBit(2 * window - 1) << 1;
        mask = size - 1;
        destinations = new int[size];
        sentNanos = new long[size];
        awaited = new boolean[size];
    }

    /** Whether another datagram may leave. */
    boolean isOpen(long nowNanos) {
        while (head != tail && (!awaited[head & mask] || nowNanos - sentNanos[head & mask] >= timeoutNanos)) {
            release(head);
            head++;
        }
        return outstanding < window && tail - head <= mask;
    }

    private void release(int number) {
        if (awaited[number & mask]) {
            awaited[number & mask] = false;
            outstanding--;
        }
    }

    /** A datagram leaves. @return its number on the wire */
    int take(DatagramAddress destination, long nowNanos) {
        int slot = tail & mask;
        destinations[slot] = destination.hashOfNumbers();
        sentNanos[slot] = nowNanos;
        awaited[slot] = true;
        outstanding++;
        return tail++ & NUMBER_MASK;
    }

    /** How many were ever taken. */
    int taken() {
        return tail;
    }

    /** What was taken last did not leave: only so many did. */
    void takeBack(int newTaken) {
        while (tail != newTaken) {
            tail--;
            release(tail);
        }
    }

    /** A receiver has got the datagram of this number, and what came of those before it. */
    void report(DatagramAddress receiver, int number) {
        int back = (tail - 1 - number) & NUMBER_MASK;
        int hash = receiver.hashOfNumbers();
        for (int i = head; tail - 1 - i >= back && i != tail; i++) {
            if (destinations[i & mask] == hash) {
                release(i);
            }
        }
    }

    /** When the oldest counts as gone. */
    long nextDeadline() {
        return head == tail ? Long.MAX_VALUE : sentNanos[head & mask] + timeoutNanos;
    }
}
