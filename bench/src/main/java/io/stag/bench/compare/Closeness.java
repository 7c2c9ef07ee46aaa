package io.stag.bench.compare;

import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has all runs measured while client and server are equally far from each other: waits for that, and repeats a run after
 * which they are not any more. A ratio of two runs of which one was far and the other near would say nothing.
 */
final class Closeness {
    /** So many times the usual distance is far, and one of so many is too near: then they share more than a cache. */
    private static final double OTHER = 1.6;

    private static final int FIRST_LOOKS = 5;
    private static final long WAIT_MILLIS = 250;
    private static final int MOST_WAITS = 40;
    private static final int MOST_REPEATS = 3;

    private final DoubleSupplier distance;
    private final Pause pause;
    private final List<Double> seen = new ArrayList<>(); // sorted
    private int repeated;
    private int other;

    /** Real processors, real time. */
    Closeness() {
        this(ProcessorDistance::measure, TimeUnit.MILLISECONDS::sleep);
    }

    /**
     * For tests.
     *
     * @param distance of the processors now; NaN when that cannot be known
     * @param pause lets time pass
     */
    Closeness(DoubleSupplier distance, Pause pause) {
        this.distance = distance;
        this.pause = pause;
    }

    /** Lets time pass. */
    interface Pause {
        void milliseconds(long count) throws InterruptedException;
    }

    /**
     * What was found.
     *
     * @param nanoseconds usual distance of the processors
     * @param repeated runs that were measured again because they had moved
     * @param other runs that count although they had, since it happened again and again
     */
    public record Found(double nanoseconds, int repeated, int other) {
        String text() {
            return String.format(Locale.ROOT, "processors %.0f ns apart", nanoseconds)
                    + (repeated > 0 ? ", " + repeated + " runs repeated because they moved" : "")
                    + (other > 0 ? ", " + other + " kept although they did" : "");
        }
    }

    /** What there is to say at the end; null where distances cannot be measured. */
    @Nullable
    Found found() {
        return seen.isEmpty() ? null : new Found(usual(), repeated, other);
    }

    /** The nearest that is not rare. */
    private double usual() {
        return seen.get(seen.size() / 4);
    }

    /** The same bench, for runs at the usual distance. */
    Bench over(Bench bench) {
        return new Bench() {
            @Override
            public Measurement run(RunSpec spec, RunDuration duration) throws IOException {
                return runAsUsual(bench, spec, duration);
            }

            @Override
            public void close() throws IOException {
                bench.close();
            }
        };
    }

    private Measurement runAsUsual(Bench bench, RunSpec spec, RunDuration duration) throws IOException {
        for (int tries = 1; ; tries++) {
            awaitUsual();
            Measurement found = bench.run(spec, duration);
            if (isUsual()) {
                return found;
            }
            if (tries > MOST_REPEATS) {
                other++;
                return found;
            }
            repeated++;
        }
    }

    private void awaitUsual() throws InterruptedIOException {
        boolean usual = isUsual();
        for (int i = 0; i < MOST_WAITS && !seen.isEmpty() && (!usual || seen.size() < FIRST_LOOKS); i++) {
            sleep();
            usual = isUsual();
        }
    }

    private void sleep() throws InterruptedIOException {
        try {
            pause.milliseconds(WAIT_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a quiet moment");
        }
    }

    private boolean isUsual() {
        double now = distance.getAsDouble();
        if (Double.isNaN(now)) {
            return true;
        }
        int place = Collections.binarySearch(seen, now);
        seen.add(place < 0 ? -place - 1 : place, now);
        return now <= usual() * OTHER && now >= usual() / OTHER;
    }
}
