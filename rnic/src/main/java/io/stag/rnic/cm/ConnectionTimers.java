package io.stag.rnic.cm;

import static io.stag.rnic.agent.Task.NEVER;

import io.stag.rnic.agent.RnicAgent;
import io.stag.rnic.cm.ConnectionLife.Phase;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.cm.ConnectionConfig;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Everything a connection in full operation waits for with an end: signs of life, progress of what it sends, the first
 * message of its peer, its close. The agent knows one deadline per connection, which is the earliest of them. (The
 * deadline of a set-up is the business of {@link ConnectionSetup}.)
 *
 * <p>Belongs to its connection; everything under the lock of the connection's agent. Before {@link #begin} it does nothing.
 */
final class ConnectionTimers {
    /** After so many nudges in vain the silence has another reason. */
    private static final int NUDGES = 5;

    private final CmHost host;
    private final ConnectionTask connection;
    private long probeNanos; // 0: none
    private long stallNanos; // 0: none
    private long lastInput;
    private long lastOutput;
    private long answerBy = NEVER; // a liveness probe is under way
    private long closeBy = NEVER;
    private long readyBy = NEVER; // peer-to-peer model: the first message is due
    private long nudgeAt = NEVER; // nothing heard of the responder yet
    private long nudgeInterval;
    private int nudges;

    ConnectionTimers(CmHost host, ConnectionTask connection) {
        this.host = host;
        this.connection = connection;
    }

    /** Full operation began. */
    void begin(ConnectionConfig config, long now) {
        probeNanos = config.livenessProbe().toNanos();
        stallNanos = config.sendProgressTimeout().toNanos();
        lastInput = now;
        lastOutput = now;
        rearm();
    }

    // what the connection reports

    /** Octets came. */
    void heard() {
        if (probeNanos > 0) {
            lastInput = connection.agent().nanoTime();
            answerBy = NEVER;
        }
    }

    /** The responder listens, so there is no need to nudge it any more. */
    void responderListens() {
        nudgeAt = NEVER;
    }

    /** Octets have to wait since the stream is full; {@code progress} if it has just taken some, or was empty before. */
    void outputStalled(boolean progress) {
        if (progress) {
            lastOutput = stallNanos > 0 ? connection.agent().nanoTime() : 0;
        }
    }

    /** Nudges the responder after {@code interval}, and again after longer ones, until it is heard. */
    void nudgeUntilHeard(long interval, long now) {
        nudgeInterval = interval;
        nudgeAt = now + interval;
        rearm();
    }

    /** Peer-to-peer model, the responder's side: the initiator has to send first. */
    void awaitFirstMessage() {
        readyBy = lastInput + host.config().startupTimeout().toNanos();
        rearm();
    }

    void firstMessageCame() {
        readyBy = NEVER;
    }

    /** The close begins, unless it has begun. */
    void closeInTime() {
        if (closeBy == NEVER) {
            closeBy =
                    connection.agent().nanoTime() + host.config().closeTimeout().toNanos();
            rearm();
        }
    }

    /** Tells the agent the next deadline. */
    void rearm() {
        if (connection.phase() != Phase.FULL_OPERATION) {
            return;
        }
        long next = Math.min(Math.min(closeBy, readyBy), nudgeAt);
        if (probeNanos > 0) {
            next = Math.min(next, answerBy != NEVER ? answerBy : lastInput + probeNanos);
        }
        if (stallNanos > 0 && connection.outputWaits()) {
            next = Math.min(next, lastOutput + stallNanos);
        }
        RnicAgent agent = connection.agent();
        agent.setDeadline(connection, next);
    }

    // the agent's call

    void onDeadline(long now) {
        if (now >= closeBy) {
            lose(
                    TransportFault.of("closing took longer than "
                            + DurationText.of(host.config().closeTimeout()) + "; the stream was reset"),
                    true);
            return;
        }
        if (now >= readyBy) {
            lose(
                    ErrorDetail.of(
                            Layer.MPA,
                            "RFC 6581 §9.2",
                            "the peer chose the peer-to-peer model but sent no first message within "
                                    + DurationText.of(host.config().startupTimeout())),
                    false);
            return;
        }
        if (now >= nudgeAt) {
            nudge(now);
        }
        if (stallNanos > 0 && connection.outputWaits() && now - lastOutput >= stallNanos) {
            lose(
                    TransportFault.of("the peer took nothing for " + DurationText.of(Duration.ofNanos(stallNanos))),
                    false);
            return;
        }
        if (probeNanos > 0 && now - lastInput >= probeNanos) {
            if (!silenceCounts()) {
                lastInput = now;
                answerBy = NEVER;
            } else if (now >= answerBy) {
                lose(TransportFault.of("no sign of life from the peer for " + silence(now)), false);
                return;
            } else if (answerBy == NEVER) {
                answerBy = now + probeNanos; // from now on: it may be us who slept
                connection.operating().probe();
                connection.transmit();
            }
        }
        rearm();
    }

    /** Only where the peer can be asked, or is inside an FPDU: who has begun one has to finish it. */
    private boolean silenceCounts() {
        return connection.operating().canProbe() || connection.isInsideFpdu();
    }

    private void lose(ErrorDetail detail, boolean badClose) {
        connection.life().lose(detail, badClose);
    }

    /** For people, so without the nanoseconds. */
    private String silence(long now) {
        return DurationText.of(Duration.ofNanos(now - lastInput).truncatedTo(ChronoUnit.MILLIS));
    }

    /**
     * Linux siw does not see what arrives between its Reply and the moment when it listens to the stream as a queue pair,
     * until something else arrives. A Write of nothing is always allowed and leaves no trace in the peer's memory.
     */
    private void nudge(long now) {
        if (connection.linkedQueuePair().state() == QueuePairState.RTS
                && connection.operating().nudge()) {
            connection.transmit();
        }
        nudges++;
        nudgeInterval *= 2;
        nudgeAt = nudges < NUDGES ? now + nudgeInterval : NEVER;
    }
}
