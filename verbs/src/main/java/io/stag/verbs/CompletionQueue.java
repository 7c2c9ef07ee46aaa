package io.stag.verbs;

import java.time.Duration;

/**
 * A bounded queue of work completions. Any thread may poll. Capacity should cover all requests that can be outstanding
 * on the queue pairs using it: a completion that finds no room is lost, which {@link AsyncEvent.CompletionQueueFailed} tells.
 * It fails the connected queue pair that it belongs to; datagram queue pairs, reliable ones too, count it and go on.
 */
public interface CompletionQueue extends AutoCloseable {

    /** What a notification waits for. */
    enum NotifyOn {
        /** The next completion of any kind. */
        NEXT,
        /** The next receive completed by a solicited message, or the next completion in error. */
        NEXT_SOLICITED
    }

    /** Number of completions the queue can hold. */
    int capacity();

    /**
     * Takes what is there, up to the capacity of {@code into}, whose former content is replaced. Never blocks and
     * allocates nothing. With {@link ProgressMode#INVOKER} this call also drives the RNIC.
     *
     * @return number of completions taken
     */
    int poll(WorkCompletions into);

    /**
     * Like {@link #poll}, but waits until there is at least one completion or the time has passed. Suits platform and
     * virtual threads. With {@link ProgressMode#INVOKER} the waiting thread drives the RNIC.
     *
     * @return number of completions taken, 0 when the time ran out
     * @throws VerbsException when the queue or its RNIC is closed, also while waiting
     */
    int await(WorkCompletions into, Duration timeout);

    /**
     * Asks for one notification through the completion channel. Completions that are already in the queue do not count,
     * so poll once more after arming. When both kinds were asked for, {@link NotifyOn#NEXT} wins.
     */
    void arm(NotifyOn notifyOn);

    /** Refused while queue pairs use the queue. */
    @Override
    void close();
}
