package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import java.util.concurrent.TimeUnit;

/** How long nothing has come from the peer. Begins when it is first looked at, so nothing is spent while the peer talks. */
final class Silence {
    static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final String advice;
    private boolean begun;
    private long since;

    /** @param advice for the one who reads that nothing comes */
    Silence(String advice) {
        this.advice = advice;
    }

    /** Something came. */
    void broken() {
        begun = false;
    }

    /** Nothing came: fails when that has been so for long. */
    void check(long nowNanos) {
        if (!begun) {
            begun = true;
            since = nowNanos;
        } else if (nowNanos - since > LIMIT_NANOS) {
            throw new CommandFailure(
                    "the peer has been silent for " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS) + " s", advice);
        }
    }
}
