package io.stag.verbs;

/**
 * What an RNIC can do at most.
 *
 * @param maxQueuePairs queue pairs
 * @param maxQueueDepth requests per send, receive or shared receive queue
 * @param maxSegments buffers per request
 * @param maxInline octets of inline payload per request
 * @param maxCompletionQueues completion queues
 * @param maxCompletions completions per completion queue
 * @param maxRegions memory regions and windows together
 * @param maxInboundReads RDMA Reads and atomics a queue pair can hold for its peer (IRD)
 * @param maxOutboundReads RDMA Reads and atomics a queue pair can have outstanding (ORD)
 * @param maxPrivateData octets of private data in connection set-up
 * @param maxMessageLength octets per message
 */
public record RnicLimits(
        int maxQueuePairs,
        int maxQueueDepth,
        int maxSegments,
        int maxInline,
        int maxCompletionQueues,
        int maxCompletions,
        int maxRegions,
        int maxInboundReads,
        int maxOutboundReads,
        int maxPrivateData,
        long maxMessageLength) {}
