package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.cm.Connection.State;
import io.stag.verbs.cm.ConnectionEvent;
import org.jspecify.annotations.Nullable;

/**
 * How far a connection is and how it ended: the only place that changes phase, state and cause, with the counts, events
 * and records that go with each change.
 *
 * <p>Belongs to its connection. Any thread may read; everything else is called under the lock of the connection's agent.
 */
final class ConnectionLife {
    private static final System.Logger LOG = System.getLogger(SoftConnection.class.getName());

    /** What the octets of the stream are part of; programs see the coarser {@link State}. */
    enum Phase {
        TCP_CONNECT,
        STARTUP,
        FULL_OPERATION,
        ENDED
    }

    private final CmHost host;
    private final SoftConnection visible; // what programs have of the connection
    private final ConnectionTask connection;
    private final ConnectionTrace trace;
    private boolean countedHalfOpen;
    private volatile Phase phase;
    private volatile State state = State.CONNECTING;
    private volatile @Nullable ErrorDetail cause;

    ConnectionLife(CmHost host, SoftConnection visible, ConnectionTask connection, Phase first) {
        this.host = host;
        this.visible = visible;
        this.connection = connection;
        trace = new ConnectionTrace(host, visible, connection);
        phase = first;
    }

    Phase phase() {
        return phase;
    }

    /** It is over, and so is the work for its queue pair. */
    boolean isEnded() {
        return switch (state) {
            case REJECTED, FAILED, DISCONNECTED -> true;
            case CONNECTING, ESTABLISHED, DISCONNECTING -> false;
        };
    }

    State state() {
        return state;
    }

    @Nullable
    ErrorDetail cause() {
        return cause;
    }

    ConnectionTrace trace() {
        return trace;
    }

    // forward

    /** The set-up begins, or begins again. */
    void begin() {
        trace.begin(connection.agent().nanoTime());
        countHalfOpen(true);
    }

    void tcpConnected() {
        phase = Phase.STARTUP;
    }

    /** TCP is to be connected a second time. */
    void backToTcpConnect() {
        countHalfOpen(false);
        phase = Phase.TCP_CONNECT;
    }

    /** The startup is over, FPDUs follow. */
    void fullOperation() {
        phase = Phase.FULL_OPERATION;
        countHalfOpen(false);
        host.counters().open.incrementAndGet();
    }

    /** Both sides may send. */
    void established() {
        if (state != State.CONNECTING) {
            return;
        }
        state = connection.closing().isAsked() ? State.DISCONNECTING : State.ESTABLISHED;
        (connection.isInitiator() ? host.counters().made : host.counters().accepted).incrementAndGet();
        trace.established();
        RnicAgent agent = connection.agent();
        agent.signalChange();
        host.raise(agent, new ConnectionEvent.Established(visible));
    }

    /** A program wants an orderly end. */
    void disconnecting() {
        if (state == State.ESTABLISHED) {
            state = State.DISCONNECTING;
        }
    }

    /** The end is near, and this is why; what ends the stream later does not replace it. */
    void doomed(ErrorDetail detail) {
        cause = detail;
    }

    private void countHalfOpen(boolean begin) {
        if (begin != countedHalfOpen) {
            countedHalfOpen = begin;
            host.counters().halfOpen.addAndGet(begin ? 1 : -1);
        }
    }

    // the end, in one of three ways

    /** Both directions were closed in order. */
    void closed() {
        SoftQueuePair queuePair = connection.linkedQueuePair();
        ErrorDetail first = queuePair.firstCause().orElse(null);
        ErrorDetail why = end(first != null ? first : TransportFault.of("closed by both sides"));
        connection.streamBelow().close();
        queuePair.streamClosed();
        tell(why, State.DISCONNECTED);
    }

    /** The stream broke or has to be reset. */
    void lose(ErrorDetail detail, boolean badClose) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (phase != Phase.FULL_OPERATION) {
            fail(detail, State.FAILED);
            return;
        }
        host.counters().lost.incrementAndGet();
        ErrorDetail why = end(detail);
        TransportStream below = connection.transport();
        if (below != null) {
            below.abort();
        }
        connection.linkedQueuePair().streamLost(detail, badClose);
        tell(why, State.DISCONNECTED);
    }

    /** The set-up came to nothing. */
    void fail(ErrorDetail detail, State outcome) {
        if (phase == Phase.ENDED) {
            return;
        }
        host.counters().failed.incrementAndGet();
        if (outcome == State.REJECTED) {
            host.counters().rejected.incrementAndGet();
        }
        if (!connection.isInitiator() && outcome == State.FAILED) {
            LOG.log(System.Logger.Level.INFO, "{0}: no connection, {1}", connection.remoteAddress(), detail);
        }
        ErrorDetail why = end(detail);
        TransportStream below = connection.transport();
        if (below != null) {
            below.close();
        }
        SoftQueuePair queuePair = connection.linked();
        if (queuePair != null) {
            queuePair.unlink();
        }
        tell(why, outcome);
    }

    /** First of all: what happens from here on finds the connection ended. @return the cause */
    private ErrorDetail end(ErrorDetail detail) {
        ErrorDetail why = cause == null ? detail : cause;
        cause = why;
        boolean wasOpen = phase == Phase.FULL_OPERATION;
        phase = Phase.ENDED;
        countHalfOpen(false);
        if (wasOpen) {
            host.counters().open.decrementAndGet();
        }
        connection.releaseAll();
        return why;
    }

    /** Last of all: who sees the state may use the queue pair at once. */
    private void tell(ErrorDetail why, State outcome) {
        // a connection that never was established has failed, whatever its stream reached
        state = state == State.CONNECTING && outcome == State.DISCONNECTED ? State.FAILED : outcome;
        RnicAgent agent = connection.agent();
        agent.signalChange();
        trace.end(agent.nanoTime());
        host.raise(
                agent,
                switch (state) {
                    case REJECTED -> new ConnectionEvent.Rejected(visible, why);
                    case FAILED -> new ConnectionEvent.Failed(visible, why);
                    case CONNECTING, ESTABLISHED, DISCONNECTING, DISCONNECTED ->
                        new ConnectionEvent.Disconnected(visible, why);
                });
    }
}
