package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.cm.ConnectionLife.Phase;
import io.stag.rnic.mpa.MpaResponder;
import io.stag.rnic.mpa.Negotiated;
import io.stag.rnic.mpa.StartupEvent;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection.State;
import io.stag.verbs.cm.ConnectionConfig;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A peer connected: its Request, the program's decision, our Reply. Ownership and lock as in {@link ConnectionSetup}, but
 * {@link #accept} and {@link #reject} are the program's calls, from any thread and without a lock.
 */
final class ResponderSetup extends ConnectionSetup {
    private static final int MAX_REVISION = 2;

    private final SoftConnection visible; // what programs have of the connection
    private @Nullable SoftListener listener; // until the program has decided
    private @Nullable MpaResponder machine; // from the beginning on
    private boolean rejecting; // the Reply that says so is on its way out

    ResponderSetup(CmHost host, ConnectionTask connection, SoftConnection visible, SoftListener listener) {
        super(host, connection);
        this.visible = visible;
        this.listener = listener;
    }

    @Override
    void begin() {
        connection.life().begin();
        tcpConnected();
        RnicAgent agent = connection.agent();
        long deadline = agent.nanoTime() + host.config().startupTimeout().toNanos();
        machine = new MpaResponder(MAX_REVISION, deadline);
        agent.setDeadline(connection, deadline);
        try {
            agent.transport().adopt(connection.streamBelow(), connection);
        } catch (IOException e) {
            adoptFailed(e);
        }
    }

    private void adoptFailed(Exception e) {
        fail(TransportFault.of("the stream from " + connection.remoteAddress() + " failed", e), State.FAILED);
    }

    @Override
    void handleEvent() {
        switch (machine().pollEvent()) {
            case null -> {}
            case StartupEvent.RequestReceived request -> {
                privateDataCame(machine().privateData());
                ask(request);
            }
            case StartupEvent.Established established -> establish(established.negotiated(), null);
            case StartupEvent.RejectionSent _ -> rejecting = true;
            case StartupEvent.Failed failure -> fail(failure.detail(), State.FAILED);
            case StartupEvent.Rejected _, StartupEvent.TerminateNeeded _ ->
                throw new IllegalStateException("a responder gets no Reply");
        }
    }

    private void ask(StartupEvent.RequestReceived request) {
        SoftListener asked = listener;
        if (asked != null && !asked.requested(visible, new SoftRequest(visible, this, request))) {
            fail(ErrorDetail.of(Layer.VERBS, "none", "too many connection requests wait for a decision"), State.FAILED);
        }
    }

    // deciding; any thread

    void accept(SoftQueuePair accepted, ConnectionConfig config, int revision) {
        RnicAgent target = accepted.agent();
        if (target != connection.agent()) {
            moveTo(target);
        }
        target.lock();
        try {
            ConnectionLife life = connection.life();
            if (life.isEnded()) {
                throw new VerbsException(
                        VerbsError.CONNECTION_FAILED,
                        "the peer is gone: " + (life.cause() == null ? "closed" : life.cause()));
            }
            if (revision > config.mpaRevision()) {
                fail(
                        ErrorDetail.of(
                                Layer.MPA,
                                "RFC 6581 §10",
                                "the peer asked with MPA revision " + revision + ", only 1 is configured"),
                        State.FAILED);
                return;
            }
            leaveListener();
            try {
                accepted.link(connection);
            } catch (VerbsException e) { // somebody else was quicker than our check
                fail(ErrorDetail.of(Layer.VERBS, "none", TransportFault.text(e)), State.FAILED);
                throw e;
            }
            connection.accepted(accepted, config);
            machine().accept(offer(accepted, config, config.mpaRevision()), config.privateData());
            connection.transmit();
        } finally {
            target.unlock();
        }
    }

    /** A queue pair keeps its agent for life, so an accepted stream moves to it. */
    private void moveTo(RnicAgent target) {
        RnicAgent from = connection.agent();
        long deadline;
        from.lock();
        try {
            if (connection.life().isEnded()) {
                return;
            }
            leaveListener();
            deadline = machine().pollTimeout();
            from.remove(connection);
            connection.streamBelow().release();
            connection.movedTo(target);
        } finally {
            from.unlock();
        }
        target.lock();
        try {
            if (connection.life().isEnded()) {
                return; // somebody ended it between the locks
            }
            target.setDeadline(connection, deadline);
            target.transport().adopt(connection.streamBelow(), connection);
        } catch (IOException | RuntimeException e) { // runtime: the RNIC was closed meanwhile
            adoptFailed(e);
        } finally {
            target.unlock();
        }
    }

    void reject(byte[] privateData) {
        RnicAgent agent = connection.lockAgent();
        try {
            if (connection.phase() == Phase.STARTUP) {
                machine().reject(privateData);
                connection.transmit();
            }
        } finally {
            agent.unlock();
        }
    }

    // the rest

    /** The listener's close concerns only requests without a decision. Under the lock of the listener's agent. */
    private void leaveListener() {
        SoftListener left = listener;
        listener = null;
        if (left != null) {
            left.forget(visible);
        }
    }

    @Override
    void connectionEnded() {
        leaveListener();
    }

    @Override
    void allSent() {
        if (rejecting) {
            rejected();
        }
    }

    private void rejected() {
        fail(ErrorDetail.of(Layer.VERBS, "RFC 5044 §7.1.2", "the request was rejected"), State.REJECTED);
    }

    @Override
    void onDeadline(long now) {
        if (rejecting) {
            rejected();
            return;
        }
        machine().handleTimeout(now);
        handleEvent();
    }

    @Override
    void agreed(Negotiated negotiated, long now) {
        if (negotiated.peerToPeer()) {
            connection.timers().awaitFirstMessage();
        } else {
            connection.life().established();
        }
    }

    // the machine

    @Override
    MpaResponder machine() {
        MpaResponder running = machine;
        if (running == null) {
            throw new IllegalStateException("the set-up has not begun");
        }
        return running;
    }
}
