package io.stag.rnic.observe;

import io.stag.rnic.flight.Addresses;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.ReliableSnapshot;

/**
 * A reliable datagram queue pair as JMX shows it.
 *
 * @param id number of the queue pair
 * @param localAddress its address
 * @param state whether it takes requests
 * @param sendQueueDepth requests in the send queue, those under way included
 * @param receiveQueueDepth requests in the receive queue, or in the shared one it takes them from
 * @param idleSeconds time since a message was sent or taken
 * @param counters what it has done
 */
public record ManagedReliable(
        int id,
        String localAddress,
        String state,
        int sendQueueDepth,
        int receiveQueueDepth,
        double idleSeconds,
        ReliableCounters counters) {
    private static final double NANOS = 1e9;

    static ManagedReliable of(ReliableSnapshot queuePair) {
        return new ManagedReliable(
                queuePair.id(),
                Addresses.text(queuePair.localAddress()),
                queuePair.state().name(),
                queuePair.sendQueueDepth(),
                queuePair.receiveQueueDepth(),
                queuePair.idle().toNanos() / NANOS,
                queuePair.counters());
    }
}
