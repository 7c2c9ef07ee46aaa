package io.stag.bench.compare;

import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has runs measured while client and server are as close to each other as they can be: waits for that, and repeats a run
 * after which they are not any more. A ratio of two runs of which one was far and the other near would say nothing.
 */
final class Closeness {
    /** So many times the least distance is far; with and without a shared cache it differs by three times and more. */
    private static final double FAR = 1.8;

    private static final int FIRST_LOOKS = 5;
    private static final long WAIT_MILLIS = 250;
    private static final int WAITS_FOR_ONE = 40;
    private static final int WAITS_FOR_ALL = 1_200;
    private static final int MOST_REPEATS = 3;

    private final DoubleSupplier distance;
    private final Pause pause;
    private double least = Double.POSITIVE_INFINITY;
    private int waits;
    private int repeated;
    private int far;

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
     * @param nanoseconds least distance of the processors
     * @param repeated runs that were measured again because they were farther apart
     * @param far runs that count although they were, since it lasted
     */
    public record Found(double nanoseconds, int repeated, int far) {
        String text() {
            return String.format(Locale.ROOT, "processors %.0f ns apart", nanoseconds)
                    + (repeated > 0 ? ", " + repeated + " runs repeated because it was more" : "")
                    + (far > 0 ? ", " + far + " kept although it was" : "");
        }
    }

    /** What there is to say at the end; null where distances cannot be measured. */
    @Nullable
    Found found() {
        return Double.isInfinite(least) ? null : new Found(least, repeated, far);
    }

    /** The same bench, for runs that were near. */
    Bench over(Bench bench) {
        return new Bench() {
            @Override
            public Measurement run(RunSpec spec, RunDuration duration) throws IOException {
                return runNear(bench, spec, duration);
            }

            @Override
            public void close() throws IOException {
                bench.close();
            }
        };
    }

    private Measurement runNear(Bench bench, RunSpec spec, RunDuration duration) throws IOException {
        for (int tries = 1; ; tries++) {
            awaitNear();
            Measurement found = bench.run(spec, duration);
            if (isNear()) {
                return found;
            }
            if (tries > MOST_REPEATS) {
                far++;
                return found;
            }
            repeated++;
        }
    }

    private void awaitNear() throws InterruptedIOException {
        if (Double.isInfinite(least)) {
            for (int i = 0; i < FIRST_LOOKS && (i == 0 || Double.isFinite(least)); i++) {
                isNear();
                sleep();
            }
        }
        for (int i = 0; i < WAITS_FOR_ONE && waits < WAITS_FOR_ALL && !isNear(); i++) {
            waits++;
            sleep();
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

    private boolean isNear() {
        double now = distance.getAsDouble();
        least = Math.min(least, Double.isNaN(now) ? least : now);
        return !(now > FAR * least);
    }
}
