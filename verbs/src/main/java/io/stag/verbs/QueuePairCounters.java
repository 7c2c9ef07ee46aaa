package io.stag.verbs;

/**
 * What was done, counted since the start: of one queue pair, over all of its connections, or of all queue pairs that an
 * RNIC ever had.
 *
 * @param messagesSent RDMAP messages handed to the transport, responses included
 * @param messagesReceived RDMAP messages received completely, responses included
 * @param sendsSent of these, messages that take a receive of the peer: Sends and Immediate Data
 * @param sendsReceived of these, messages that took a receive
 * @param writesSent of these, RDMA Writes
 * @param writesReceived of these, RDMA Writes placed
 * @param readsSent of these, RDMA Read Requests
 * @param readsServed RDMA Reads answered for the peer
 * @param atomicsSent of these, atomic requests
 * @param atomicsServed atomic operations carried out for the peer
 * @param segmentsSent DDP segments (FPDUs) sent
 * @param segmentsReceived DDP segments received and accepted
 * @param octetsSent stream octets taken by the transport, headers, padding and CRC included
 * @param octetsReceived stream octets received
 * @param sendStalls how often the transport took less than there was to send: the peer or the network is slower
 * @param completions completions generated
 * @param completionErrors of these, completions with another status than success, flushed ones included
 * @param completionsFlushed of these, requests not carried out because the queue pair had failed or was closed
 * @param terminatesSent Terminate messages sent: errors found on this side
 * @param terminatesReceived Terminate messages received: errors found by the peer
 */
public record QueuePairCounters(
        long messagesSent,
        long messagesReceived,
        long sendsSent,
        long sendsReceived,
        long writesSent,
        long writesReceived,
        long readsSent,
        long readsServed,
        long atomicsSent,
        long atomicsServed,
        long segmentsSent,
        long segmentsReceived,
        long octetsSent,
        long octetsReceived,
        long sendStalls,
        long completions,
        long completionErrors,
        long completionsFlushed,
        long terminatesSent,
        long terminatesReceived) {}
