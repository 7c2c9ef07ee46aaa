package io.stag.rnic.agent;

/** A clock that only moves forward; the system's, or a simulated one. */
public interface NanoClock {

    /** Nanoseconds since some moment. */
    long nanoTime();
}
