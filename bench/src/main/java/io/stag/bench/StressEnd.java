package io.stag.bench;

import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.MemoryWindow;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection under stress: memory, a queue pair, and a thread that keeps it busy while others pull
 * everything away from under it.
 */
final class StressEnd {
    static final int MEMORY = 256 * 1024;

    private static final Set<Access> LOCAL = EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE);
    private static final int DEPTH = 32;
    private static final int RECEIVES = 16;
    private static final int MAX_INLINE = 64;
    private static final int REFUSALS = 20;
    private static final int KEYS = 256;
    private static final int USUAL_LENGTH = 20_000;

    final StressNode node;

    /** Memory of the peer's Writes, Reads and atomics. */
    final Arena exposedArena = Arena.ofShared();

    final MemoryRegion exposed;

    /** Where own requests take their payload and put their results. */
    final Arena localArena = Arena.ofShared();

    final MemoryRegion local;
    final CompletionQueue completionQueue;
    final QueuePair queuePair;
    private final MemoryWindow window;
    private final MemoryRegion fast;
    volatile @Nullable Connection connection;
    volatile @Nullable StressEnd peer;

    private final AtomicInteger receivesForPeer = new AtomicInteger();
    private final AtomicInteger receivesToPost = new AtomicInteger(RECEIVES);
    private final AtomicLong sendsPosted = new AtomicLong();
    private final AtomicLong sendsCompleted = new AtomicLong();
    private final AtomicLong posted = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();
    private volatile boolean destroyed;

    // the working thread's
    private boolean windowBound;
    private int windowStag;
    private boolean fastRegistered;
    private int fastStag;

    StressEnd(StressNode node, SplittableRandom random) {
        this.node = node;
        exposed = expose(random);
        local = node.node.domain.register(localArena.allocate(MEMORY, Long.BYTES), LOCAL);
        window = node.node.domain.allocateWindow();
        fast = node.node.domain.allocateStag(false);
        completionQueue = node.completionQueue(DEPTH + RECEIVES);
        queuePair = node.node.domain.createQueuePair(QueuePairConfig.builder(completionQueue)
                .sendDepth(DEPTH)
                .receiveDepth(RECEIVES)
                .maxInline(MAX_INLINE)
                .build());
        node.add(this);
    }

    private MemoryRegion expose(SplittableRandom random) {
        Set<Access> rights = exposedRights();
        return random.nextInt(3) == 0
                ? node.node.domain.allocate(MEMORY, rights)
                : node.node.domain.register(exposedArena.allocate(MEMORY, Long.BYTES), rights);
    }

    static Set<Access> exposedRights() {
        return EnumSet.of(
                Access.LOCAL_READ,
                Access.LOCAL_WRITE,
                Access.REMOTE_READ,
                Access.REMOTE_WRITE,
                Access.REMOTE_ATOMIC,
                Access.WINDOW_BIND,
                Access.REMOTE_INVALIDATE);
    }

    /** Posts and polls until the round is over or everything is refused. */
    void work(SplittableRandom random, BooleanSupplier over) {
        var completions = WorkCompletions.ofCapacity(1 + random.nextInt(DEPTH));
        SendRequests sends = queuePair.newSendRequests();
        ReceiveRequests receives = queuePair.newReceiveRequests();
        int refusals = 0;
        while (!over.getAsBoolean() && refusals < REFUSALS) {
            boolean[] allowed = {true};
            allowed[0] &= attempt("posting receives", () -> postReceives(receives));
            allowed[0] &= attempt("posting", () -> post(sends, random));
            allowed[0] &= attempt("polling", () -> reap(completions, random));
            if (!allowed[0]) {
                refusals++;
                Thread.interrupted(); // somebody may have interrupted us, and a wait refuses to go on then
            }
        }
    }

    private boolean attempt(String what, Failures.Call call) {
        return node.failures.attempt(what, call);
    }

    private void postReceives(ReceiveRequests receives) {
        int wanted = receivesToPost.getAndSet(0);
        for (int i = 0; i < wanted; i++) {
            receives.receive(i).into(local, 0, MEMORY);
        }
        int taken = wanted == 0 ? 0 : receives.post();
        posted.addAndGet(taken);
        receivesForPeer.addAndGet(taken);
    }

    private void post(SendRequests sends, SplittableRandom random) {
        // a slot of the send queue is free before its completion was polled, and the completion queue must hold both
        int room = DEPTH - Math.toIntExact(sendsPosted.get() - sendsCompleted.get());
        int count = Math.min(room, 1 + random.nextInt(8));
        for (int i = 0; i < count; i++) {
            request(sends, random);
        }
        int taken = sends.post();
        sendsPosted.addAndGet(taken);
        posted.addAndGet(taken);
    }

    private void request(SendRequests sends, SplittableRandom random) {
        StressEnd target = peer;
        if (target == null) {
            throw new IllegalStateException("no peer yet");
        }
        long length = 1 + random.nextLong(random.nextInt(10) == 0 ? MEMORY : USUAL_LENGTH);
        long from = random.nextLong(MEMORY - length + 1);
        long to = random.nextLong(MEMORY - length + 1);
        int stag = target.exposed.stag();
        switch (random.nextInt(11)) {
            case 0, 1 -> sends.write(1, stag, to).from(local, from, length);
            case 2, 3 -> sends.read(2, stag, to).into(local, from, length);
            case 4 -> sends.fetchAdd(3, stag, to & -Long.BYTES, 1).into(local, from & -Long.BYTES, Long.BYTES);
            case 5 -> sends.compareSwap(4, stag, to & -Long.BYTES, 0, 1).into(local, from & -Long.BYTES, Long.BYTES);
            case 6 -> inlineWrite(sends, stag, to, (int) from & ~MAX_INLINE);
            case 7 -> {
                if (target.takeReceive()) {
                    sends.send(5).from(local, from, length).solicited();
                }
            }
            case 8 -> toggleWindow(sends, random);
            case 9 -> toggleFastRegistration(sends, random);
            default -> {
                if (target.takeReceive()) {
                    sends.writeImmediate(6, stag, to, length).from(local, from, length);
                }
            }
        }
    }

    private void inlineWrite(SendRequests sends, int stag, long to, int from) {
        MemorySegment payload = local.segment().asSlice(from & MEMORY - 1 - MAX_INLINE, MAX_INLINE);
        sends.write(7, stag, Math.min(to, MEMORY - MAX_INLINE)).inline(payload);
    }

    /** Binds the window or takes the binding back. In order, so it is known which is right. */
    private void toggleWindow(SendRequests sends, SplittableRandom random) {
        if (windowBound) {
            windowBound = false;
            sends.invalidate(8, windowStag);
        } else {
            windowBound = true;
            int key = random.nextInt(KEYS);
            windowStag = (window.stag() & -KEYS) | key;
            sends.bindWindow(9, window, key, exposed, 0, MEMORY / 2, EnumSet.of(Access.REMOTE_WRITE));
        }
    }

    private void toggleFastRegistration(SendRequests sends, SplittableRandom random) {
        if (fastRegistered) {
            fastRegistered = false;
            sends.invalidate(10, fastStag);
        } else {
            fastRegistered = true;
            int key = random.nextInt(KEYS);
            fastStag = (fast.stag() & -KEYS) | key;
            sends.fastRegister(11, fast, key, local.segment(), LOCAL);
        }
    }

    private boolean takeReceive() {
        if (receivesForPeer.decrementAndGet() >= 0) {
            return true;
        }
        receivesForPeer.incrementAndGet();
        return false;
    }

    private void reap(WorkCompletions completions, SplittableRandom random) {
        int count = switch (random.nextInt(4)) {
            case 0 -> completionQueue.await(completions, Duration.ofMillis(20));
            case 1 -> completionQueue.await(completions, Duration.ofNanos(50_000));
            default -> completionQueue.poll(completions);
        };
        if (count > 0) {
            node.distribute(completions);
        }
    }

    /** One of our requests is done; any thread. */
    void completed(boolean receive, boolean success) {
        completed.incrementAndGet();
        if (!receive) {
            sendsCompleted.incrementAndGet();
        } else if (success) {
            receivesToPost.incrementAndGet();
        }
    }

    /** Requests completed, in error or not. */
    long completions() {
        return completed.get();
    }

    /** Destroys the queue pair; from then on no completion is owed. */
    void destroy() {
        destroyed = true;
        queuePair.close();
    }

    /** Ends the connection by force. Everything posted must then complete or be flushed, unless it was destroyed. */
    void settle(long deadline) {
        if (isDestroyed()) {
            return;
        }
        attempt("the last abort", () -> {
            Connection last = connection;
            if (last != null) {
                last.abort();
            }
            if (queuePair.state() == QueuePairState.IDLE) {
                queuePair.modify(QueuePairState.ERROR);
            }
        });
        var completions = WorkCompletions.ofCapacity(DEPTH);
        while (completed.get() < posted.get() && System.nanoTime() - deadline < 0 && !isDestroyed()) {
            try {
                completionQueue.await(completions, Duration.ofMillis(10));
                node.distribute(completions);
            } catch (VerbsException e) {
                if (!isDestroyed()) {
                    node.failures.add("no completions to be had from queue pair in state " + queuePair.state(), e);
                }
                return;
            }
        }
        if (completed.get() != posted.get() && !isDestroyed()) {
            node.failures.add(posted.get() + " requests were posted, " + completed.get()
                    + " completed; queue pair in state " + queuePair.state() + ", cause " + queuePair.firstCause()
                    + ", " + queuePair.snapshot());
        }
    }

    private boolean isDestroyed() {
        return destroyed || node.isGone();
    }

    /** Gives the memory back, if nobody has yet. */
    void free() {
        close(exposedArena);
        close(localArena);
    }

    /** Closes an arena. A native call that uses it may hold it for a moment. */
    static void close(Arena arena) {
        while (arena.scope().isAlive()) {
            try {
                arena.close();
            } catch (IllegalStateException _) {
                Thread.onSpinWait(); // in use by a system call, or closed by somebody else just now
            }
        }
    }
}
