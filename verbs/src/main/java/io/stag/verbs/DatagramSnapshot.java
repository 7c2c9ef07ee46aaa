package io.stag.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * One datagram queue pair at one moment.
 *
 * @param id number of the queue pair
 * @param localAddress its address
 * @param sendQueueDepth requests in the send queue
 * @param receiveQueueDepth requests in the receive queue, or in the shared one it takes them from
 * @param idle time since it sent or took something
 * @param counters what it has done
 */
public record DatagramSnapshot(
        int id,
        InetSocketAddress localAddress,
        int sendQueueDepth,
        int receiveQueueDepth,
        Duration idle,
        DatagramCounters counters) {}
