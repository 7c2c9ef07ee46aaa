package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.work.CompletionOwner;
import io.stag.rnic.work.CompletionRing;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.Rnic;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A completion queue: a ring, and the ways to wait for it. */
public final class SoftCompletionQueue implements CompletionQueue, RnicAgent.Waiter {
    private static final int NOT_ARMED = 0;
    private static final int ARMED_SOLICITED = 1;
    private static final int ARMED_NEXT = 2;

    private final Rnic rnic;
    private final CompletionRing ring;
    private final @Nullable RnicAgent driven; // with INVOKER progress: the agent that a polling thread drives
    private final @Nullable SoftCompletionChannel channel;
    private final long spinNanos;
    private final Runnable onClose;
    private final BooleanSupplier somethingToDo = this::hasSomething;
    private final ReentrantLock waitLock = new ReentrantLock();
    private final Condition filled = waitLock.newCondition();
    private final AtomicInteger armed = new AtomicInteger(NOT_ARMED);
    private final AtomicInteger users = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile @Nullable RnicAgent firstAgent; // of those that fill the queue
    private volatile boolean severalAgents;
    private volatile boolean overflowed;
    private volatile boolean closed;
    boolean inChannel; // a notification waits there; under the channel's lock

    /** A queue of {@code rnic}. With INVOKER progress {@code driven} is the agent to drive, else null. */
    public SoftCompletionQueue(
            Rnic rnic,
            int capacity,
            @Nullable RnicAgent driven,
            @Nullable SoftCompletionChannel channel,
            long spinNanos,
            Runnable onClose) {
        this.rnic = rnic;
        ring = new CompletionRing(capacity, driven == null);
        this.driven = driven;
        firstAgent = driven;
        this.channel = channel;
        this.spinNanos = spinNanos;
        this.onClose = onClose;
        if (channel != null) {
            channel.attach();
        }
    }

    /** The RNIC whose queue pairs may use the queue. */
    Rnic rnic() {
        return rnic;
    }

    @Override
    public int capacity() {
        return ring.capacity();
    }

    @Override
    public int poll(WorkCompletions into) {
        into.clear();
        int count = ring.poll(into);
        if (count == 0) {
            checkOpen();
            if (driven != null && driven.tryWork() > 0) {
                count = ring.poll(into);
            }
        }
        return count;
    }

    @Override
    public int await(WorkCompletions into, Duration timeout) {
        into.clear();
        int count = ring.poll(into);
        if (count > 0) {
            return count;
        }
        checkOpen();
        long nanos = RnicAgent.nanos(timeout);
        long began = nanoTime();
        try {
            do {
                if (driven != null) {
                    driven.driveUntil(somethingToDo, began, nanos);
                } else {
                    awaitAgents(began, nanos);
                }
                count = ring.poll(into);
                if (count > 0) {
                    return count;
                }
                checkOpen();
            } while (nanoTime() - began < nanos); // another thread was quicker
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for completions", e);
        }
    }

    private long nanoTime() {
        RnicAgent agent = firstAgent;
        return agent != null ? agent.nanoTime() : System.nanoTime();
    }

    private boolean hasSomething() {
        return closed || !ring.isEmpty();
    }

    /** Drives the agent in place of its thread where there is one agent, and no other thread does so. */
    private void awaitAgents(long began, long nanos) throws InterruptedException {
        RnicAgent agent = severalAgents ? null : firstAgent;
        if (agent == null) {
            awaitOthers(nanos - (nanoTime() - began));
        } else if (nanos > 0 && !agent.tryDriveUntil(somethingToDo, began, nanos)) {
            agent.beginDepending();
            try {
                awaitOthers(nanos - (nanoTime() - began));
            } finally {
                agent.endDepending();
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // who drives may need this very processor
    private void awaitOthers(long nanos) throws InterruptedException {
        long start = System.nanoTime();
        long spin = Math.min(nanos, spinNanos);
        while (!hasSomething() && System.nanoTime() - start < spin) {
            Thread.yield();
        }
        if (hasSomething()) {
            return;
        }
        waitLock.lockInterruptibly();
        waiting.incrementAndGet();
        try {
            long left = nanos - (System.nanoTime() - start);
            while (!hasSomething() && left > 0) {
                left = filled.awaitNanos(Math.min(left, TimeUnit.SECONDS.toNanos(10)));
                left = nanos - (System.nanoTime() - start);
            }
        } finally {
            waiting.decrementAndGet();
            waitLock.unlock();
        }
    }

    @Override
    public void arm(NotifyOn notifyOn) {
        checkOpen();
        if (channel == null) {
            throw new VerbsException(
                    VerbsError.INVALID_STATE, "the completion queue was created without a completion channel");
        }
        int wanted = notifyOn == NotifyOn.NEXT ? ARMED_NEXT : ARMED_SOLICITED;
        armed.accumulateAndGet(wanted, Math::max);
    }

    /** Agent: appends a completion. @return false when it was lost because the queue is full */
    public boolean add(
            RnicAgent agent,
            long id,
            CompletionStatus status,
            Operation operation,
            CompletionOwner owner,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            @Nullable ErrorDetail detail) {
        return add(agent, id, status, operation, owner, length, flags, immediate, invalidatedStag, detail, null);
    }

    /** Agent: appends a completion, with what belongs to its datagram if it has one. @return as the other one */
    public boolean add(
            RnicAgent agent,
            long id,
            CompletionStatus status,
            Operation operation,
            CompletionOwner owner,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            @Nullable ErrorDetail detail,
            @Nullable DatagramInfo datagram) {
        if (!ring.add(id, status, operation, owner, length, flags, immediate, invalidatedStag, detail, datagram)) {
            overflowed = true;
            return false;
        }
        agent.touch(this);
        if (channel != null) {
            VarHandle.fullFence(); // publish the entry before looking whether somebody armed
            boolean solicited = (flags & WorkCompletions.SOLICITED) != 0 || status != CompletionStatus.SUCCESS;
            int state = armed.get();
            if (state == ARMED_NEXT || (state == ARMED_SOLICITED && solicited)) {
                if (armed.getAndSet(NOT_ARMED) != NOT_ARMED) {
                    channel.fire(this);
                    agent.wakeWaiters();
                }
            }
        }
        return true;
    }

    @Override
    public void wake() {
        RnicAgent agent = firstAgent;
        if (agent != null) {
            agent.wakeWaiters(); // also when another agent filled the queue: a thread may have begun to wait before
        }
        if (waiting.get() > 0) {
            wakeWaiting();
        }
    }

    private void wakeWaiting() {
        waitLock.lock();
        try {
            filled.signalAll();
        } finally {
            waitLock.unlock();
        }
    }

    /** What is wrong when {@link #add} found no room. */
    String overflowText() {
        return "the completion queue of " + capacity() + " entries overflowed; it must hold all requests"
                + " that can be outstanding on its queue pairs";
    }

    /** Whether completions were lost. */
    public boolean hasOverflowed() {
        return overflowed;
    }

    /** Completions that wait to be polled. Any thread. */
    public int depth() {
        return ring.size();
    }

    /** A queue pair of that agent begins to use the queue. */
    public void attach(RnicAgent agent) {
        checkOpen();
        users.incrementAndGet();
        synchronized (users) {
            RnicAgent first = firstAgent;
            if (first == null) {
                firstAgent = agent;
            } else if (!first.equals(agent)) {
                severalAgents = true;
            }
        }
    }

    /** A queue pair is gone. */
    public void detach() {
        users.decrementAndGet();
    }

    private void checkOpen() {
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "the completion queue is closed");
        }
    }

    @Override
    public void close() {
        if (users.get() > 0) {
            throw new VerbsException(VerbsError.IN_USE, users.get() + " queue pairs still use the completion queue");
        }
        forceClose();
    }

    /** Closes whatever uses it: the RNIC goes away. */
    public void forceClose() {
        if (closed) {
            return;
        }
        closed = true;
        wake();
        if (channel != null) {
            channel.detach(this);
        }
        onClose.run();
    }
}
