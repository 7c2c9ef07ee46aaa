package io.stag.rnic.observe;

import io.stag.verbs.AgentSnapshot;
import io.stag.verbs.CompletionQueueSnapshot;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.QueuePairCounters;
import io.stag.verbs.QueuePairSnapshot;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicMetrics;
import io.stag.verbs.TerminateCount;
import io.stag.verbs.cm.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Shows an RNIC to JMX. */
final class ManagedRnic implements RnicMXBean {
    private final Rnic rnic;

    ManagedRnic(Rnic rnic) {
        this.rnic = rnic;
    }

    @Override
    public String getName() {
        return rnic.name();
    }

    @Override
    public long getConnectionsOpen() {
        return rnic.snapshot().connectionsOpen();
    }

    @Override
    public long getConnectionsHalfOpen() {
        return rnic.snapshot().connectionsHalfOpen();
    }

    @Override
    public long getConnectionsAccepted() {
        return rnic.snapshot().connectionsAccepted();
    }

    @Override
    public long getConnectionsMade() {
        return rnic.snapshot().connectionsMade();
    }

    @Override
    public long getConnectionsFailed() {
        return rnic.snapshot().connectionsFailed();
    }

    @Override
    public long getConnectionsRejected() {
        return rnic.snapshot().connectionsRejected();
    }

    @Override
    public long getConnectionsTurnedAway() {
        return rnic.snapshot().connectionsTurnedAway();
    }

    @Override
    public long getConnectionsLost() {
        return rnic.snapshot().connectionsLost();
    }

    @Override
    public long getCompletionQueueOverflows() {
        return rnic.snapshot().completionQueueOverflows();
    }

    @Override
    public QueuePairCounters getTotals() {
        return rnic.snapshot().totals();
    }

    @Override
    public DatagramCounters getDatagramTotals() {
        return rnic.snapshot().datagramTotals();
    }

    @Override
    public ReliableCounters getReliableTotals() {
        return rnic.snapshot().reliableTotals();
    }

    @Override
    public List<TerminateCount> getTerminates() {
        return rnic.snapshot().terminates();
    }

    @Override
    public List<AgentSnapshot> getAgents() {
        return rnic.snapshot().agents();
    }

    @Override
    public List<QueuePairSnapshot> getQueuePairs() {
        return rnic.snapshot().queuePairs();
    }

    @Override
    public List<ManagedDatagrams> getDatagramQueuePairs() {
        return rnic.snapshot().datagramQueuePairs().stream()
                .map(ManagedDatagrams::of)
                .toList();
    }

    @Override
    public List<ManagedReliable> getReliableQueuePairs() {
        return rnic.snapshot().reliableQueuePairs().stream()
                .map(ManagedReliable::of)
                .toList();
    }

    @Override
    public List<CompletionQueueSnapshot> getCompletionQueues() {
        return rnic.snapshot().completionQueues();
    }

    @Override
    public List<ManagedRegion> getRegions() {
        return rnic.snapshot().regions().stream().map(ManagedRegion::of).toList();
    }

    @Override
    public List<ManagedConnection> getConnections() {
        return listConnections(0);
    }

    @Override
    public List<ManagedConnection> listConnections(long idleSeconds) {
        Duration least = Duration.ofSeconds(idleSeconds);
        return rnic.snapshot().connections().stream()
                .filter(connection -> connection.idle().compareTo(least) >= 0)
                .map(ManagedConnection::of)
                .toList();
    }

    @Override
    public boolean disconnect(long id) {
        return end(id, Connection::disconnect);
    }

    @Override
    public boolean abort(long id) {
        return end(id, Connection::abort);
    }

    private boolean end(long id, Consumer<Connection> way) {
        Optional<Connection> connection = rnic.connectionManager().find(id);
        connection.ifPresent(way);
        return connection.isPresent();
    }

    @Override
    public String prometheus() {
        return RnicMetrics.prometheus(rnic.snapshot());
    }
}
