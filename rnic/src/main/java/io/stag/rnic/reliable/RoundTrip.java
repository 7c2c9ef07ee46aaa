package io.stag.rnic.reliable;

/**
 * Round-trip times of one peer (RFC 6298), and the least of them all. That is not forgotten: behind a queue that stands for
 * long, every newer one would be too long, and losses would be taken for damage.
 */
final class RoundTrip {
    private static final long LEAST_TIMEOUT_NANOS = 5_000_000;
    private static final long MOST_TIMEOUT_NANOS = 1_000_000_000;
    private static final long FIRST_TIMEOUT_NANOS = 100_000_000;
    private static final long CLOCK_NANOS = 1_000_000;

    private long smoothed;
    private long variation;
    private long least;
    private long latest;

    void clear() {
        smoothed = 0;
        variation = 0;
        least = 0;
        latest = 0;
    }

    /** A sample of before, as all that is left of it. */
    void resume(long smoothedNanos) {
        clear();
        smoothed = smoothedNanos;
        variation = smoothedNanos / 2;
    }

    void sample(long nanos) {
        latest = Math.max(1, nanos);
        if (least == 0 || latest < least) {
            least = latest;
        }
        if (smoothed == 0) {
            smoothed = latest;
            variation = latest / 2;
        } else {
            variation += (Math.abs(smoothed - latest) - variation) / 4;
            smoothed += (latest - smoothed) / 8;
        }
    }

    boolean isKnown() {
        return smoothed != 0;
    }

    long smoothed() {
        return smoothed;
    }

    long least() {
        return least;
    }

    long latest() {
        return latest;
    }

    /** Whether datagrams wait in the network: round trips are clearly longer than the shortest one (RD-033). */
    boolean showsQueue() {
        return latest > least + Math.max(least / 4, CLOCK_NANOS / 2);
    }

    /** Time without an acknowledgement after which everything counts as lost (RD-032). */
    long timeout() {
        return smoothed == 0
                ? FIRST_TIMEOUT_NANOS
                : Math.clamp(smoothed + Math.max(4 * variation, CLOCK_NANOS), LEAST_TIMEOUT_NANOS, MOST_TIMEOUT_NANOS);
    }

    /** The same after {@code backoff} times without an answer. */
    long timeout(int backoff) {
        return Math.min(timeout() << Math.min(backoff, Byte.SIZE), MOST_TIMEOUT_NANOS);
    }

    /** Time without an acknowledgement after which it is asked for. */
    long probeTime() {
        return smoothed == 0 ? FIRST_TIMEOUT_NANOS / 2 : Math.min(2 * smoothed + CLOCK_NANOS, timeout());
    }
}
