package io.stag.rnic.observe;

import io.stag.rnic.agent.NanoClock;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that goes on by a step whenever somebody has looked at it. */
final class SlowClock implements NanoClock {
    private final AtomicLong now;
    long stepNanos;

    SlowClock(AtomicLong now) {
        this.now = now;
    }

    @Override
    public long nanoTime() {
        return now.getAndAdd(stepNanos);
    }
}
