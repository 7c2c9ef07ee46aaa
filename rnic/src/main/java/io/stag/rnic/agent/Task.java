package io.stag.rnic.agent;

import io.stag.rnic.transport.Transport;

/**
 * Something an agent looks after: a connection or a listener. All methods are called under the agent's lock. The
 * package-private fields are the agent's bookkeeping, kept here so that it needs no maps.
 */
public abstract class Task implements Transport.ReadyHandler {
    /** Nothing to wait for. */
    public static final long NEVER = Long.MAX_VALUE;

    Task nextDoorbell = this; // itself: not rung
    long deadlineNanos = NEVER;
    long timerId;
    int hotUntilCycle;
    boolean hot;
    boolean active; // octets moved since the agent last read the clock
    private volatile long lastActiveNanos;

    /** For subclasses. */
    protected Task() {}

    /** When octets last moved for this task. Any thread. */
    public final long lastActiveNanos() {
        return lastActiveNanos;
    }

    /** Under the lock: octets moved, or the task began. */
    public final void activeAt(long nowNanos) {
        active = false;
        lastActiveNanos = nowNanos;
    }

    /** Requests were posted, or something else asks for attention. @return amount of work done */
    public abstract int onDoorbell();

    /** Looks for input without having been told of any. @return amount of work done */
    public abstract int onPoll();

    /** The deadline set with {@link RnicAgent#setDeadline} has passed. */
    public abstract void onDeadline(long nowNanos);

    /** Our own bug was caught: the task ends, others go on. */
    public abstract void onBug(RuntimeException bug);
}
