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
 * Lets turns begin while the processors of client and server are near each other, and repeats one after which they are not any
 * more. Where they move every few milliseconds, of two turns one is near and the next one far, however short they are, and
 * their ratio says nothing.
 *
 * <p>A turn is also repeated when compilers worked meanwhile. They share a processor with what is measured, and each branch that is
 * taken for the first time after the warm-up can have them compile a large method once more.
 */
final class QuietTurns {
    /** So many times the usual distance is far. */
    private static final double FAR = 2;

    private static final double LONGEST_SECONDS = 0.25;
    private static final int FIRST_LOOKS = 8;
    private static final long WAIT_MILLIS = 2;
    private static final int MOST_WAITS = 200;
    private static final int MOST_REPEATS = 9;
    /** More of a turn than this for compilers, and it is not quiet. */
    private static final double COMPILERS_SHARE = 0.05;

    private final DoubleSupplier distance;
    private final Pause pause;
    private final List<Double> seen = new ArrayList<>(); // sorted
    private int turns;
    private int moved;
    private int compiled;
    private int kept;

    /** Real processors, real time. */
    QuietTurns() {
        this(ProcessorDistance::measure, TimeUnit.MILLISECONDS::sleep);
    }

    /**
     * For tests.
     *
     * @param distance of the processors now; NaN when that cannot be known
     * @param pause lets time pass
     */
    QuietTurns(DoubleSupplier distance, Pause pause) {
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
     * @param nanoseconds that a cache line usually takes from one processor to the other
     * @param turns how many were measured
     * @param moved how many more were not counted because the processors had moved
     * @param compiled how many more were not counted because code was compiled meanwhile
     * @param kept how many count all the same, since it happened again and again
     */
    public record Found(double nanoseconds, int turns, int moved, int compiled, int kept) {
        String text() {
            return String.format(Locale.ROOT, "processors %.0f ns apart", nanoseconds)
                    + (moved + compiled > 0
                            ? ", " + turns + " turns, and " + moved + " not counted in which they moved, " + compiled
                                    + " in which code was compiled"
                            : "")
                    + (kept > 0 ? ", " + kept + " kept all the same" : "");
        }
    }

    /** What there is to say at the end; null where distances cannot be measured. */
    @Nullable
    Found found() {
        return seen.isEmpty() ? null : new Found(usual(), turns, moved, compiled, kept);
    }

    /** The nearest that is not rare. */
    private double usual() {
        return seen.get(seen.size() / 8);
    }

    /** The same bench, whose turns are measured while the processors are near and no code is compiled. */
    Bench over(Bench bench) {
        return new Bench() {
            @Override
            public Measurement run(RunSpec spec, RunDuration duration) throws IOException {
                return isShort(duration) ? runQuietly(bench, spec, duration) : bench.run(spec, duration);
            }

            @Override
            public void close() throws IOException {
                bench.close();
            }
        };
    }

    /** Whoever runs for long has a share of all distances, and would seldom find the same one at the end. */
    private static boolean isShort(RunDuration duration) {
        return duration.iterations() == 0 && duration.seconds() <= LONGEST_SECONDS;
    }

    private Measurement runQuietly(Bench bench, RunSpec spec, RunDuration duration) throws IOException {
        turns++;
        for (int tries = 1; ; tries++) {
            awaitNear();
            Measurement found = bench.run(spec, duration);
            boolean near = isNear();
            boolean settled = found.compilerNanos() <= duration.seconds() * 1e9 * COMPILERS_SHARE;
            if (near && settled) {
                return found;
            }
            if (tries > MOST_REPEATS) {
                kept++;
                return found;
            }
            if (near) {
                compiled++;
            } else {
                moved++;
            }
        }
    }

    private void awaitNear() throws InterruptedIOException {
        boolean near = isNear();
        for (int i = 0; i < MOST_WAITS && !seen.isEmpty() && (!near || seen.size() < FIRST_LOOKS); i++) {
            sleep();
            near = isNear();
        }
    }

    private void sleep() throws InterruptedIOException {
        try {
            pause.milliseconds(WAIT_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for processors to come near");
        }
    }

    private boolean isNear() {
        double now = distance.getAsDouble();
        if (Double.isNaN(now)) {
            return true;
        }
        int place = Collections.binarySearch(seen, now);
        seen.add(place < 0 ? -place - 1 : place, now);
        return now <= usual() * FAR;
    }
}
