package io.stag.rnic.observe;

import io.stag.rnic.flight.Addresses;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramSnapshot;

/**
 * A datagram queue pair as JMX shows it.
 *
 * @param id number of the queue pair
 * @param localAddress its address
 * @param sendQueueDepth requests in the send queue
 * @param receiveQueueDepth requests in the receive queue, or in the shared one it takes them from
 * @param idleSeconds time since it sent or took something
 * @param counters what it has done
 */
public record ManagedDatagrams(
        int id,
        String localAddress,
        int sendQueueDepth,
        int receiveQueueDepth,
        double idleSeconds,
        DatagramCounters counters) {
    private static final double NANOS = 1e9;

    static ManagedDatagrams of(DatagramSnapshot queuePair) {
        return new ManagedDatagrams(
                queuePair.id(),
                Addresses.text(queuePair.localAddress()),
                queuePair.sendQueueDepth(),
                queuePair.receiveQueueDepth(),
                queuePair.idle().toNanos() / NANOS,
                queuePair.counters());
    }
}
