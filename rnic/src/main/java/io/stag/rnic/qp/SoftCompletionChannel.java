package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.verbs.CompletionChannel;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.Rnic;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Notifications of armed completion queues. Bounded: a queue that fires again before its notification was taken adds none. */
public final class SoftCompletionChannel implements CompletionChannel {
    private final Rnic rnic;
    private final @Nullable RnicAgent driven;
    private final @Nullable RnicAgent onlyAgent;
    private final Consumer<SoftCompletionChannel> onClose;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<SoftCompletionQueue> fired = new ArrayDeque<>(); // under the lock
    private final AtomicInteger users = new AtomicInteger();
    private volatile boolean closed;

    /**
     * A channel of {@code rnic}.
     *
     * @param onlyAgent its agent if it has one only, else null
     * @param invoker whether nobody but threads of the program drive it
     */
    public SoftCompletionChannel(
            Rnic rnic, @Nullable RnicAgent onlyAgent, boolean invoker, Consumer<SoftCompletionChannel> onClose) {
        this.rnic = rnic;
        this.onlyAgent = onlyAgent;
        driven = invoker ? onlyAgent : null;
        this.onClose = onClose;
    }

    /** The RNIC whose queues notify here. */
    public Rnic rnic() {
        return rnic;
    }

    @Override
    public Optional<CompletionQueue> await(Duration timeout) {
        checkOpen();
        long nanos = RnicAgent.nanos(timeout);
        long began = nanoTime();
        long left = nanos;
        try {
            while (true) {
                if (driven != null) {
                    driven.await(() -> closed || hasFired(), left, true);
                } else {
                    awaitAgents(left);
                }
                Optional<CompletionQueue> notified = poll();
                left = nanos - (nanoTime() - began);
                if (notified.isPresent() || left <= 0) {
                    return notified;
                } // else another thread was quicker
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for a notification", e);
        }
    }

    private long nanoTime() {
        return onlyAgent != null ? onlyAgent.nanoTime() : System.nanoTime();
    }

    private void awaitAgents(long nanos) throws InterruptedException {
        RnicAgent agent = onlyAgent;
        if (agent == null) {
            awaitOthers(nanos);
        } else if (nanos > 0 && !agent.tryDriveUntil(() -> closed || hasFired(), nanos)) {
            agent.beginDepending();
            try {
                awaitOthers(nanos);
            } finally {
                agent.endDepending();
            }
        }
    }

    private void awaitOthers(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (!closed && fired.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<CompletionQueue> poll() {
        checkOpen();
        CompletionQueue queue = take();
        if (queue == null && driven != null && driven.tryWork() > 0) {
            queue = take();
        }
        return Optional.ofNullable(queue);
    }

    private boolean hasFired() {
        lock.lock();
        try {
            return !fired.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable CompletionQueue take() {
        lock.lock();
        try {
            SoftCompletionQueue queue = fired.poll();
            if (queue != null) {
                queue.inChannel = false;
            }
            return queue;
        } finally {
            lock.unlock();
        }
    }

    /** Whoever takes the notification sees what was completed before this call, also if it was there already. */
    void fire(SoftCompletionQueue queue) {
        lock.lock();
        try {
            if (!queue.inChannel) {
                queue.inChannel = true;
                fired.add(queue);
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    void attach() {
        checkOpen();
        users.incrementAndGet();
    }

    /** {@code queue} is closed: nobody can do anything with its notification. */
    void detach(SoftCompletionQueue queue) {
        lock.lock();
        try {
            fired.remove(queue);
        } finally {
            lock.unlock();
        }
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
        forceClose();
    }

    /** Closes whatever uses it, and wakes who waits: the RNIC goes away. */
    public void forceClose() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (onlyAgent != null) {
            onlyAgent.wakeWaiters();
        }
        onClose.accept(this);
    }
}
