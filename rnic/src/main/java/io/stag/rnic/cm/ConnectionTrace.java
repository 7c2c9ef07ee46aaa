package io.stag.rnic.cm;

import io.stag.rnic.flight.ConnectionLifeEvent;
import io.stag.rnic.flight.ConnectionSetupEvent;
import io.stag.rnic.flight.FlightEvents;
import io.stag.verbs.cm.ConnectionSnapshot;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Number, age and flight recording of one connection. Under the agent's lock, but for {@link #age} and {@link #snapshot}. */
final class ConnectionTrace {
    private static final long RUNNING = Long.MIN_VALUE;

    private final CmHost host;
    private final SoftConnection connection;
    private final ConnectionTask task;
    private final long id;
    private @Nullable ConnectionSetupEvent setup;
    private @Nullable ConnectionLifeEvent life;
    private boolean established;
    private volatile boolean begun;
    private volatile long begunNanos;
    private volatile long endedNanos = RUNNING;

    ConnectionTrace(CmHost host, SoftConnection connection, ConnectionTask task) {
        this.host = host;
        this.connection = connection;
        this.task = task;
        id = host.registry().nextId();
    }

    long id() {
        return id;
    }

    /** The set-up begins; a second attempt of the same connection changes nothing. */
    void begin(long now) {
        if (begun) {
            return;
        }
        begunNanos = now;
        begun = true;
        task.begunAt(now);
        host.registry().add(connection);
        if (FlightEvents.isOn()) {
            setup = new ConnectionSetupEvent();
            setup.begin();
        }
    }

    void established() {
        established = true;
        if (FlightEvents.isOn()) {
            commitSetup();
            life = new ConnectionLifeEvent();
            life.begin();
        }
    }

    void end(long now) {
        endedNanos = now;
        host.registry().remove(connection);
        if (!FlightEvents.isOn()) {
            return;
        }
        if (established) {
            commitLife();
        } else {
            commitSetup();
        }
    }

    /** An event that was not begun, since nobody recorded then, has no duration but all else. */
    private void commitSetup() {
        ConnectionSetupEvent event = setup == null ? new ConnectionSetupEvent() : setup;
        setup = null;
        event.commit(host.config().name(), connection);
    }

    private void commitLife() {
        ConnectionLifeEvent event = life == null ? new ConnectionLifeEvent() : life;
        life = null;
        event.commit(host.config().name(), connection);
    }

    /** Since the set-up began, or how long it all took. Any thread. */
    Duration age(long now) {
        long until = endedNanos == RUNNING ? now : endedNanos;
        return Duration.ofNanos(begun ? Math.max(0, until - begunNanos) : 0);
    }

    /** Any thread. */
    ConnectionSnapshot snapshot(int queuePair, long now) {
        long until = endedNanos == RUNNING ? now : endedNanos;
        long idleNanos = Math.max(0, until - task.lastActiveNanos());
        return new ConnectionSnapshot(
                id,
                queuePair,
                task.isInitiator(),
                connection.localAddress(),
                connection.remoteAddress(),
                connection.state(),
                age(now),
                Duration.ofNanos(begun ? idleNanos : 0),
                connection.info());
    }
}
