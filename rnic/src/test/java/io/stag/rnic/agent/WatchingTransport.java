package io.stag.rnic.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Reports tasks that are watched and have input, and nothing else. Whoever waits in it comes back for that alone. */
final class WatchingTransport extends StreamlessTransport {
    private final List<InputTask> tasks = new ArrayList<>();
    private boolean wakeup;

    /** A permit for every time that a thread begins to wait. */
    final Semaphore waits = new Semaphore(0);

    /** A task whose input the test makes. */
    final class InputTask extends Task {
        private final RnicAgent agent;
        private boolean watched = true;
        private int waiting;
        private int taken;
        private int looks;
        private Runnable onLook = () -> {};
        private final boolean endless;
        private boolean unwatchable;
        private @Nullable Throwable end;

        /** With input that never ends, or as much as {@link #arrive} brings. */
        InputTask(RnicAgent agent, boolean endless) {
            this.agent = agent;
            this.endless = endless;
            synchronized (WatchingTransport.this) {
                tasks.add(this);
            }
        }

        void arrive() {
            synchronized (WatchingTransport.this) {
                waiting++;
                WatchingTransport.this.notifyAll();
            }
        }

        int taken() {
            synchronized (WatchingTransport.this) {
                return taken;
            }
        }

        /** How often somebody looked for input. */
        int looks() {
            synchronized (WatchingTransport.this) {
                return looks;
            }
        }

        /** Something happens while somebody looks for input. */
        void onLook(Runnable event) {
            onLook = event;
        }

        boolean isWatched() {
            synchronized (WatchingTransport.this) {
                return watched;
            }
        }

        /** From now on the system has no memory left to watch it. */
        void makeUnwatchable() {
            synchronized (WatchingTransport.this) {
                unwatchable = true;
            }
        }

        @Nullable
        Throwable end() {
            synchronized (WatchingTransport.this) {
                return end;
            }
        }

        private boolean isReady() {
            return watched && (endless || waiting > 0);
        }

        @Override
        public int onPoll() {
            onLook.run();
            synchronized (WatchingTransport.this) {
                looks++;
                if (!endless && waiting == 0) {
                    return 0;
                }
                waiting = 0;
                taken++;
            }
            agent.heat(this);
            agent.signalChange();
            return 1;
        }

        @Override
        public void onReady() {
            onPoll();
        }

        @Override
        public void inputIsPolled(boolean polled) {
            synchronized (WatchingTransport.this) {
                if (!polled && unwatchable) {
                    throw new IllegalStateException("epoll_ctl: no memory");
                }
                watched = !polled;
                WatchingTransport.this.notifyAll();
            }
        }

        @Override
        public int onDoorbell() {
            return 0;
        }

        @Override
        public void onDeadline(long nowNanos) {}

        @Override
        public void onFailure(Throwable failure) {
            synchronized (WatchingTransport.this) {
                end = failure;
            }
            agent.remove(this);
            agent.signalChange();
        }
    }

    @Override
    public synchronized void select(long timeoutNanos, ReadySet ready) {
        if (timeoutNanos != 0) {
            waits.release();
            try {
                while (!wakeup && tasks.stream().noneMatch(InputTask::isReady)) {
                    wait();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        wakeup = false;
        tasks.stream().filter(InputTask::isReady).forEach(ready::add);
    }

    @Override
    public synchronized void wakeup() {
        wakeup = true;
        notifyAll();
    }
}
