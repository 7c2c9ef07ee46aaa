package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes peers: at most so many in set-up, at most so many waiting for a decision. Whoever holds a place without completing
 * its Request loses it when another peer comes and no place is left.
 *
 * <p>Belongs to the RNIC's agent for listeners: what the agent and the connections call runs under its lock. The program's
 * calls come from any thread.
 */
final class SoftListener extends Task implements Listener {
    private static final System.Logger LOG = System.getLogger(SoftListener.class.getName());
    private static final int ACCEPTS_PER_CYCLE = 64;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final CmHost host;
    private final RnicAgent agent;
    private final int backlog;
    private final Consumer<SoftListener> onClose;
    private final SequencedSet<SoftConnection> incomplete = new LinkedHashSet<>(); // no Request yet, the oldest first
    private final Set<SoftConnection> undecided = new LinkedHashSet<>(); // their Requests wait for the program
    private final ConcurrentLinkedQueue<SoftRequest> requests = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private @Nullable TransportListener transport;
    private boolean failing; // since the last peer that could be accepted
    private volatile InetSocketAddress address = new InetSocketAddress(0);
    private volatile boolean closed;

    SoftListener(CmHost host, RnicAgent agent, int backlog, Consumer<SoftListener> onClose) {
        this.host = host;
        this.agent = agent;
        this.backlog = backlog;
        this.onClose = onClose;
    }

    void open(InetSocketAddress wanted) throws IOException {
        TransportListener opened = agent.transport().listen(wanted, backlog, this);
        transport = opened;
        address = opened.address();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public Optional<ConnectionRequest> poll() {
        checkOpen();
        SoftRequest request = requests.poll();
        if (request == null && host.invoker() && agent.tryWork() > 0) {
            request = requests.poll();
        }
        if (request != null) {
            waiting.decrementAndGet();
        }
        return Optional.ofNullable(request);
    }

    @Override
    public Optional<ConnectionRequest> await(Duration timeout) {
        checkOpen();
        long nanos = RnicAgent.nanos(timeout);
        long began = agent.nanoTime();
        long left = nanos;
        try {
            while (true) {
                agent.await(() -> closed || !requests.isEmpty(), left, host.invoker());
                Optional<ConnectionRequest> request = poll();
                left = nanos - (agent.nanoTime() - began);
                if (request.isPresent() || left <= 0) {
                    return request;
                } // else another thread was quicker
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for a connection request", e);
        }
    }

    @Override
    public void onReady() {
        TransportListener listening = transport;
        for (int i = 0; listening != null && !closed && i < ACCEPTS_PER_CYCLE; i++) {
            TransportStream stream;
            try {
                stream = listening.accept();
            } catch (IOException e) {
                pause(listening, e);
                return;
            }
            if (stream == null) {
                return;
            }
            failing = false;
            if (!hasRoom()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0} was turned away: {1} connections in set-up wait for a decision of the program",
                        stream.remoteAddress(),
                        host.config().maxHalfOpenConnections());
                host.counters().failed.incrementAndGet();
                host.counters().turnedAway.incrementAndGet();
                stream.abort();
                continue;
            }
            SoftConnection connection = new SoftConnection(host, agent, this, stream);
            incomplete.add(connection);
            connection.task().setup().begin();
        }
    }

    /** Makes room if need be; what waits for the program's decision keeps its place. */
    private boolean hasRoom() {
        while (isFull() && !incomplete.isEmpty()) {
            SoftConnection oldest = incomplete.getFirst();
            lookOnceMore(oldest.task());
            if (isFull() && incomplete.contains(oldest)) {
                makeRoom(oldest.task().life());
            }
        }
        return !isFull();
    }

    private void makeRoom(ConnectionLife oldest) {
        Duration age = oldest.trace().age(agent.nanoTime()).truncatedTo(ChronoUnit.MILLIS);
        host.counters().turnedAway.incrementAndGet();
        oldest.fail(
                ErrorDetail.of(
                        Layer.VERBS,
                        "none",
                        "its MPA Request was incomplete after " + DurationText.of(age)
                                + ", and it had to make room for another peer: all "
                                + host.config().maxHalfOpenConnections()
                                + " places for connections in set-up were taken"),
                Connection.State.FAILED);
    }

    private boolean isFull() {
        return incomplete.size() + undecided.size() >= host.config().maxHalfOpenConnections();
    }

    /** The rest of a Request, or what says that it is none, may have come and not been read yet. */
    private static void lookOnceMore(ConnectionTask connection) {
        try {
            connection.onPoll();
        } catch (RuntimeException | VirtualMachineError failure) { // not the listener's
            connection.endAfter(failure);
        }
    }

    /** The peer that cannot be taken, for instance for want of a descriptor, still waits and would be reported for ever. */
    private void pause(TransportListener listening, IOException e) {
        if (!failing) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "peers cannot be accepted at {0}, will try again every {1}: {2}",
                    address,
                    DurationText.of(PAUSE),
                    e.getMessage());
        }
        failing = true;
        listening.awaitPeers(false);
        agent.setDeadline(this, agent.nanoTime() + PAUSE.toNanos());
    }

    /** A peer's Request is complete. Under the agent's lock. @return false when too many wait */
    boolean requested(SoftConnection connection, SoftRequest request) {
        if (waiting.get() >= backlog || closed) {
            host.counters().turnedAway.incrementAndGet();
            return false;
        }
        incomplete.remove(connection);
        undecided.add(connection);
        waiting.incrementAndGet();
        requests.add(request);
        agent.signalChange();
        host.raise(agent, new ConnectionEvent.Requested(this));
        return true;
    }

    /** The connection is decided on or gone. Under the agent's lock. */
    void forget(SoftConnection connection) {
        incomplete.remove(connection);
        undecided.remove(connection);
    }

    @Override
    public int onDoorbell() {
        return 0;
    }

    @Override
    public int onPoll() {
        return 0;
    }

    @Override
    public void onDeadline(long nowNanos) {
        TransportListener listening = transport;
        if (listening != null && !closed) {
            listening.awaitPeers(true);
        }
    }

    @Override
    public void onFailure(Throwable failure) {
        closeUnderLock();
    }

    private void checkOpen() {
        if (closed) {
            throw new VerbsException(VerbsError.CLOSED, "the listener is closed");
        }
    }

    @Override
    public void close() {
        agent.lock();
        try {
            closeUnderLock();
        } finally {
            agent.unlock();
        }
    }

    private void closeUnderLock() {
        if (closed) {
            return;
        }
        closed = true;
        if (transport != null) {
            transport.close();
        }
        List.copyOf(incomplete).forEach(SoftConnection::abort);
        List.copyOf(undecided).forEach(SoftConnection::abort);
        requests.clear();
        agent.remove(this);
        agent.signalChange();
        onClose.accept(this);
    }
}
