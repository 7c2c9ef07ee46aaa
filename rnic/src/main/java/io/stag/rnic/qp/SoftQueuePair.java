package io.stag.rnic.qp;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.flight.FlightEvents;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.rdmap.RdmaStream;
import io.stag.rnic.rdmap.StreamCounters;
import io.stag.rnic.rdmap.StreamFailure;
import io.stag.rnic.rdmap.StreamOwner;
import io.stag.rnic.rdmap.StreamSettings;
import io.stag.rnic.work.CompletionOwner;
import io.stag.rnic.work.PostingTarget;
import io.stag.rnic.work.ReceiveList;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ReceiveWork;
import io.stag.rnic.work.SendList;
import io.stag.rnic.work.SendQueue;
import io.stag.rnic.work.SendWork;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.Operation;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairSnapshot;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.ReceiveRequests;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.wire.rdmap.TerminateCode;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair: its queues, its state (RDMA verbs, section 6.2) and its completions. The stream below reports what
 * happens; the link above is the connection that carries it. State changes only under the agent's lock.
 */
public final class SoftQueuePair implements QueuePair, StreamOwner, CompletionOwner, PostingTarget {
    private static final ErrorDetail CLOSED_IN_ORDER =
            ErrorDetail.of(Layer.VERBS, "RDMA verbs §6.2.5", "the connection was closed in order");

    private final SoftProtectionDomain domain;
    private final int id;
    private final QueuePairConfig config;
    private final RnicAgent agent;
    private final boolean invoker;
    private final StagTable stags;
    private final Consumer<AsyncEvent> events;
    private final UsedQueues used;
    private final SoftCompletionQueue sendCompletions;
    private final SoftCompletionQueue receiveCompletions;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final @Nullable SoftSharedReceiveQueue shared;
    private final StreamCounters counters = new StreamCounters();
    private final AtomicInteger inProgress = new AtomicInteger();
    private volatile QueuePairState state = QueuePairState.IDLE;
    private volatile boolean closingSoon;
    private volatile boolean closed;
    private volatile @Nullable ErrorDetail firstCause;
    private volatile @Nullable QueuePairLink link;
    private @Nullable RdmaStream stream;

    /** A queue pair in state Idle. */
    public SoftQueuePair(
            SoftProtectionDomain domain,
            int id,
            QueuePairConfig config,
            RnicAgent agent,
            boolean invoker,
            StagTable stags,
            Consumer<AsyncEvent> events) {
        this.domain = domain;
        this.id = id;
        this.config = config;
        this.agent = agent;
        this.invoker = invoker;
        this.stags = stags;
        this.events = events;
        used = UsedQueues.of(
                config.sendCompletionQueue(), config.receiveCompletionQueue(), config.sharedReceiveQueue());
        sendCompletions = used.sends();
        receiveCompletions = used.receives();
        sends = new SendQueue(config.sendDepth());
        shared = used.shared();
        receives = shared != null ? shared.queue() : new ReceiveQueue(config.receiveDepth(), false);
        used.attach(agent);
    }

    // what programs call

    @Override
    public int id() {
        return id;
    }

    @Override
    public QueuePairState state() {
        return state;
    }

    @Override
    public QueuePairConfig config() {
        return config;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public SendRequests newSendRequests() {
        return new SendList(sends, this);
    }

    @Override
    public ReceiveRequests newReceiveRequests() {
        if (shared != null) {
            throw new VerbsException(
                    VerbsError.INVALID_STATE,
                    "the queue pair takes its receives from a shared receive queue; post there");
        }
        return new ReceiveList(receives, this);
    }

    @Override
    public Optional<ErrorDetail> firstCause() {
        return Optional.ofNullable(firstCause);
    }

    @Override
    public QueuePairSnapshot snapshot() {
        return new QueuePairSnapshot(id, state, sends.size(), receives.size(), counters.snapshot());
    }

    @Override
    public void modify(QueuePairState target) {
        agent.lock();
        try {
            checkNotClosed();
            switch (state) {
                case IDLE -> {
                    switch (target) {
                        case IDLE -> {}
                        case ERROR -> {
                            cause(ErrorDetail.of(Layer.VERBS, "RDMA verbs §6.2.1", "set to ERROR by the program"));
                            QueuePairLink attempt = link;
                            if (attempt != null) {
                                attempt.reset(ErrorDetail.of(
                                        Layer.VERBS, "RDMA verbs §6.2.1", "the queue pair was set to ERROR"));
                            }
                            become(QueuePairState.ERROR);
                            flush();
                        }
                        case RTS, CLOSING, TERMINATE -> throw noTransition(target);
                    }
                }
                case RTS -> modifyConnected(target);
                case ERROR -> {
                    switch (target) {
                        case IDLE -> {
                            firstCause = null;
                            closingSoon = false;
                            become(QueuePairState.IDLE);
                        }
                        case ERROR -> {}
                        case RTS, CLOSING, TERMINATE -> throw noTransition(target);
                    }
                }
                case CLOSING, TERMINATE -> throw noTransition(target);
            }
        } finally {
            agent.unlock();
        }
    }

    private void modifyConnected(QueuePairState target) {
        QueuePairLink current = linked();
        RdmaStream active = attached();
        switch (target) {
            case RTS -> {}
            case CLOSING -> {
                if (active.isQuiet()) {
                    beginClosing();
                    current.streamFinishing();
                } else {
                    current.reset(ErrorDetail.of(
                            Layer.VERBS, "RDMA verbs §6.2.5", "closed with requests outstanding; disconnect() waits"));
                }
            }
            case TERMINATE ->
                active.terminate(
                        TerminateCode.RDMAP_LOCAL_CATASTROPHIC,
                        Layer.VERBS,
                        "RDMA verbs §6.2.2",
                        "terminated by the program",
                        StreamFailure.Origin.LOCAL);
            case ERROR ->
                current.reset(ErrorDetail.of(Layer.VERBS, "RDMA verbs §6.2.2", "set to ERROR by the program"));
            case IDLE -> throw noTransition(target);
        }
    }

    private VerbsException noTransition(QueuePairState target) {
        return new VerbsException(
                VerbsError.INVALID_STATE, "a queue pair cannot go from " + state + " to " + target + " on request");
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        agent.lock();
        try {
            int windows = stags.windowsBoundTo(id);
            if (windows > 0) {
                throw new VerbsException(VerbsError.IN_USE, windows + " memory windows are bound to the queue pair");
            }
            destroy();
        } finally {
            agent.unlock();
        }
        domain.closed(this);
    }

    /** Under the agent's lock: ends without completions. */
    void destroy() {
        if (closed) {
            return;
        }
        closed = true;
        QueuePairLink current = link;
        if (current != null) {
            current.reset(ErrorDetail.of(Layer.VERBS, "RDMA verbs §6.1.4", "the queue pair was closed"));
        }
        become(QueuePairState.ERROR);
        used.detach();
    }

    /** Closes even while windows are bound: the RNIC goes away. */
    void forceClose() {
        agent.lock();
        try {
            destroy();
        } finally {
            agent.unlock();
        }
        domain.closed(this);
    }

    // posting

    @Override
    public int domain() {
        return domain.id();
    }

    @Override
    public int maxSegments() {
        return config.maxSegments();
    }

    @Override
    public int maxInline() {
        return config.maxInline();
    }

    @Override
    public boolean allowsWindowBind() {
        return config.allowWindowBind();
    }

    @Override
    public boolean allowsFastRegister() {
        return config.allowFastRegister();
    }

    @Override
    public void checkPosting() {
        checkNotClosed();
        QueuePairState now = state;
        if ((now != QueuePairState.IDLE && now != QueuePairState.RTS) || closingSoon) {
            ErrorDetail cause = firstCause;
            throw new VerbsException(
                    VerbsError.INVALID_STATE,
                    "the queue pair is " + (closingSoon && now == QueuePairState.RTS ? "about to close" : now)
                            + " and takes no requests" + (cause == null ? "" : "; first cause: " + cause));
        }
    }

    private void checkNotClosed() {
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "the queue pair is closed");
        }
    }

    @Override
    public void ringDoorbell() {
        QueuePairLink current = link;
        if (current != null) {
            agent.posted(current.task(), invoker);
        } else if (state != QueuePairState.IDLE) { // the connection ended between the check and the posting
            agent.lock();
            try {
                flushLatecomers();
            } finally {
                agent.unlock();
            }
        }
    }

    /**
     * A message finds its receive by itself. Only those that came too late to be flushed need somebody: the state changes
     * before the queue is emptied, so whoever appends after that sees the new one.
     */
    @Override
    public void receivesPosted() {
        QueuePairState now = state;
        if (now != QueuePairState.IDLE && now != QueuePairState.RTS) {
            ringDoorbell();
        }
    }

    // the connection above; under the agent's lock

    /** Stream octets came in. */
    public void countReceived(int octets) {
        counters.octetsReceived += octets;
    }

    /** The transport took less than there was. */
    public void countSendStall() {
        counters.sendStalls++;
    }

    /** What the queue pair has done. */
    public StreamCounters counters() {
        return counters;
    }

    /** The agent that the queue pair belongs to for life. */
    public RnicAgent agent() {
        return agent;
    }

    /** Throws when the queue pair cannot be connected now. Any thread; {@link #link} looks again. */
    public void checkConnectable() {
        checkNotClosed();
        if (state != QueuePairState.IDLE || link != null) {
            throw new VerbsException(
                    VerbsError.INVALID_STATE,
                    link != null
                            ? "the queue pair is already connected or connecting"
                            : "the queue pair is " + state + "; only an IDLE one can be connected");
        }
    }

    /** Reserves the queue pair for a connection attempt. */
    public void link(QueuePairLink newLink) {
        checkConnectable();
        link = newLink;
    }

    /** The attempt failed: the queue pair is free again, requests stay. */
    public void unlink() {
        link = null;
        stream = null;
    }

    /** Idle to RTS: starts a stream in its initial state. */
    public RdmaStream start(StreamSettings settings) {
        closingSoon = false;
        firstCause = null;
        RdmaStream started = new RdmaStream(settings, sends, receives, stags, domain.id(), id, this, counters);
        stream = started;
        become(QueuePairState.RTS);
        return started;
    }

    /** An orderly close was asked for: nothing may be posted any more. */
    public void announceClosing() {
        closingSoon = true;
    }

    /** RTS to Closing: receives are flushed, nothing more is processed. */
    public void beginClosing() {
        become(QueuePairState.CLOSING);
        attached().finish();
        flush();
    }

    /** The stream below is closed in order by both sides. */
    public void streamClosed() {
        ErrorDetail why = firstCause;
        unlink();
        if (state == QueuePairState.CLOSING) {
            closingSoon = false;
            become(QueuePairState.IDLE);
            raise(new AsyncEvent.CloseComplete(
                    this, ErrorDetail.of(Layer.TRANSPORT, "RDMA verbs §6.2.5", "the stream was closed by both sides")));
        } else {
            become(QueuePairState.ERROR);
            if (why == null) {
                cause(ErrorDetail.of(Layer.TRANSPORT, "RDMA verbs §6.2", "the stream was closed"));
            }
            flush();
        }
    }

    /** The stream below is gone. */
    public void streamLost(ErrorDetail detail, boolean badClose) {
        boolean known = state == QueuePairState.TERMINATE || state == QueuePairState.ERROR;
        boolean wasClosing = state == QueuePairState.CLOSING;
        RdmaStream lost = stream;
        if (lost != null) {
            lost.abandon();
        }
        cause(detail);
        become(QueuePairState.ERROR);
        flush();
        unlink();
        if (!known && !closed) {
            raise(
                    badClose || wasClosing
                            ? new AsyncEvent.BadClose(this, detail)
                            : new AsyncEvent.StreamLost(this, detail));
        }
    }

    // the stream below; under the agent's lock

    @Override
    public void sendCompleted(long workId, Operation operation, long length) {
        complete(sendCompletions, workId, CompletionStatus.SUCCESS, operation, length, 0, 0, 0, null);
    }

    @Override
    public void receiveCompleted(
            ReceiveWork work, Operation operation, long length, int flags, long immediate, int invalidatedStag) {
        complete(
                receiveCompletions,
                work.id,
                CompletionStatus.SUCCESS,
                operation,
                length,
                flags,
                immediate,
                invalidatedStag,
                null);
    }

    @Override
    public void receiveFailed(ReceiveWork work, CompletionStatus status, ErrorDetail detail) {
        complete(receiveCompletions, work.id, status, Operation.RECEIVE, 0, 0, 0, 0, detail);
    }

    @Override
    public void receiveTaken() {
        SoftSharedReceiveQueue source = shared;
        if (source == null) {
            return;
        }
        if (receives.limitReached()) {
            raise(source.limitReached());
        }
        int taken = inProgress.incrementAndGet();
        if (taken == config.inProgressLimit() + 1 && config.inProgressLimit() > 0) {
            raise(new AsyncEvent.InProgressLimitReached(
                    this,
                    ErrorDetail.of(
                            Layer.VERBS,
                            "RFC 5042 §6.4.3.1",
                            "the peer of queue pair " + id + " holds " + taken + " receives of the shared queue")));
        }
    }

    @Override
    public void completionPolled(Operation operation) {
        if (shared != null && (operation == Operation.RECEIVE || operation == Operation.RECEIVE_IMMEDIATE)) {
            inProgress.decrementAndGet();
        }
    }

    @Override
    public void firstSegmentReceived() {
        linked().peerIsReady();
    }

    @Override
    public void failed(StreamFailure failure) {
        ErrorDetail detail = failure.detail();
        cause(detail);
        become(QueuePairState.TERMINATE);
        flush();
        switch (failure.origin()) {
            case PEER -> raise(new AsyncEvent.PeerError(this, detail));
            case CLOSE -> raise(new AsyncEvent.BadClose(this, detail));
            case LOCAL -> raise(new AsyncEvent.QueuePairFailed(this, detail));
            case SEND_WORK, RECEIVE_WORK -> {} // its completion says it
        }
        linked().streamFinishing();
    }

    @Override
    public void terminateSent() {
        ErrorDetail detail = firstCause;
        if (detail != null) {
            domain.terminated(this, true, detail);
        }
    }

    @Override
    public void terminateReceived(ErrorDetail detail) {
        domain.terminated(this, false, detail);
        cause(detail);
        become(QueuePairState.TERMINATE);
        flush();
        raise(new AsyncEvent.TerminateReceived(this, detail));
        linked().streamFinishing();
    }

    // helpers

    private void complete(
            SoftCompletionQueue queue,
            long workId,
            CompletionStatus status,
            Operation operation,
            long length,
            int flags,
            long immediate,
            int invalidatedStag,
            @Nullable ErrorDetail detail) {
        if (status != CompletionStatus.SUCCESS) {
            countFailure(workId, status, operation, detail);
        }
        boolean added = closed
                || queue.add(agent, workId, status, operation, this, length, flags, immediate, invalidatedStag, detail);
        counters.completions++; // not before: who sees it counted may poll it
        if (added) {
            return;
        }
        domain.completionLost();
        ErrorDetail overflow = new ErrorDetail(
                Layer.VERBS,
                "RFC 5042 §6.4.6",
                queue.overflowText(),
                TerminateCode.RDMAP_CATASTROPHIC_STREAM.wireValue());
        raise(new AsyncEvent.CompletionQueueFailed(queue, overflow));
        RdmaStream active = stream;
        if (active != null && state == QueuePairState.RTS) {
            active.terminate(
                    TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                    Layer.VERBS,
                    overflow.clause(),
                    overflow.fact(),
                    StreamFailure.Origin.LOCAL);
        }
    }

    private void countFailure(long workId, CompletionStatus status, Operation operation, @Nullable ErrorDetail detail) {
        counters.completionErrors++;
        if (status == CompletionStatus.WR_FLUSH_ERR) {
            counters.completionsFlushed++;
        } else {
            FlightEvents.workError(this, workId, operation, status, detail);
        }
    }

    /** Ends every request: the one at fault with its own status, all others as flushed (RDMA verbs, section 6.2.4). */
    private void flush() {
        ErrorDetail cause = firstCause == null ? CLOSED_IN_ORDER : firstCause;
        RdmaStream ended = stream;
        ReceiveWork cut = ended == null ? null : ended.takeReceiveInProgress();
        if (cut != null) {
            flushReceive(cut, cause);
        }
        SendWork work = sends.oldest();
        while (work != null) {
            CompletionStatus status = work.failure == null ? CompletionStatus.WR_FLUSH_ERR : work.failure;
            long workId = work.id;
            Operation operation = work.kind.operation();
            sends.retire();
            complete(sendCompletions, workId, status, operation, 0, 0, 0, 0, cause);
            work = sends.oldest();
        }
        if (shared == null) {
            receives.drain(receive -> flushReceive(receive, cause));
        }
    }

    private void flushReceive(ReceiveWork receive, ErrorDetail cause) {
        complete(receiveCompletions, receive.id, CompletionStatus.WR_FLUSH_ERR, Operation.RECEIVE, 0, 0, 0, 0, cause);
    }

    /** Requests posted while the state changed are flushed as well. Under the agent's lock. */
    public void flushLatecomers() {
        if (state == QueuePairState.ERROR || state == QueuePairState.TERMINATE || state == QueuePairState.CLOSING) {
            flush();
        }
    }

    private void become(QueuePairState next) {
        FlightEvents.queuePairState(this, state, next, firstCause);
        state = next;
        agent.signalChange();
    }

    /** The first cause wins. */
    private void cause(ErrorDetail detail) {
        if (firstCause == null) {
            firstCause = detail;
        }
    }

    private void raise(AsyncEvent event) {
        if (!closed) {
            agent.deliver(() -> events.accept(event));
        }
    }

    private QueuePairLink linked() {
        QueuePairLink current = link;
        if (current == null) {
            throw new IllegalStateException("queue pair " + id + " has no connection");
        }
        return current;
    }

    private RdmaStream attached() {
        RdmaStream current = stream;
        if (current == null) {
            throw new IllegalStateException("queue pair " + id + " has no stream");
        }
        return current;
    }
}
