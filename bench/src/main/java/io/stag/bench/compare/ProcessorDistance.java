package io.stag.bench.compare;

import io.stag.cli.perf.Affinity;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How far apart the processors of client and server are: the time that a cache line takes from one to the other. It is
 * constant where processors are what they seem; those of a virtual machine move, and when they do not share a cache any
 * more, whatever crosses between them takes two or three times as long.
 */
final class ProcessorDistance {
    private static final long MEASURED_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int PASSES = 200;
    private static final int MIDDLE = 32; // of an array in which no other cell is used, so of a line of its own

    private final AtomicLongArray line = new AtomicLongArray(2 * MIDDLE);
    private final CountDownLatch pinned = new CountDownLatch(2);
    private volatile boolean ended;
    private volatile boolean possible = true;
    private volatile double nanos = Double.NaN;

    private ProcessorDistance() {}

    /** Median of many, in nanoseconds; NaN where each side has not exactly one processor, or cannot be kept there. */
    static double measure() {
        ProcessorDistance distance = new ProcessorDistance();
        Thread answering = Thread.ofPlatform().daemon().start(() -> distance.pinAnd(true, distance::answer));
        Thread asking = Thread.ofPlatform().daemon().start(() -> distance.pinAnd(false, distance::ask));
        try {
            asking.join();
            distance.ended = true;
            answering.join();
        } catch (InterruptedException _) {
            distance.ended = true;
            Thread.currentThread().interrupt();
        }
        return distance.nanos;
    }

    private void pinAnd(boolean server, Runnable then) {
        if (Affinity.pin(server) != 1) {
            possible = false;
        }
        pinned.countDown();
        try {
            pinned.await();
        } catch (InterruptedException _) {
            return;
        }
        if (possible) {
            then.run();
        }
    }

    private void answer() {
        long expected = 1;
        while (!ended) {
            if (line.getAcquire(MIDDLE) == expected) {
                line.setRelease(MIDDLE, expected + 1);
                expected += 2;
            }
        }
    }

    private void ask() {
        double[] found = new double[1 << 14];
        int count = 0;
        long begin = System.nanoTime();
        long value = 0;
        long now = begin;
        while (now - begin < MEASURED_NANOS && count < found.length && !ended) {
            long before = now;
            for (int i = 0; i < PASSES; i++) {
                line.setRelease(MIDDLE, value + 1);
                value += 2;
                while (line.getAcquire(MIDDLE) != value && !ended) { // nobody answers any more after an interrupt
                    Thread.onSpinWait();
                }
            }
            now = System.nanoTime();
            found[count++] = (now - before) / (2.0 * PASSES);
        }
        nanos = Spread.of(Arrays.stream(found, 0, count)).median();
    }
}
