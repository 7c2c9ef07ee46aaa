package io.stag.verbs;

import java.time.Duration;
import java.util.Optional;

/** Collects notifications of armed completion queues, so that one thread can wait for many of them. */
public interface CompletionChannel extends AutoCloseable {

    /**
     * Waits for a notification. Each notification is handed out once; the queue must be armed again for the next.
     *
     * @return the completion queue whose notification fired, or empty when the time ran out
     */
    Optional<CompletionQueue> await(Duration timeout);

    /** Like {@link #await} without waiting. */
    Optional<CompletionQueue> poll();

    /** Refused while completion queues use the channel. */
    @Override
    void close();
}
