package io.stag.rnic.agent;

import io.stag.rnic.transport.Transport;
import io.stag.rnic.work.Deadlines;

/**
 * Something an agent looks after: a connection or a listener. All methods are called under the agent's lock. The
 * package-private fields are the agent's bookkeeping, kept here so that it needs no maps.
 */
public abstract class Task extends Deadlines.Timed implements Transport.ReadyHandler {
    /** Nothing to wait for. */
    public static final long NEVER = Deadlines.NEVER;

    private static final System.Logger LOG = System.getLogger(Task.class.getName());

    Task nextDoorbell = this; // itself: not rung
    int hotUntilCycle;
    int inputs; // since the agent last slept
    boolean hot;
    boolean unwatched; // the transport was told not to report input
    boolean active; // octets moved since the agent last read the clock
    private long workSeen;
    private volatile long lastActiveNanos;

    /** For subclasses. */
    protected Task() {}

    /** When the task last did something for its program. Any thread. */
    public final long lastActiveNanos() {
        return lastActiveNanos;
    }

    /** Under the lock: the task began. */
    public final void begunAt(long nowNanos) {
        lastActiveNanos = nowNanos;
    }

    /** Under the lock: octets moved before this moment; an activity only if they did more than show life. */
    final void movedBefore(long nowNanos) {
        active = false;
        long work = workDone();
        if (work != workSeen) {
            workSeen = work;
            lastActiveNanos = nowNanos;
        }
    }

    /** A count that changes with everything that is an activity. */
    protected long workDone() {
        return 0;
    }

    /** Requests were posted, or something else asks for attention. @return amount of work done */
    public abstract int onDoorbell();

    /** Looks for input without having been told of any. @return amount of work done */
    public abstract int onPoll();

    /** Nobody may call {@link #onPoll} for a while: what was put off with {@link RnicAgent#putOff} is due. @return work done */
    public int onPause() {
        return 0;
    }

    /** Whether {@link #onPoll} is called all the time, so that the transport need not report input. */
    public void inputIsPolled(boolean polled) {}

    /** The deadline set with {@link RnicAgent#setDeadline} has passed. */
    public abstract void onDeadline(long nowNanos);

    /**
     * The agent is going to sleep until the deadline of this task. A task that leaves deadlines alone when they are not needed
     * any more, which is cheaper than to move them all the time, says here when it is really due.
     */
    public long settledDeadline(long nowNanos) {
        return deadlineNanos();
    }

    /** Our own bug was caught, or the JVM lacks memory: the task ends, others go on. */
    public abstract void onFailure(Throwable failure);

    /** What to tell of a failure. */
    public static String text(Throwable failure) {
        return switch (failure) {
            case OutOfMemoryError _ -> "the JVM has no memory left: " + failure.getMessage();
            case InternalError _ ->
                "memory cannot be accessed, as when a mapped file has become shorter: " + failure.getMessage();
            default -> "a bug in Stag: " + failure;
        };
    }

    /** What an agent asks of a task. */
    interface Step {
        int run(Task task);
    }

    /** What fails in one task must not stop the others. @return amount of work done */
    final int guarded(Step step) {
        try {
            return step.run(this);
        } catch (RuntimeException | VirtualMachineError failure) {
            endAfter(failure);
            return 1;
        }
    }

    /** Like {@link #onFailure}, with a word in the log; what happens on the way is no concern of the other tasks. */
    public final void endAfter(Throwable failure) {
        LOG.log(System.Logger.Level.ERROR, "a connection ends: " + text(failure), failure);
        try {
            onFailure(failure);
        } catch (RuntimeException | VirtualMachineError again) {
            LOG.log(System.Logger.Level.ERROR, "a connection could not even be ended: " + text(again), again);
        }
    }
}
