package io.stag.rnic.reliable;

/**
 * How the engine of a reliable datagram queue pair works. Times and rules are those of {@code docs/reliable-datagram.md}.
 *
 * @param domain its protection domain
 * @param queuePair its number
 * @param epoch tells it from others that had its address before; not 0
 * @param salt a secret number
 * @param segmentLength octets of payload per datagram sent, a multiple of 64
 * @param maxWindow datagrams that may be on their way to one peer, a power of two
 * @param credit datagrams of one peer that this queue pair takes beyond the one due next
 * @param maxPeers peers to keep apart
 * @param maxReorderOctets memory for what came too early, of all peers
 * @param maxReads own Reads and atomics under way to one peer, and those of one peer that wait for their answer here
 * @param rememberNanos silence after which a peer is forgotten
 * @param giveUpNanos time without acknowledgement after which a stream fails
 * @param ackDelayNanos longest time that an acknowledgement waits for company
 * @param allowRemoteRead whether peers may read and use atomics
 * @param allowRemoteWrite whether peers may write
 */
public record ReliableSettings(
        int domain,
        int queuePair,
        int epoch,
        long salt,
        int segmentLength,
        int maxWindow,
        int credit,
        int maxPeers,
        long maxReorderOctets,
        int maxReads,
        long rememberNanos,
        long giveUpNanos,
        long ackDelayNanos,
        boolean allowRemoteRead,
        boolean allowRemoteWrite) {}
