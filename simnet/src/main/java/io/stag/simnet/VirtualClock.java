package io.stag.simnet;

/** Time that stands still until a {@link SimNetwork} or a test moves it. Belongs to one thread. */
public final class VirtualClock {
    private long nanos;

    /** A clock that shows 0. */
    public VirtualClock() {
        this(0);
    }

    /**
     * A clock that shows the given instant.
     *
     * @param startNanos the first instant; not negative
     */
    public VirtualClock(long startNanos) {
        if (startNanos < 0) {
            throw new IllegalArgumentException("negative start " + startNanos);
        }
        this.nanos = startNanos;
    }

    /**
     * The instant this clock shows.
     *
     * @return nanoseconds of virtual time
     */
    public long nanoTime() {
        return nanos;
    }

    /**
     * Moves the clock. Events of a network that lie before the new instant are not lost, only late; a test that has a
     * network calls {@link SimNetwork#advanceTo(long)} instead.
     *
     * @param nanos the new instant; never before {@link #nanoTime()}
     */
    public void advanceTo(long nanos) {
        if (nanos < this.nanos) {
            throw new IllegalArgumentException("time runs forward: " + this.nanos + " to " + nanos);
        }
        this.nanos = nanos;
    }
}
