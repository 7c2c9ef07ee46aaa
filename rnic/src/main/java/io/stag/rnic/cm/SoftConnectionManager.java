package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.verbs.QueuePair;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.ConnectionManager;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Makes connections and listeners. */
public final class SoftConnectionManager implements ConnectionManager {
    private static final int MAX_BACKLOG = 65_536;

    private final CmHost host;
    private final Consumer<Consumer<ConnectionEvent>> handlerSetter;
    private final Set<SoftListener> listeners = Collections.synchronizedSet(new LinkedHashSet<>());
    private boolean closed; // under the lock of the listening agent

    /** {@link #onEvent} gives the handler to {@code handlerSetter}. */
    public SoftConnectionManager(CmHost host, Consumer<Consumer<ConnectionEvent>> handlerSetter) {
        this.host = host;
        this.handlerSetter = handlerSetter;
    }

    @Override
    public Connection connect(QueuePair queuePair, InetSocketAddress remote, ConnectionConfig config) {
        SoftQueuePair soft = own(queuePair, host);
        if (remote.isUnresolved()) {
            throw new VerbsException(
                    VerbsError.CONNECTION_FAILED, "the name '" + remote.getHostString() + "' cannot be resolved");
        }
        ConnectionSetup.check(soft, config);
        RnicAgent agent = soft.agent();
        agent.lock();
        try {
            SoftConnection connection = new SoftConnection(host, soft, remote, config);
            soft.link(connection.task());
            connection.task().setup().begin();
            return connection;
        } finally {
            agent.unlock();
        }
    }

    /** The queue pair, if it is one of the RNIC {@code host}. */
    static SoftQueuePair own(QueuePair queuePair, CmHost host) {
        if (queuePair instanceof SoftQueuePair soft
                && soft.protectionDomain().rnic().equals(host.rnic())) {
            return soft;
        }
        throw new VerbsException(VerbsError.INVALID_ARGUMENT, "the queue pair belongs to another RNIC");
    }

    @Override
    public Listener listen(InetSocketAddress address, int backlog) {
        if (backlog < 1 || backlog > MAX_BACKLOG) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "back-log " + backlog + " is outside 1 to " + MAX_BACKLOG);
        }
        RnicAgent agent = host.listeningAgent();
        agent.lock();
        try {
            if (closed) {
                throw new VerbsException(VerbsError.CLOSED, "the RNIC is closed");
            }
            SoftListener listener = new SoftListener(host, agent, backlog, listeners::remove);
            listener.open(address);
            listeners.add(listener);
            return listener;
        } catch (IOException e) {
            throw new VerbsException(
                    VerbsError.CONNECTION_FAILED, "cannot listen at " + address + ": " + e.getMessage(), e);
        } finally {
            agent.unlock();
        }
    }

    @Override
    public List<Connection> connections() {
        return host.registry().connections();
    }

    @Override
    public Optional<Connection> find(long id) {
        return host.registry().find(id);
    }

    @Override
    public void onEvent(Consumer<ConnectionEvent> handler) {
        handlerSetter.accept(handler);
    }

    /** Closes all listeners: the RNIC goes away. */
    public void close() {
        RnicAgent agent = host.listeningAgent();
        agent.lock();
        try {
            closed = true;
        } finally {
            agent.unlock();
        }
        for (SoftListener listener : List.copyOf(listeners)) {
            listener.close();
        }
    }
}
