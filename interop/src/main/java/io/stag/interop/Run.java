package io.stag.interop;

import java.time.Duration;

/** A program that was started: Stag in this process, or a command in the guest. */
interface Run extends AutoCloseable {
    /** What it printed so far. */
    Transcript transcript();

    /** Waits for its end. @return the exit code @throws CellFailure when the time is over */
    int await(Duration limit) throws InterruptedException;

    /** Ends it, if it still runs. */
    @Override
    void close();

    /** Waits for its end, which must be exit code 0. */
    default void succeed(Duration limit) throws InterruptedException {
        int code = await(limit);
        if (code != 0) {
            throw new CellFailure(
                    this + " ended with " + code + ": " + transcript().tail());
        }
    }

    /** Waits until it prints {@code text}. */
    default void awaitText(String text, Duration limit) throws InterruptedException {
        if (!transcript().await(text, limit)) {
            throw new CellFailure(
                    this + " did not print '" + text + "': " + transcript().tail());
        }
    }
}
