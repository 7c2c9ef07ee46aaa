package io.stag.rnic.agent;

import io.stag.rnic.datagram.DatagramStaging;
import io.stag.rnic.mpa.StagingPool;
import io.stag.rnic.transport.Transport;
import io.stag.rnic.work.Deadlines;
import io.stag.verbs.AgentSnapshot;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Owns tasks (connections, listeners), their streams and timers. Whoever holds the lock may run {@link #doWork}: an agent
 * thread, or with INVOKER progress any thread that polls. Control operations take the same lock, so they never meet a
 * half-done step.
 *
 * <p>Waiting is done without the lock: one thread sits in the transport's select, others park until it comes back. A thread
 * that waits says first what for, then looks whether it has come already; a thread that makes it come does so first and
 * then looks who waits ({@link #wakeWaiters}).
 */
public final class RnicAgent implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RnicAgent.class.getName());

    /** With hot tasks the selector is asked only every so many cycles, and earlier when they do much. */
    private static final int SELECT_EVERY = 64;
    /** The same in a cycle that does nothing right behind one that did. */
    private static final int SELECT_IN_A_LULL = 32;
    /** The same in a row of cycles that all do something. */
    private static final int SELECT_LATEST = 128;

    private static final int BUSY_CYCLE = 4;
    /** Looks for input of the only hot task in one cycle: between two of them nothing else is done. */
    private static final int LOOKS_PER_CYCLE = 4;
    /** Cycles without work after which somebody is taken to wait for input, and to have nothing else to do. */
    private static final int IDLE_CYCLES = 2;

    /** Upper bound of one wait, so that a lost wake-up would be a delay and not a hang. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** What comes in smaller pieces than this may be a question that somebody waits to see answered. */
    private static final int BULK_PIECE = 4 * 1024;
    /** So many octets in large pieces and without an event for the program are bulk: spinning for more of it does not pay. */
    private static final long BULK_OCTETS = 256 * 1024;
    /** After so many of them a waiting thread lets more come in before it looks again, like a network card that coalesces. */
    private static final long STREAM_OCTETS = 1024 * 1024;

    private static final long COALESCING_NANOS = TimeUnit.MICROSECONDS.toNanos(40);
    /** Spinning takes this part of its usual time when it has not paid recently. */
    private static final int RELUCTANCE = 8;
    /** A wait of so many times the spinning is none that spinning could have caught, delays of waking included. */
    private static final int LONG_WAIT = 10;

    /** How often an agent that waits for another one looks whether that one waits as well. */
    private static final long REST_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final Duration LONGEST_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

    private final String name;
    private final Transport transport;
    private final NanoClock clock;
    private final long spinNanos;
    private final StagingPool staging = new StagingPool();
    private final Doorbells doorbells = new Doorbells();
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition changed = lock.newCondition();
    private final List<Transport.ReadyHandler> ready = new ArrayList<>();
    private final Transport.ReadySet readySet = ready::add;
    private final HotTasks hotTasks = new HotTasks();
    private final Deadlines<Task> timers = new Deadlines<>();
    private final ConcurrentLinkedQueue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean delivering = new AtomicBoolean();
    private final ConcurrentLinkedQueue<Thread> followers = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean selecting = new AtomicBoolean();
    private final DriverSeat seat = new DriverSeat();
    private final BooleanSupplier programDrives = seat::isTaken;
    private final List<Waiter> otherTouchedWaiters = new ArrayList<>();
    private final List<Task> activeTasks = new ArrayList<>();
    private final DutyCycles cycles;
    private @Nullable Waiter touchedWaiter; // mostly the only one: a list costs more
    private @Nullable DatagramStaging datagramStaging;
    private long quietOctets; // received in large pieces since the last event for the program
    private long lastWaitNanos; // a hint, so whoever drives writes it without more ado
    private volatile @Nullable BooleanSupplier awaitedInSelector;
    private int sinceSelect;
    private int idleCycles; // in a row
    private boolean putOff; // a hot task waits to be polled once more before it does something; a hint
    private boolean sleeping; // a thread sleeps in the selector until the next deadline, or is about to; under the lock
    private volatile boolean eventsPending; // spares a look into the queue
    private volatile boolean resting; // waits in quiesceOthers and uses no memory meanwhile
    private volatile boolean closed;

    /** Somebody waits for what the agent produces, for instance completions. */
    public interface Waiter {
        /**
         * Something was produced since the last call, and what is read from here on was written after that was published: wake
         * threads if any wait. Perhaps under the agent's lock: must not block.
         */
        void wake();
    }

    /** An agent that serves {@code transport}. */
    public RnicAgent(String name, Transport transport, NanoClock clock, long spinNanos, long stallNanos) {
        this.name = name;
        this.transport = transport;
        this.clock = clock;
        this.spinNanos = spinNanos;
        cycles = new DutyCycles(name, stallNanos);
    }

    /** For logs and thread names. */
    public String name() {
        return name;
    }

    /** Under the lock: opens streams and listeners. */
    public Transport transport() {
        return transport;
    }

    /** Under the lock: staging memory shared by the agent's streams. */
    public StagingPool staging() {
        return staging;
    }

    /** Under the lock: memory shared by the agent's datagram ports, which exists once it was asked for. */
    public DatagramStaging datagramStaging() {
        DatagramStaging present = datagramStaging;
        if (present == null) {
            present = new DatagramStaging();
            datagramStaging = present;
        }
        return present;
    }

    /** The time, as timers see it. */
    public long nanoTime() {
        return clock.nanoTime();
    }

    /** Takes the lock, waiting if need be. */
    public void lock() {
        lock.lock();
    }

    /** Wakes who waits for what happened, frees the lock and delivers pending events. */
    public void unlock() {
        Waiter touched = null;
        if (touchedWaiter != null && lock.getHoldCount() == 1) {
            touched = touchedWaiter;
            touchedWaiter = null;
            if (!otherTouchedWaiters.isEmpty()) {
                wakeOthers();
            }
        }
        lock.unlock(); // publishes what was produced before anybody looks who waits for it
        if (touched != null) {
            touched.wake();
        }
        if (eventsPending) {
            deliverEvents();
        }
    }

    private void wakeOthers() {
        VarHandle.fullFence(); // as freeing the lock does
        for (int i = otherTouchedWaiters.size() - 1; i >= 0; i--) {
            otherTouchedWaiters.remove(i).wake();
        }
    }

    /** Under the lock: {@code waiter} is woken when the lock is freed. */
    @SuppressWarnings("ReferenceEquality") // it is about this very one
    public void touch(Waiter waiter) {
        quietOctets = 0;
        if (touchedWaiter == null) {
            touchedWaiter = waiter;
        } else if (touchedWaiter != waiter && !otherTouchedWaiters.contains(waiter)) {
            otherTouchedWaiters.add(waiter);
        }
    }

    /** Runs one duty cycle if nobody else does. @return amount of work done; 0 also when somebody else works */
    public int tryWork() {
        if (closed || lock.hasQueuedThreads() || !lock.tryLock()) {
            return 0;
        }
        int work;
        try {
            work = cycles.isTimed() ? doTimedWork() : doWork();
        } finally {
            unlock();
        }
        return work;
    }

    private int doTimedWork() {
        cycles.begin();
        long begun = clock.nanoTime();
        int work = doWork();
        cycles.end(clock.nanoTime() - begun, work);
        return work;
    }

    /** Under the lock: one duty cycle. @return amount of work done */
    public int doWork() {
        hotTasks.beginCycle();
        cycles.count++;
        int work = runDoorbells();
        if (work == 0 && idleCycles >= IDLE_CYCLES && hotTasks.size() == 1) {
            work = awaitInput();
        } else {
            work += hotTasks.poll();
        }
        sinceSelect += work > 0 ? BUSY_CYCLE : 1;
        int due = selectDue(work > 0);
        if (hotTasks.isEmpty() || hotTasks.isCrowded() || sinceSelect >= due || transport.needsSelect()) {
            sinceSelect = 0;
            work += selectNow();
            work += runTimers();
            stampActivity();
        }
        if (work > 0) {
            cycles.busy++;
            idleCycles = 0;
        } else {
            idleCycles++;
        }
        return work;
    }

    /**
     * Somebody may wait for what was done, and need not wait for another system call. In the cycle after that it is likely
     * to disturb nobody: what was sent takes a while to be answered.
     */
    private int selectDue(boolean worked) {
        if (worked) {
            return SELECT_LATEST;
        }
        return idleCycles == 0 ? SELECT_IN_A_LULL : SELECT_EVERY;
    }

    /** The shorter the way from a look to the next, the sooner a message is seen. @return amount of work done */
    private int awaitInput() {
        int looks = 1;
        int work = hotTasks.poll();
        while (work == 0 && looks < LOOKS_PER_CYCLE && !isWanted()) {
            Thread.onSpinWait(); // a look takes the socket's lock, and the kernel needs it to hand on what comes
            work = hotTasks.poll();
            looks++;
        }
        sinceSelect += looks - 1; // others are asked for as often as without
        return work;
    }

    /** Whether another thread waits for this one to end its cycle. */
    private boolean isWanted() {
        return hasDoorbells() || lock.hasQueuedThreads();
    }

    /** Asks for attention to {@code task}. Any thread, never blocks. */
    public void ring(Task task) {
        if (doorbells.ring(task) && selecting.get()) {
            transport.wakeup();
        }
    }

    /**
     * Work was posted for {@code task}. Any thread, never blocks; does the work itself where threads of the program drive.
     *
     * @param invoker whether nobody else does
     */
    public void posted(Task task, boolean invoker) {
        if (!invoker && !isDrivenByProgram()) {
            ring(task);
            return;
        }
        if (closed || !lock.tryLock()) {
            ring(task);
        } else {
            // without a doorbell, which spares atomic operations; not through guarded: so deep, the JIT inlines no more
            try {
                doorbells.answered++;
                task.onDoorbell();
            } catch (RuntimeException | VirtualMachineError failure) {
                task.endAfter(failure);
            } finally {
                unlock();
            }
            if (selecting.get()) {
                transport.wakeup(); // whoever waits there may wait for what was just done
            }
        }
        tryDoorbells(); // of those who came while the lock was held
    }

    /** True when a doorbell was rung that nobody has seen to. Any thread. */
    public boolean hasDoorbells() {
        return !doorbells.isEmpty();
    }

    private int runDoorbells() {
        return doorbells.visit(RnicAgent::answer);
    }

    private static int answer(Task task) {
        return task.guarded(Task::onDoorbell);
    }

    private static int report(Task task) {
        task.onReady();
        return 1;
    }

    /** Under the lock: {@code task} just had input, so more is likely soon. @return whether it will be polled for it */
    public boolean heat(Task task) {
        return hotTasks.heat(task, selecting.get());
    }

    /** Under the lock: a hot task put something off until it is polled again, or nobody will poll it for a while. */
    public void putOff() {
        putOff = true;
    }

    /** A thread that has driven until now goes its way: nobody may poll for a while. */
    private void makeUp() {
        if (putOff && lock.tryLock()) {
            try {
                putOff = false;
                hotTasks.pause();
            } finally {
                unlock();
            }
        }
    }

    private int selectNow() {
        if (!selecting.compareAndSet(false, true)) {
            return 0; // somebody waits in the selector and will report what is ready
        }
        cycles.selects++;
        try {
            transport.select(0, readySet);
            return dispatch();
        } catch (IOException | IllegalStateException e) {
            selectFailed(e);
            return 0;
        } finally {
            selecting.set(false);
            wakeFollower();
        }
    }

    /** A thread that drives the agent may come to the transport just after another has closed it. */
    private void selectFailed(Exception e) {
        if (closed) {
            return;
        }
        LOG.log(System.Logger.Level.ERROR, "the transport of " + name + " failed", e);
        if (e instanceof IllegalStateException bug) {
            throw bug;
        }
    }

    private int dispatch() {
        int count = ready.size();
        hotTasks.reported(count);
        for (int i = 0; i < count; i++) {
            if (ready.get(i) instanceof Task task) {
                task.guarded(RnicAgent::report);
            }
        }
        ready.clear();
        return count;
    }

    private int runTimers() {
        if (timers.next() == Task.NEVER) {
            return 0;
        }
        long now = clock.nanoTime();
        int work = 0;
        while (timers.next() <= now) {
            Task task = Objects.requireNonNull(timers.first());
            timers.set(task, Task.NEVER);
            try { // not through guarded: a step that knows the time would be an object of its own
                task.onDeadline(now);
            } catch (RuntimeException | VirtualMachineError failure) {
                task.endAfter(failure);
            }
            work++;
        }
        return work;
    }

    /** Under the lock: {@link Task#onDeadline} is called once when the time has come; replaces an earlier deadline. */
    public void setDeadline(Task task, long deadlineNanos) {
        boolean earlier = deadlineNanos < timers.next();
        timers.set(task, deadlineNanos);
        if (earlier && sleeping) {
            transport.wakeup(); // whoever waits counts on a later deadline
        }
    }

    /** Under the lock: the next deadline, or {@link Task#NEVER}. */
    public long nextDeadline() {
        return timers.next();
    }

    /** Under the lock: octets moved for {@code task}. The agent notes the time when it reads the clock next. */
    public void markActive(Task task) {
        if (!task.active) {
            task.active = true;
            activeTasks.add(task);
        }
    }

    private void stampActivity() {
        if (activeTasks.isEmpty()) {
            return;
        }
        long now = clock.nanoTime();
        for (int i = activeTasks.size() - 1; i >= 0; i--) {
            activeTasks.remove(i).movedBefore(now);
        }
    }

    /** Brings {@link Task#lastActiveNanos} up to date if the agent is not just at work. Any thread, never blocks. */
    public void tryStampActivity() {
        if (lock.tryLock()) {
            try {
                stampActivity();
            } finally {
                lock.unlock();
            }
        }
    }

    /** The counters. Any thread. */
    public AgentSnapshot snapshot() {
        return new AgentSnapshot(
                name,
                cycles.count,
                cycles.busy,
                doorbells.answered,
                cycles.selects,
                cycles.waits,
                cycles.stalls,
                cycles.longestNanos,
                staging.leased(),
                staging.octets(),
                timers.size(),
                hotTasks.size());
    }

    /** Under the lock: forgets the task. */
    public void remove(Task task) {
        if (task.active) {
            activeTasks.remove(task);
            task.movedBefore(clock.nanoTime());
        }
        setDeadline(task, Task.NEVER);
        hotTasks.cool(task);
    }

    /** Queues a call into the user's code; it runs after the lock is freed, in order. Any thread. */
    public void deliver(Runnable event) {
        events.add(event);
        eventsPending = true;
    }

    private void deliverEvents() {
        while (eventsPending && !lock.isHeldByCurrentThread() && delivering.compareAndSet(false, true)) {
            try {
                eventsPending = false; // one that comes from here on sets it again
                Runnable event = events.poll();
                while (event != null) {
                    event.run();
                    event = events.poll();
                }
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.ERROR, "an event handler failed", e);
                eventsPending = true; // perhaps others follow
            } finally {
                delivering.set(false);
            }
        }
    }

    /** Under the lock: wakes threads that wait in {@link #await} for a change of state. */
    public void signalChange() {
        changed.signalAll();
        wakeWaiters();
    }

    /** Wakes threads that wait in {@link #await}: what one of them waits for may have come. Any thread. */
    public void wakeWaiters() {
        if (!followers.isEmpty()) { // else the iterator may cost an allocation
            for (Thread follower : followers) {
                LockSupport.unpark(follower);
            }
        }
        BooleanSupplier awaited = awaitedInSelector;
        if (awaited != null && awaited.getAsBoolean()) {
            transport.wakeup(); // what came may not have come through the transport
        }
    }

    /** The selector is free, or the one who was to take it has left: the next one may have to sit there. */
    private void wakeFollower() {
        Thread follower = followers.peek();
        if (follower != null) {
            LockSupport.unpark(follower);
        }
    }

    /** True while the agent's own thread leaves its work to threads of the program that wait and post. Any thread. */
    private boolean isDrivenByProgram() {
        return seat.isAgentAway();
    }

    /** Under the lock: so many octets came at once. */
    public void received(int octets) {
        quietOctets = octets < BULK_PIECE ? 0 : quietOctets + octets;
    }

    /** Sees to rung doorbells if nobody else does anything; again if one rang meanwhile. */
    private void tryDoorbells() {
        while (hasDoorbells() && !closed && lock.tryLock()) {
            try {
                runDoorbells();
            } finally {
                unlock();
            }
        }
    }

    /**
     * Waits for a condition on state that changes under the lock.
     *
     * @param drive whether the waiting thread does the agent's work meanwhile
     * @return false when the time ran out
     */
    public boolean await(BooleanSupplier condition, long timeoutNanos, boolean drive) throws InterruptedException {
        if (drive || seat.isDriver()) {
            return driveUntil(condition, clock.nanoTime(), timeoutNanos);
        }
        return awaitChange(condition, timeoutNanos);
    }

    private boolean awaitChange(BooleanSupplier condition, long timeoutNanos) throws InterruptedException {
        beginDepending();
        lock.lock();
        try {
            long left = timeoutNanos;
            while (!condition.getAsBoolean()) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            unlock();
            endDepending();
        }
    }

    /** This thread is going to wait for what others drive. To be followed by {@link #endDepending}. */
    public void beginDepending() {
        seat.dependent();
    }

    /** This thread waits no longer. */
    public void endDepending() {
        seat.independent();
    }

    /**
     * Waits as {@link #await} and drives meanwhile, in place of the agent's own thread.
     *
     * @return false without having waited when another thread does so already
     */
    public boolean tryDriveUntil(BooleanSupplier condition, long timeoutNanos) throws InterruptedException {
        return tryDriveUntil(condition, clock.nanoTime(), timeoutNanos);
    }

    /** The same for a wait that began at {@code began}, perhaps with another call: the time-out counts from there. */
    public boolean tryDriveUntil(BooleanSupplier condition, long began, long timeoutNanos) throws InterruptedException {
        if (seat.isDriver()) { // inside an event handler
            driveUntil(condition, began, timeoutNanos);
            return true;
        }
        if (!seat.tryTake()) {
            return false;
        }
        if (selecting.get()) {
            transport.wakeup(); // the agent's thread sits there
        }
        try {
            driveUntil(condition, began, timeoutNanos);
        } finally {
            seat.leave();
            tryDoorbells(); // whoever rang counted on the driver
        }
        return true;
    }

    /** Waits as {@link #await} and drives meanwhile; the wait began at {@code began}, perhaps with another call. */
    public boolean driveUntil(BooleanSupplier condition, long began, long timeoutNanos) throws InterruptedException {
        long deadline = saturatedAdd(began, timeoutNanos);
        long busyUntil = began;
        long spinUntil = began + patienceNanos();
        long octetsBefore = 0;
        try {
            while (!condition.getAsBoolean()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                long now = clock.nanoTime();
                if (tryWork() > 0) {
                    lastWaitNanos = now - busyUntil;
                    busyUntil = now;
                    spinUntil = now + patienceNanos();
                } else if (now >= deadline) {
                    return condition.getAsBoolean();
                } else if (now < spinUntil) {
                    Thread.onSpinWait();
                } else if (quietOctets > STREAM_OCTETS && quietOctets != octetsBefore) {
                    octetsBefore = quietOctets; // if nothing comes meanwhile the stream has ended
                    LockSupport.parkNanos(this, COALESCING_NANOS);
                } else {
                    long woken = park(condition, deadline - now);
                    lastWaitNanos = woken - busyUntil;
                    busyUntil = woken;
                }
            }
            return true;
        } finally {
            makeUp();
            if (!selecting.get()) {
                wakeFollower(); // this thread may have been woken to sit in the selector
            }
        }
    }

    /** How long to look for work before sleeping: a short time only where sleeping is cheaper or no later. */
    private long patienceNanos() {
        boolean reluctant = quietOctets > BULK_OCTETS || lastWaitNanos > LONG_WAIT * spinNanos;
        return reluctant ? spinNanos / RELUCTANCE : spinNanos;
    }

    /** Waits without the lock until something is ready, a doorbell rings or the time has passed. @return when that was */
    private long park(BooleanSupplier condition, long timeoutNanos) {
        if (selecting.compareAndSet(false, true)) {
            long woken;
            awaitedInSelector = condition;
            try {
                if (!hasDoorbells() && !condition.getAsBoolean() && !closed) {
                    cycles.selects++;
                    cycles.waits++;
                    transport.select(Math.min(timeoutNanos, prepareToSleep()), readySet);
                }
            } catch (IOException | IllegalStateException e) {
                selectFailed(e);
            } finally {
                awaitedInSelector = null;
                woken = leaveSelector();
            }
            return woken;
        }
        Thread self = Thread.currentThread();
        followers.add(self);
        try {
            if (selecting.get() && !condition.getAsBoolean()) {
                LockSupport.parkNanos(this, Math.min(timeoutNanos, LONGEST_WAIT_NANOS));
            }
        } finally {
            followers.remove(self);
        }
        return clock.nanoTime();
    }

    /** Sees to what is ready, and only then lets another thread in, which would add to it. @return when that began */
    private long leaveSelector() {
        cycles.begin();
        long now = clock.nanoTime();
        lock.lock();
        try {
            sleeping = false; // who sets a deadline from here on need not wake us
            dispatch();
            runTimers();
        } finally {
            selecting.set(false);
            unlock();
        }
        wakeFollower();
        return now;
    }

    /** @return how long to sleep at most */
    private long prepareToSleep() {
        lock.lock();
        try {
            stampActivity();
            if (!hotTasks.watchAll()) {
                return 0; // one has ended, and somebody may wait for that
            }
            sleeping = true;
            if (timers.next() == Task.NEVER) {
                return LONGEST_WAIT_NANOS;
            }
            long now = clock.nanoTime();
            settleDeadlines(now);
            long next = nextDeadline();
            return next == Task.NEVER ? LONGEST_WAIT_NANOS : Math.clamp(next - now, 1, LONGEST_WAIT_NANOS);
        } finally {
            lock.unlock();
        }
    }

    /** Tasks may leave a deadline where it was when it is not needed any more; sleeping until there would be for nothing. */
    private void settleDeadlines(long nowNanos) {
        Task first = timers.first();
        while (first != null) {
            long settled = first.settledDeadline(nowNanos);
            if (settled <= first.deadlineNanos()) {
                return;
            }
            timers.set(first, settled);
            first = timers.first();
        }
    }

    /** The loop of an agent thread: work, spin for a while, then wait in the selector; unless the program drives. */
    public void run() {
        seat.agentBegins();
        cycles.begin();
        long now = clock.nanoTime();
        long busyUntil = now;
        long spinUntil = now + patienceNanos();
        while (!closed) {
            Thread.interrupted(); // a handler may have left it set, and no wait would last
            if (seat.isTaken()) {
                seat.standBack(this::hasDoorbells, () -> closed);
                now = clock.nanoTime();
                cycles.begin();
            }
            long begun = now;
            int work;
            lock.lock();
            try {
                work = doWork();
            } finally {
                unlock();
            }
            now = clock.nanoTime();
            cycles.end(now - begun, work);
            cycles.begin();
            if (work > 0) {
                lastWaitNanos = now - busyUntil;
                busyUntil = now;
                spinUntil = now + patienceNanos();
            } else if (now < spinUntil) {
                Thread.onSpinWait();
            } else {
                now = park(programDrives, Long.MAX_VALUE);
                lastWaitNanos = now - busyUntil;
                busyUntil = now;
            }
        }
    }

    /** Returns after every access to memory that began before has ended. Any thread but one inside a duty cycle. */
    public void quiesce() {
        lock.lock();
        try {
            assert lock.isHeldByCurrentThread();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Under the lock, between two accesses to memory: returns after every access of other agents that began before has ended.
     *
     * <p>Agents may do so at the same time and do not wait for each other then: one that rests uses no memory, and no grant
     * afterwards that it looked up before. Whoever sees it resting has withdrawn his grant before, so it finds none later. As
     * nobody with the lock of one agent waits for that of another, all others come to the end of their cycles by themselves.
     */
    public void quiesceOthers(List<RnicAgent> agents) {
        if (agents.size() == 1) {
            return;
        }
        resting = true;
        try {
            for (RnicAgent agent : agents) {
                if (!agent.equals(this)) {
                    agent.awaitRest();
                }
            }
        } finally {
            resting = false;
        }
    }

    /** Returns when it rests, or its lock was free. Not simply with its lock: if it rests it keeps that, and waits for ours. */
    private void awaitRest() {
        boolean interrupted = false;
        while (!resting) {
            try {
                if (lock.tryLock(
                        REST_NANOS, TimeUnit.NANOSECONDS)) { // in the order of asking, so the next end of a cycle does
                    lock.unlock();
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true; // of a thread of the program that drives: no concern of this wait
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** True for the thread that is inside a duty cycle or control operation. */
    public boolean isHeldByCurrentThread() {
        return lock.isHeldByCurrentThread();
    }

    /** Wakes everybody up and ends {@link #run}; the caller closed all tasks before. */
    @Override
    public void close() {
        closed = true;
        transport.wakeup();
        seat.wakeAgent();
        lock.lock();
        try {
            signalChange();
        } finally {
            unlock();
        }
    }

    /** A time-out in nanoseconds; what is longer than 292 years is for ever. */
    public static long nanos(Duration timeout) {
        return timeout.compareTo(LONGEST_TIMEOUT) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
    }

    private static long saturatedAdd(long now, long duration) {
        long sum = now + duration;
        return sum < now && duration > 0 ? Long.MAX_VALUE : sum;
    }
}
