package io.stag.rnic.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A lock for a few dozen instructions. Waiting threads spin and, if the holder was descheduled, yield. */
public final class SpinLock {
    private static final int SPINS = 100;
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through HELD
    private boolean held;

    /** Creates a free lock. */
    public SpinLock() {}

    /** Takes the lock. Not reentrant. */
    public void lock() {
        if (!HELD.compareAndSet(this, false, true)) {
            spin(); // apart, so that the rest is short enough to be inlined everywhere
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // yielding is only a courtesy to the holder; nothing relies on it
    private void spin() {
        int spins = 0;
        while (!HELD.compareAndSet(this, false, true)) {
            if (++spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** Frees the lock. */
    public void unlock() {
        HELD.setRelease(this, false);
    }
}
