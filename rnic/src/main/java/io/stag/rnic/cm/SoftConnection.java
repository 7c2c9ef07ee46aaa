package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.QueuePair;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionInfo;
import io.stag.verbs.cm.ConnectionSnapshot;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What a program sees of a connection and may ask of it. The work is done by its {@link ConnectionTask}.
 *
 * <p>Any thread may call, with or without the lock of an agent; what changes something takes the lock itself.
 */
final class SoftConnection implements Connection {
    private final CmHost host;
    private final ConnectionTask task;

    /** The initiator's side. */
    SoftConnection(CmHost host, SoftQueuePair queuePair, InetSocketAddress remote, ConnectionConfig config) {
        this.host = host;
        task = new ConnectionTask(host, this, queuePair, remote, config);
    }

    /** The responder's side: a peer connected. */
    SoftConnection(CmHost host, RnicAgent agent, SoftListener listener, TransportStream transport) {
        this.host = host;
        task = new ConnectionTask(host, this, agent, listener, transport);
    }

    /** The RNIC that it belongs to. */
    CmHost host() {
        return host;
    }

    /** The part for those who hold the lock of its agent. */
    ConnectionTask task() {
        return task;
    }

    @Override
    public long id() {
        return life().trace().id();
    }

    @Override
    public ConnectionSnapshot snapshot() {
        SoftQueuePair mine = task.linked();
        RnicAgent agent = task.agent();
        agent.tryStampActivity();
        return life().trace().snapshot(mine == null ? 0 : mine.id(), agent.nanoTime());
    }

    @Override
    public QueuePair queuePair() {
        SoftQueuePair mine = task.linked();
        if (mine == null) {
            throw new VerbsException(
                    VerbsError.INVALID_STATE, "the request of " + remoteAddress() + " waits for a decision");
        }
        return mine;
    }

    @Override
    public State state() {
        return life().state();
    }

    @Override
    public InetSocketAddress localAddress() {
        return task.setup().localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return task.remoteAddress();
    }

    @Override
    public Optional<ConnectionInfo> info() {
        return Optional.ofNullable(task.setup().info());
    }

    @Override
    public byte[] peerPrivateData() {
        return task.setup().peerPrivateData().clone();
    }

    @Override
    public Optional<ErrorDetail> cause() {
        return Optional.ofNullable(life().cause());
    }

    @Override
    public Connection awaitEstablished(Duration timeout) {
        if (!await(() -> state() != State.CONNECTING, timeout)) {
            throw new VerbsException(
                    VerbsError.TIMED_OUT,
                    "no connection to " + remoteAddress() + " within " + DurationText.of(timeout));
        }
        return switch (state()) {
            case REJECTED ->
                throw new VerbsException(
                        VerbsError.CONNECTION_REJECTED, remoteAddress() + " refused: " + life().cause());
            case FAILED ->
                throw new VerbsException(
                        VerbsError.CONNECTION_FAILED, "no connection to " + remoteAddress() + ": " + life().cause());
            case CONNECTING, ESTABLISHED, DISCONNECTING, DISCONNECTED -> this;
        };
    }

    @Override
    public boolean awaitDisconnected(Duration timeout) {
        return await(life()::isEnded, timeout);
    }

    private boolean await(BooleanSupplier condition, Duration timeout) {
        try {
            return task.agent().await(condition, RnicAgent.nanos(timeout), host.invoker());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VerbsException(VerbsError.INTERRUPTED, "interrupted while waiting for " + remoteAddress(), e);
        }
    }

    @Override
    public void disconnect() {
        RnicAgent agent = task.lockAgent();
        try {
            switch (task.phase()) {
                case TCP_CONNECT, STARTUP ->
                    life().fail(ErrorDetail.of(Layer.VERBS, "none", "cancelled by the program"), State.FAILED);
                case FULL_OPERATION -> task.closing().begin();
                case ENDED -> {}
            }
        } finally {
            agent.unlock();
        }
    }

    @Override
    public void abort() {
        RnicAgent agent = task.lockAgent();
        try {
            life().lose(ErrorDetail.of(Layer.VERBS, "none", "aborted by the program"), false);
        } finally {
            agent.unlock();
        }
    }

    @Override
    public void close() {
        disconnect();
        if (!awaitDisconnected(host.config().closeTimeout())) {
            abort();
        }
    }

    private ConnectionLife life() {
        return task.life();
    }
}
