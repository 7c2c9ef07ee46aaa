package io.stag.verbs;

/**
 * One queue pair at one moment.
 *
 * @param id number of the queue pair
 * @param state its state
 * @param sendQueueDepth requests in the send queue
 * @param receiveQueueDepth requests in the receive queue, or in the shared one it takes them from
 * @param counters what it has done
 */
public record QueuePairSnapshot(
        int id, QueuePairState state, int sendQueueDepth, int receiveQueueDepth, QueuePairCounters counters) {}
