package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.cm.ConnectionLife.Phase;
import io.stag.rnic.mpa.MpaInitiator;
import io.stag.rnic.mpa.Negotiated;
import io.stag.rnic.mpa.StartupEvent;
import io.stag.verbs.cm.Connection.State;
import io.stag.verbs.cm.ConnectionConfig;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * We connect: TCP, then our Request and the peer's Reply; a peer that does not know revision 2 may be asked a second time.
 * Ownership and lock as in {@link ConnectionSetup}.
 */
final class InitiatorSetup extends ConnectionSetup {
    private @Nullable MpaInitiator machine; // while TCP is connected
    private boolean retried;
    private long deadline;
    private long requestedAt;

    InitiatorSetup(CmHost host, ConnectionTask connection) {
        super(host, connection);
    }

    @Override
    void begin() {
        deadline = connection.agent().nanoTime() + connection.config().timeout().toNanos();
        connect();
    }

    private void connect() {
        connection.life().begin();
        RnicAgent agent = connection.agent();
        try {
            connection.use(agent.transport().connect(connection.remoteAddress(), connection));
            agent.setDeadline(connection, deadline);
            agent.ring(connection); // on loopback TCP may be connected already, and no selector reports that
        } catch (IOException | RuntimeException e) {
            connectFailed(e);
        }
    }

    private void connectFailed(Exception e) {
        fail(TransportFault.of("connecting to " + connection.remoteAddress() + " failed", e), State.FAILED);
    }

    @Override
    void connectReady() {
        try {
            if (!connection.streamBelow().finishConnect()) {
                return;
            }
        } catch (IOException e) {
            connectFailed(e);
            return;
        }
        tcpConnected();
        connection.life().tcpConnected();
        requestedAt = connection.agent().nanoTime();
        ConnectionConfig config = connection.config();
        int revision = retried ? 1 : config.mpaRevision();
        machine =
                new MpaInitiator(offer(connection.linkedQueuePair(), config, revision), config.privateData(), deadline);
        connection.transmit();
    }

    @Override
    void onDeadline(long now) {
        if (connection.phase() == Phase.TCP_CONNECT) {
            fail(
                    TransportFault.of("connecting to " + connection.remoteAddress() + " took longer than "
                            + DurationText.of(connection.config().timeout())),
                    State.FAILED);
            return;
        }
        machine().handleTimeout(now);
        handleEvent();
    }

    @Override
    boolean takesResetAsRefusal() {
        if (retried || !connection.config().fallBackToRevision1()) {
            return false;
        }
        endOfStream(); // TCP resets when a peer closes and has not read all of the Request
        return true;
    }

    @Override
    void handleEvent() {
        MpaInitiator running = machine();
        switch (running.pollEvent()) {
            case null -> {}
            case StartupEvent.Established established -> {
                privateDataCame(running.privateData());
                establish(established.negotiated(), null);
            }
            case StartupEvent.TerminateNeeded needed -> {
                privateDataCame(running.privateData());
                establish(needed.negotiated(), needed);
            }
            case StartupEvent.Rejected rejected -> {
                privateDataCame(running.privateData());
                rejectedByPeer(rejected);
            }
            case StartupEvent.Failed failure -> {
                if (failure.retryWithRevision1() && !retried) {
                    retryWithRevision1();
                } else {
                    fail(failure.detail(), State.FAILED);
                }
            }
            case StartupEvent.RequestReceived _, StartupEvent.RejectionSent _ ->
                throw new IllegalStateException("an initiator decides nothing");
        }
    }

    /** On a second TCP connection, and in the time of the first. */
    private void retryWithRevision1() {
        retried = true;
        connection.agent().remove(connection);
        connection.streamBelow().close();
        machine = null;
        connection.forgetOctets();
        connection.life().backToTcpConnect();
        connect();
    }

    @Override
    void agreed(Negotiated negotiated, long now) {
        long nudge = connection.config().nudge().toNanos();
        if (nudge > 0) {
            // what takes longer than the Reply did is not on its way any more
            connection.timers().nudgeUntilHeard(Math.max(nudge, 2 * (now - requestedAt)), now);
        }
        connection.life().established();
    }

    // the machine

    @Override
    MpaInitiator machine() {
        MpaInitiator running = machine;
        if (running == null) {
            throw new IllegalStateException("TCP is not connected");
        }
        return running;
    }
}
