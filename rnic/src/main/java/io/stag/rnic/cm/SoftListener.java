package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.agent.Task;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes peers: at most so many in set-up, at most so many waiting for a decision. */
final class SoftListener extends Task implements Listener {
    private static final System.Logger LOG = System.getLogger(SoftListener.class.getName());
    private static final int ACCEPTS_PER_CYCLE = 64;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final CmHost host;
    private final RnicAgent agent;
    private final int backlog;
    private final Consumer<SoftListener> onClose;
    private final Set<SoftConnection> startingUp = new LinkedHashSet<>(); // under the agent's lock
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
        try {
            agent.await(() -> closed || !requests.isEmpty(), RnicAgent.nanos(timeout), host.invoker());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for a connection request", e);
        }
        return poll();
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
            if (startingUp.size() >= host.config().maxHalfOpenConnections()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0} was turned away: {1} connections are in set-up",
                        stream.remoteAddress(),
                        host.config().maxHalfOpenConnections());
                host.counters().failed.incrementAndGet();
                host.counters().turnedAway.incrementAndGet();
                stream.abort();
                continue;
            }
            SoftConnection connection = new SoftConnection(host, agent, this, stream);
            startingUp.add(connection);
            connection.task().setup().begin();
        }
    }

    /** The peer that cannot be taken, for instance for want of a descriptor, still waits and would be reported for ever. */
    private void pause(TransportListener listening, IOException e) {
        if (!failing) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "peers cannot be accepted at {0}, will try again every {1} ms: {2}",
                    address,
                    PAUSE.toMillis(),
                    e.getMessage());
        }
        failing = true;
        listening.awaitPeers(false);
        agent.setDeadline(this, agent.nanoTime() + PAUSE.toNanos());
    }

    /** A peer's Request is complete. Under the agent's lock. @return false when too many wait */
    boolean requested(SoftRequest request) {
        if (waiting.get() >= backlog || closed) {
            host.counters().turnedAway.incrementAndGet();
            return false;
        }
        waiting.incrementAndGet();
        requests.add(request);
        agent.signalChange();
        host.raise(agent, new ConnectionEvent.Requested(this));
        return true;
    }

    /** The connection is decided on or gone. Under the agent's lock. */
    void forget(SoftConnection connection) {
        startingUp.remove(connection);
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
    public void onBug(RuntimeException bug) {
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
        for (SoftConnection connection : List.copyOf(startingUp)) {
            connection.abort();
        }
        requests.clear();
        agent.remove(this);
        agent.signalChange();
        onClose.accept(this);
    }
}
