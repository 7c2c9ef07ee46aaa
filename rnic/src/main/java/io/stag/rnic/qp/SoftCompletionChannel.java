package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.verbs.CompletionChannel;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Notifications of armed completion queues. Bounded: an armed queue fires once, so there are at most as many as queues. */
public final class SoftCompletionChannel implements CompletionChannel {
    private final @Nullable RnicAgent driven;
    private final LinkedBlockingQueue<CompletionQueue> fired = new LinkedBlockingQueue<>();
    private final AtomicInteger users = new AtomicInteger();
    private volatile boolean closed;

    /** With INVOKER progress {@code driven} is the agent to drive, else null. */
    public SoftCompletionChannel(@Nullable RnicAgent driven) {
        this.driven = driven;
    }

    @Override
    public Optional<CompletionQueue> await(Duration timeout) {
        checkOpen();
        try {
            if (driven != null) {
                driven.await(() -> closed || !fired.isEmpty(), timeout.toNanos(), true);
                return poll();
            }
            return Optional.ofNullable(fired.poll(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for a notification", e);
        }
    }

    @Override
    public Optional<CompletionQueue> poll() {
        checkOpen();
        CompletionQueue queue = fired.poll();
        if (queue == null && driven != null && driven.tryWork() > 0) {
            queue = fired.poll();
        }
        return Optional.ofNullable(queue);
    }

    void fire(CompletionQueue queue) {
        fired.add(queue);
    }

    void attach() {
        checkOpen();
        users.incrementAndGet();
    }

    void detach() {
        users.decrementAndGet();
    }

    private void checkOpen() {
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "the completion channel is closed");
        }
    }

    @Override
    public void close() {
        if (users.get() > 0) {
            throw new VerbsException(VerbsError.IN_USE, users.get() + " completion queues still use the channel");
        }
        closed = true;
    }
}
