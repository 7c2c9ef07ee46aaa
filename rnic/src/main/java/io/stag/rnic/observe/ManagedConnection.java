package io.stag.rnic.observe;

import io.stag.rnic.flight.Addresses;
import io.stag.verbs.cm.ConnectionInfo;
import io.stag.verbs.cm.ConnectionSnapshot;

/**
 * A connection as JMX shows it.
 *
 * @param id number of the connection, for {@link RnicMXBean#disconnect} and {@link RnicMXBean#abort}
 * @param queuePair number of its queue pair, or 0 while a peer's request waits for a decision
 * @param initiator whether this side asked for the connection
 * @param localAddress our end
 * @param remoteAddress the peer's end
 * @param state its stage
 * @param ageSeconds time since its first octet or attempt
 * @param idleSeconds time since octets moved in either direction
 * @param revision MPA revision, 0 in set-up
 * @param crc whether CRC32C protects the stream
 * @param markersSent whether we put markers into our stream
 * @param markersReceived whether the peer puts markers into its stream
 */
public record ManagedConnection(
        long id,
        int queuePair,
        boolean initiator,
        String localAddress,
        String remoteAddress,
        String state,
        double ageSeconds,
        double idleSeconds,
        int revision,
        boolean crc,
        boolean markersSent,
        boolean markersReceived) {
    private static final double NANOS = 1e9;

    static ManagedConnection of(ConnectionSnapshot connection) {
        return new ManagedConnection(
                connection.id(),
                connection.queuePair(),
                connection.initiator(),
                Addresses.text(connection.localAddress()),
                Addresses.text(connection.remoteAddress()),
                connection.state().name(),
                connection.age().toNanos() / NANOS,
                connection.idle().toNanos() / NANOS,
                connection.info().map(ConnectionInfo::revision).orElse(0),
                connection.info().map(ConnectionInfo::crc).orElse(false),
                connection.info().map(ConnectionInfo::markersSent).orElse(false),
                connection.info().map(ConnectionInfo::markersReceived).orElse(false));
    }
}
