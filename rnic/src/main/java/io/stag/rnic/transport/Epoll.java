package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedSelectorException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Watches descriptors, level-triggered. One thread at a time waits; others may meanwhile add, change and remove what is
 * watched, which takes effect at once, and wake it.
 *
 * <p>An event carries the number of its watch, not only the descriptor: an event that was already reported when its
 * descriptor was closed, and perhaps given to a new socket, finds no handler.
 */
final class Epoll {
    static final int IN = 0x001;
    static final int OUT = 0x004;

    private static final int EDGE_TRIGGERED = 1 << 31;
    private static final int EVENTS_PER_WAIT = 256; // what is left over comes first the next time
    private static final long WAKEUP = -1;

    // struct epoll_event is packed on x86-64 only
    private static final boolean PACKED = "amd64".equals(System.getProperty("os.arch"));
    private static final int DATA = PACKED ? 4 : 8;
    private static final int EVENT_LENGTH = PACKED ? 12 : 16;

    /** Who is called for a descriptor, and what for. */
    static final class Watch {
        private final long key;
        private final Transport.ReadyHandler handler;
        private int interest;
        private boolean polled; // somebody looks for input all the time

        private Watch(long key, int interest, Transport.ReadyHandler handler) {
            this.key = key;
            this.interest = interest;
            this.handler = handler;
        }

        private int descriptor() {
            return (int) key;
        }

        /** To be told of input costs the sender of each octet or datagram on this machine a fifth of a microsecond. */
        private boolean isWatched() {
            return !polled || effective() != 0;
        }

        private int effective() {
            return polled ? interest & ~IN : interest;
        }
    }

    private final int epoll;
    private final int eventfd;

    // the waiting thread's
    private final ReentrantLock waiting = new ReentrantLock();
    private final MemorySegment events = Arena.ofAuto().allocate((long) EVENTS_PER_WAIT * EVENT_LENGTH, Long.BYTES);
    private final MemorySegment waitState = Libc.newState();
    private final InterruptHook interruptHook = new InterruptHook(this::wakeup);
    private final BlockingWaiter waiter = new BlockingWaiter(this::waitForEvents);

    // of those who change what is watched
    private final Object changing = new Object();
    private final MemorySegment event = Arena.ofAuto().allocate(EVENT_LENGTH, Long.BYTES);
    private final MemorySegment changeState = Libc.newState();
    private int lastWatch;
    private volatile AtomicReferenceArray<@Nullable Watch> watches = new AtomicReferenceArray<>(64); // by descriptor

    private final AtomicBoolean wakeupPending = new AtomicBoolean();
    private volatile boolean closed;

    Epoll() throws IOException {
        epoll = Errno.check("epoll_create1", Libc.epollCreate(changeState));
        int result = Libc.eventfd(changeState);
        eventfd = result;
        if (result >= 0) {
            // edge-triggered: reported once per write, and needs no read to be silent again
            result = control(Libc.EPOLL_CTL_ADD, eventfd, IN | EDGE_TRIGGERED, WAKEUP);
        }
        if (result < 0) {
            if (eventfd >= 0) {
                Libc.close(changeState, eventfd);
            }
            Libc.close(changeState, epoll);
            throw Errno.failure("eventfd", result);
        }
    }

    private int control(int operation, int descriptor, int interest, long key) {
        event.set(JAVA_INT_UNALIGNED, 0, interest);
        event.set(JAVA_LONG_UNALIGNED, DATA, key);
        int result = Libc.epollCtl(epoll, operation, descriptor, event);
        return result < 0 ? Libc.epollCtl(changeState, epoll, operation, descriptor, event) : result; // and why
    }

    // watching; any thread

    Watch add(int descriptor, int interest, Transport.ReadyHandler handler) throws IOException {
        synchronized (changing) {
            if (closed) {
                throw new ClosedSelectorException();
            }
            Watch watch = new Watch((long) ++lastWatch << Integer.SIZE | descriptor, interest, handler);
            AtomicReferenceArray<@Nullable Watch> table = tableFor(descriptor);
            table.set(descriptor, watch);
            int result = control(Libc.EPOLL_CTL_ADD, descriptor, interest, watch.key);
            if (result < 0) {
                table.set(descriptor, null);
                throw Errno.failure("epoll_ctl", result);
            }
            return watch;
        }
    }

    private AtomicReferenceArray<@Nullable Watch> tableFor(int descriptor) {
        AtomicReferenceArray<@Nullable Watch> table = watches;
        if (descriptor >= table.length()) {
            AtomicReferenceArray<@Nullable Watch> larger =
                    new AtomicReferenceArray<>(Math.max(2 * table.length(), descriptor + 1));
            for (int i = 0; i < table.length(); i++) {
                larger.set(i, table.get(i));
            }
            watches = larger;
            table = larger;
        }
        return table;
    }

    /** The descriptor must still be open, and the same. */
    void change(Watch watch, int interest) {
        synchronized (changing) {
            update(watch, interest, watch.polled);
        }
    }

    /** Whether input need not be reported, since somebody looks for it anyway. The descriptor must still be open. */
    void polled(Watch watch, boolean polled) {
        synchronized (changing) {
            update(watch, watch.interest, polled);
        }
    }

    private void update(Watch watch, int interest, boolean polled) {
        if (closed) {
            return;
        }
        boolean before = watch.isWatched();
        watch.interest = interest;
        watch.polled = polled;
        int result = 0;
        if (watch.isWatched()) {
            int operation = before ? Libc.EPOLL_CTL_MOD : Libc.EPOLL_CTL_ADD;
            result = control(operation, watch.descriptor(), watch.effective(), watch.key);
        } else if (before) {
            result = control(Libc.EPOLL_CTL_DEL, watch.descriptor(), 0, 0);
        }
        if (result < 0) {
            throw new IllegalStateException("epoll_ctl: " + Libc.text(-result));
        }
    }

    /** The descriptor must still be open, and the same. */
    void remove(Watch watch) {
        synchronized (changing) {
            watches.compareAndSet(watch.descriptor(), watch, null);
            if (!closed) {
                control(Libc.EPOLL_CTL_DEL, watch.descriptor(), 0, 0);
            }
        }
    }

    // waiting; one thread at a time

    /**
     * Reports what is ready.
     *
     * @param timeoutMillis 0 does not wait, a negative one waits without limit; a signal may end a wait early
     */
    void select(int timeoutMillis, Transport.ReadySet ready) throws IOException {
        waiting.lock(); // only close() ever competes
        try {
            if (closed) {
                throw new ClosedSelectorException();
            }
            int count = timeoutMillis == 0 ? waitForEvents(0) : waitLong(timeoutMillis);
            if (count == -Errno.EINTR) {
                return;
            }
            Errno.check("epoll_wait", count);
            for (int i = 0; i < count; i++) {
                report(events.get(JAVA_LONG_UNALIGNED, (long) i * EVENT_LENGTH + DATA), ready);
            }
        } finally {
            waiting.unlock();
        }
    }

    private int waitForEvents(int timeoutMillis) {
        int count = Libc.epollWait(epoll, events, EVENTS_PER_WAIT, timeoutMillis);
        return count < 0 ? Libc.epollWait(waitState, epoll, events, EVENTS_PER_WAIT, 0) : count; // and why
    }

    private int waitLong(int timeoutMillis) {
        interruptHook.enter();
        try {
            return Thread.currentThread().isVirtual() ? waiter.call(timeoutMillis) : waitForEvents(timeoutMillis);
        } finally {
            interruptHook.leave();
        }
    }

    private void report(long key, Transport.ReadySet ready) {
        if (key == WAKEUP) {
            wakeupPending.set(false); // one that comes before this line asked for the return that follows
            return;
        }
        Watch watch = watches.get((int) key);
        if (watch != null && watch.key == key) {
            ready.add(watch.handler);
        }
    }

    /** Ends a present or the next waiting {@link #select}. Any thread. */
    void wakeup() {
        if (wakeupPending.compareAndSet(false, true)) {
            synchronized (changing) {
                if (!closed && Libc.eventfdWrite(eventfd) < 0) {
                    throw new IllegalStateException("eventfd_write failed");
                }
            }
        }
    }

    /** Whether a wake-up was asked for that {@link #select} has not seen. Any thread. */
    boolean isWakeupPending() {
        return wakeupPending.get();
    }

    /** Waits until nobody is in {@link #select}. Any thread. */
    void close() {
        synchronized (changing) {
            if (closed) {
                return;
            }
            closed = true; // from here on nobody but a waiting thread uses the descriptors
            Libc.eventfdWrite(eventfd);
        }
        waiting.lock();
        try {
            waiter.close();
            synchronized (changing) {
                Libc.close(changeState, eventfd);
                Libc.close(changeState, epoll);
            }
        } finally {
            waiting.unlock();
        }
    }
}
