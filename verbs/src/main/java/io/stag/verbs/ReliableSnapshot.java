package io.stag.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * One reliable datagram queue pair at one moment.
 *
 * @param id number of the queue pair
 * @param localAddress its address
 * @param state whether it takes requests
 * @param sendQueueDepth requests in the send queue, those under way included
 * @param receiveQueueDepth requests in the receive queue, or in the shared one it takes them from
 * @param idle time since a message was sent or taken
 * @param counters what it has done
 */
public record ReliableSnapshot(
        int id,
        InetSocketAddress localAddress,
        ReliableQueuePair.State state,
        int sendQueueDepth,
        int receiveQueueDepth,
        Duration idle,
        ReliableCounters counters) {}
