package io.stag.rnic.cm;

import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The connections of an RNIC that have not ended, so that an administrator can find and end them. Any thread. */
public final class ConnectionRegistry {
    private final AtomicLong lastId = new AtomicLong();
    private final ConcurrentSkipListMap<Long, SoftConnection> connections = new ConcurrentSkipListMap<>();

    /** Empty. */
    public ConnectionRegistry() {}

    long nextId() {
        return lastId.incrementAndGet();
    }

    void add(SoftConnection connection) {
        connections.put(connection.id(), connection);
    }

    void remove(SoftConnection connection) {
        connections.remove(connection.id());
    }

    /** All of them, in order of their numbers. */
    public List<Connection> connections() {
        return List.copyOf(connections.values());
    }

    /** The one with a number. */
    public Optional<Connection> find(long id) {
        return Optional.ofNullable(connections.get(id));
    }

    /** All of them at this moment. */
    public List<ConnectionSnapshot> snapshots() {
        return connections.values().stream().map(SoftConnection::snapshot).toList();
    }
}
