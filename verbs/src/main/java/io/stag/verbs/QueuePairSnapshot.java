package io.stag.verbs;

/**
 * Counters of one queue pair at one moment.
 *
 * @param id number of the queue pair
 * @param state its state
 * @param messagesSent messages handed to the transport, read responses included
 * @param messagesReceived messages delivered, placed writes and read responses included
 * @param segmentsSent DDP segments (FPDUs) sent
 * @param segmentsReceived DDP segments received and accepted
 * @param octetsSent stream octets handed to the transport
 * @param octetsReceived stream octets received
 * @param readsServed RDMA Reads answered for the peer
 * @param atomicsServed atomic operations carried out for the peer
 * @param completions completions generated
 * @param completionErrors completions with another status than success
 * @param terminatesSent Terminate messages sent
 * @param terminatesReceived Terminate messages received
 * @param sendQueueDepth requests in the send queue
 * @param receiveQueueDepth requests in the receive queue
 */
public record QueuePairSnapshot(
        int id,
        QueuePairState state,
        long messagesSent,
        long messagesReceived,
        long segmentsSent,
        long segmentsReceived,
        long octetsSent,
        long octetsReceived,
        long readsServed,
        long atomicsServed,
        long completions,
        long completionErrors,
        long terminatesSent,
        long terminatesReceived,
        int sendQueueDepth,
        int receiveQueueDepth) {}
