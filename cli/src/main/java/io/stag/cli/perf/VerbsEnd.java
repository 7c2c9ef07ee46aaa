package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.Operation;
import io.stag.verbs.PeerRequests;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.function.LongSupplier;

/**
 * What both sides of a verbs test have: an RNIC, memory, queue pairs that share one completion queue. The memory holds
 * for each connection an area to send from, then for each one to receive into. Identifiers of requests are the index of
 * their connection.
 */
final class VerbsEnd implements AutoCloseable {
    /** Receives of a connection whose peer sends one message at a time. */
    static final int FEW_RECEIVES = 16;

    private static final Duration WAIT = Duration.ofMillis(200);
    private static final int BATCH = 64;
    private static final int POLLS_PER_LOOK = 64;

    /** Takes completions that are successful. */
    interface Handler {
        /** A receive of a connection completed. */
        void received(int connection, Operation operation, long immediate);

        /** A request of a connection completed. */
        void sent(int connection, Operation operation);
    }

    final RunSpec spec;
    final Rnic rnic;
    final MemoryRegion region;
    final MemorySegment memory;
    final VerbsLink link;
    private final CompletionQueue queue;
    private final WorkCompletions completions = WorkCompletions.ofCapacity(BATCH);
    private final LongSupplier clock;
    private final Silence silence = new Silence("Is it still running?");
    private final boolean yields;
    private final boolean polls;
    private final int receiveDepth;
    private final long stride;
    private final PeerRequests<?>[] requests;
    private boolean lastEmpty;
    private int emptyPolls;

    /**
     * Opens.
     *
     * @param address of this side, for queue pairs that have one
     * @param receiveDepth receives of each connection
     */
    VerbsEnd(RunSpec spec, InetAddress address, int receiveDepth) {
        this(spec, address, receiveDepth, System::nanoTime);
    }

    /** The same with another clock, which tells how long the peer has been silent. */
    VerbsEnd(RunSpec spec, InetAddress address, int receiveDepth, LongSupplier clock) {
        this.spec = spec;
        this.clock = clock;
        this.receiveDepth = receiveDepth;
        polls = spec.waitMode() == WaitMode.POLL;
        stride = spec.stride();
        requests = new PeerRequests<?>[spec.connections()];
        // an agent that shares the only processor with a spinning program would wait for the scheduler
        yields = spec.progress() != ProgressMode.INVOKER && Runtime.getRuntime().availableProcessors() < 2;
        rnic = Rnic.open(RnicConfig.builder()
                .name("perf")
                .jmx(false) // starting it would share the processors with what is measured
                .progress(spec.progress())
                .nativeTransport(spec.path() == TransportPath.FFM)
                .build());
        rnic.onAsyncEvent(_ -> {}); // completions say what failed; the end of a run breaks streams anyway
        try {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            region = domain.allocate(
                    2L * spec.connections() * stride,
                    EnumSet.of(
                            Access.LOCAL_READ,
                            Access.LOCAL_WRITE,
                            Access.REMOTE_READ,
                            Access.REMOTE_WRITE,
                            Access.REMOTE_ATOMIC));
            memory = region.segment();
            for (int i = 0; i < spec.connections(); i++) {
                Content.fill(memory, sendArea(i), spec.size());
            }
            queue = rnic.createCompletionQueue(spec.connections() * (sendDepth() + receiveDepth) + 2);
            link = spec.transport() == Transport.RD
                    ? new ReliableLink(spec, address, domain, queue, sendDepth(), receiveDepth)
                    : new ConnectedLink(spec, domain, queue, sendDepth(), receiveDepth);
            for (int i = 0; i < requests.length; i++) {
                requests[i] = link.requests(i);
            }
            postReceives();
        } catch (RuntimeException | OutOfMemoryError e) {
            rnic.close();
            throw e;
        }
    }

    private void postReceives() {
        for (int i = 0; i < spec.connections(); i++) {
            for (int receive = 0; receive < receiveDepth; receive++) {
                link.receives(i).receive(i).into(region, receiveArea(i), spec.size());
            }
            link.receives(i).post();
        }
    }

    ControlChannel.Buffers buffers() {
        return new ControlChannel.Buffers(region.stag(), region.remoteOffset(0));
    }

    long sendArea(int connection) {
        return connection * stride;
    }

    long receiveArea(int connection) {
        return (requests.length + connection) * stride;
    }

    /** The list for requests of a connection. */
    PeerRequests<?> requests(int connection) {
        return requests[connection];
    }

    void post(int connection) {
        if (requests[connection].post() == 0) {
            throw new IllegalStateException("the send queue of connection " + connection + " is full");
        }
    }

    /** Makes a receive available again. */
    void repost(int connection) {
        link.receives(connection)
                .receive(connection)
                .into(region, receiveArea(connection), spec.size())
                .post();
    }

    /**
     * Takes completions, after the way of waiting that was asked for; may come back without any.
     *
     * @return completions handled
     */
    int poll(Handler handler) {
        if (lastEmpty) {
            pause(); // not at the end of an empty poll: the octets that a caller waits for may have come with it
        }
        int count = polls ? queue.poll(completions) : queue.await(completions, WAIT);
        for (int i = 0; i < count; i++) {
            if (!completions.isSuccess(i)) {
                throw new CommandFailure(completions.describe(i), "");
            }
            int connection = (int) completions.id(i);
            Operation operation = completions.operation(i);
            if (operation == Operation.RECEIVE || operation == Operation.RECEIVE_IMMEDIATE) {
                boolean immediate = operation == Operation.RECEIVE_IMMEDIATE;
                handler.received(connection, operation, immediate ? completions.immediate(i) : 0);
            } else {
                handler.sent(connection, operation);
            }
        }
        lastEmpty = count == 0;
        if (count > 0) {
            silence.broken();
        }
        return count;
    }

    /** Fails when nothing has come for long. To be called after empty polls. */
    void checkSilence() {
        if (polls && ++emptyPolls % POLLS_PER_LOOK != 0) {
            return; // the clock costs a tenth of a poll
        }
        silence.check(clock.getAsLong());
    }

    /** The peer has written to memory, which makes no completion. */
    void heard() {
        silence.broken();
    }

    boolean isContentRight() {
        for (int i = 0; i < spec.connections(); i++) {
            if (!Content.isRight(memory, receiveArea(i), spec.size())) {
                return false;
            }
        }
        return true;
    }

    private int sendDepth() {
        return Math.max(spec.depth(), FEW_RECEIVES) + FEW_RECEIVES;
    }

    @SuppressWarnings("ThreadPriorityCheck") // the agent next to us needs the processor
    private void pause() {
        if (yields) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        rnic.close();
    }
}
