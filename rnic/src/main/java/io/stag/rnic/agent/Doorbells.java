package io.stag.rnic.agent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.ToIntFunction;

/**
 * Tasks that asked for attention: a list through the tasks themselves, pushed by any thread, taken whole by the agent.
 * Nothing is allocated, and a task is in it at most once.
 */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
final class Doorbells {
    private static final VarHandle HEAD;
    private static final VarHandle NEXT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(Doorbells.class, "head", Task.class);
            NEXT = lookup.findVarHandle(Task.class, "nextDoorbell", Task.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Task end = new End();

    @SuppressWarnings("UnusedVariable") // through HEAD
    private Task head = end;

    /** Tasks visited so far. Written by the agent. */
    long answered;

    /** Any thread: adds the task unless it is in the list. @return false when it was */
    boolean ring(Task task) {
        // a task that is not in the list points to itself; END claims it before the list shows it
        if (!NEXT.compareAndSet(task, task, end)) {
            return false;
        }
        Task first = (Task) HEAD.getAcquire(this);
        while (true) {
            NEXT.setRelease(task, first);
            Task seen = (Task) HEAD.compareAndExchange(this, first, task);
            if (seen == first) {
                return true;
            }
            first = seen;
        }
    }

    /** Any thread. */
    boolean isEmpty() {
        return (Task) HEAD.getVolatile(this) == end;
    }

    /** Agent: empties the list and visits every task; a task can be rung again from its visit on. */
    int visit(ToIntFunction<Task> visitor) {
        if ((Task) HEAD.getAcquire(this) == end) {
            return 0;
        }
        int work = 0;
        Task task = (Task) HEAD.getAndSet(this, end);
        while (task != end) {
            Task next = (Task) NEXT.getAcquire(task);
            NEXT.setVolatile(task, task);
            answered++;
            work += visitor.applyAsInt(task);
            task = next;
        }
        return work;
    }

    /** Marks the end of the list. */
    private static final class End extends Task {
        @Override
        public int onDoorbell() {
            return 0;
        }

        @Override
        public int onPoll() {
            return 0;
        }

        @Override
        public void onDeadline(long nowNanos) {}

        @Override
        public void onFailure(Throwable failure) {}

        @Override
        public void onReady() {}
    }
}
