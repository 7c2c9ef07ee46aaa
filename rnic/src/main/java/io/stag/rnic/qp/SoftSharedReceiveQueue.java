package io.stag.rnic.qp;

import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SharedReceiveQueue;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A receive queue shared by queue pairs of one domain. */
public final class SoftSharedReceiveQueue implements SharedReceiveQueue, PostingTarget {
    private final SoftProtectionDomain domain;
    private final ReceiveQueue queue;
    private final int maxSegments;
    private final AtomicInteger users = new AtomicInteger();
    private final List<Runnable> waiting = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    SoftSharedReceiveQueue(SoftProtectionDomain domain, int capacity, int maxSegments) {
        this.domain = domain;
        this.maxSegments = maxSegments;
        queue = new ReceiveQueue(capacity, true);
    }

    ReceiveQueue queue() {
        return queue;
    }

    void attach() {
        checkPosting();
        users.incrementAndGet();
    }

    void detach() {
        users.decrementAndGet();
    }

    /** Calls {@code action} whenever receives were posted. */
    void onPosted(Runnable action) {
        waiting.add(action);
    }

    /** Undoes {@link #onPosted}. */
    void offPosted(Runnable action) {
        waiting.remove(action);
    }

    /** What a queue pair raises whose message went below the limit. */
    AsyncEvent limitReached() {
        return new AsyncEvent.ReceiveLimitReached(
                this,
                ErrorDetail.of(Layer.VERBS, "RDMA verbs §6.3", available() + " receives are left in the shared queue"));
    }

    @Override
    public int capacity() {
        return queue.depth();
    }

    @Override
    public int available() {
        return queue.size();
    }

    @Override
    public ReceiveRequests newReceiveRequests() {
        return new ReceiveList(queue, this);
    }

    @Override
    public void armLimit(int limit) {
        if (limit < 0 || limit > queue.depth()) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "limit " + limit + " is outside 0 to " + queue.depth());
        }
        queue.armLimit(limit);
    }

    @Override
    public int domain() {
        return domain.id();
    }

    @Override
    public int maxSegments() {
        return maxSegments;
    }

    @Override
    public int maxInline() {
        return 0;
    }

    @Override
    public void checkPosting() {
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "the shared receive queue is closed");
        }
    }

    @Override
    public void ringDoorbell() {
        if (!waiting.isEmpty()) { // most queue pairs look at receives only when a message comes
            waiting.forEach(Runnable::run);
        }
    }

    @Override
    public void close() {
        if (users.get() > 0) {
            throw new VerbsException(
                    VerbsError.IN_USE, users.get() + " queue pairs still use the shared receive queue");
        }
        if (!closed) {
            closed = true;
            domain.closed(this);
        }
    }
}
