package io.stag.rnic.agent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who drives an agent that has a thread of its own: that thread, or for the time of its wait one thread of the program,
 * which then needs nobody to wake it. A program that waits again and again leaves the seat only for moments, so the agent's
 * thread does not come back at once: it naps, and comes back when it finds the seat empty for a while.
 *
 * <p>The agent's thread sleeps for longer than a nap only while the seat is taken. Whoever leaves the seat does so first
 * and then looks whether the agent's thread sleeps; the latter says first that it will and then looks at the seat. So one of
 * them sees the other.
 */
final class DriverSeat {
    /** How long the seat must be empty until the agent's thread takes over. */
    private static final long ABSENCE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    /** Naps get longer while the program keeps coming back. The longest bounds how long nobody serves its peers. */
    private static final long SHORTEST_NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(125);

    private static final long LONGEST_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private enum Duty {
        IN_CHARGE,
        NAPPING,
        ASLEEP
    }

    private final AtomicReference<@Nullable Thread> driver = new AtomicReference<>();
    private final AtomicInteger dependents = new AtomicInteger();
    private volatile @Nullable Thread agentThread;
    private volatile Duty duty = Duty.IN_CHARGE;
    private final AtomicInteger takes = new AtomicInteger(); // changed by whoever has the seat
    private volatile long leftNanos; // in real time, whatever clock the agent's timers have

    /** The agent's thread begins. */
    void agentBegins() {
        agentThread = Thread.currentThread();
    }

    /** Any thread: whether a thread of the program drives. */
    boolean isTaken() {
        return driver.get() != null;
    }

    /** Whether the agent waits for this very thread: it drives, and what it calls must not wait for a driver. */
    boolean isDriver() {
        Thread self = Thread.currentThread();
        return self.equals(agentThread) || self.equals(driver.get());
    }

    /** Any thread: whether the agent's thread leaves the work to the program's threads just now. */
    boolean isAgentAway() {
        return duty != Duty.IN_CHARGE;
    }

    /** A thread of the program. @return whether it drives from now on */
    boolean tryTake() {
        // a virtual thread waits for a platform thread anyway, so it may as well be the agent's
        Thread self = Thread.currentThread();
        if (agentThread == null || self.isVirtual() || !driver.compareAndSet(null, self)) {
            return false;
        }
        takes.setRelease(takes.getPlain() + 1);
        return true;
    }

    /** The thread that has the seat. */
    void leave() {
        leftNanos = System.nanoTime();
        driver.set(null);
        Duty now = duty;
        if (now == Duty.ASLEEP || (now == Duty.NAPPING && dependents.get() > 0)) {
            wakeAgent();
        }
    }

    /** Any thread: it is going to wait for progress that it does not make itself. To be followed by {@link #independent}. */
    void dependent() {
        dependents.incrementAndGet();
        if (duty != Duty.IN_CHARGE && !isTaken()) {
            wakeAgent();
        }
    }

    void independent() {
        dependents.decrementAndGet();
    }

    /** Any thread: ends a nap or sleep of the agent's thread. */
    void wakeAgent() {
        Thread thread = agentThread;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    /** The agent's thread: waits until it has to drive. @param needed whether somebody waits for the agent in any case */
    void standBack(BooleanSupplier needed, BooleanSupplier closed) {
        long nap = SHORTEST_NAP_NANOS;
        int seen = takes.get();
        duty = Duty.NAPPING;
        while (!closed.getAsBoolean()) {
            if (isTaken()) {
                LockSupport.parkNanos(this, nap);
                nap = Math.min(2 * nap, LONGEST_NAP_NANOS);
                if (takes.get() == seen) {
                    sleepWhileTaken();
                }
                seen = takes.get();
            } else {
                long absent = System.nanoTime() - leftNanos;
                if (dependents.get() > 0 || needed.getAsBoolean() || absent >= ABSENCE_NANOS) {
                    break;
                }
                LockSupport.parkNanos(this, ABSENCE_NANOS - absent);
            }
        }
        duty = Duty.IN_CHARGE;
    }

    /** Somebody has the seat for so long already that naps would be a waste. */
    private void sleepWhileTaken() {
        duty = Duty.ASLEEP;
        if (isTaken()) {
            LockSupport.park(this);
        }
        duty = Duty.NAPPING;
    }
}
