package io.stag.rnic.datagram;

import io.stag.verbs.DatagramQueuePairConfig;

/**
 * How a queue pair's engine works.
 *
 * @param domain its protection domain
 * @param queuePair its number
 * @param epoch tells it from others that had its address before
 * @param salt a secret number
 * @param segmentLength octets of payload per datagram sent, a multiple of 64
 * @param maxMessageLength octets of the longest message received in several datagrams
 * @param maxOpenMessages messages of which more is awaited, of all sources
 * @param maxOpenMessagesPerSource messages of which more is awaited, of one source
 * @param maxReassemblyOctets memory to keep track of them
 * @param maxSources sources to keep apart
 * @param sourceIdleNanos silence after which a source may be forgotten
 * @param minTimeoutNanos shortest silence that closes an open message
 * @param maxTimeoutNanos longest silence that closes an open message
 * @param allowWriteRecord whether peers may write
 * @param flowWindow datagrams that may be on their way without a report, or 0 for any number
 * @param flowTimeoutNanos after which a datagram without report counts as gone
 * @param flowReports whether peers get reports that want them
 */
public record DatagramSettings(
        int domain,
        int queuePair,
        int epoch,
        long salt,
        int segmentLength,
        long maxMessageLength,
        int maxOpenMessages,
        int maxOpenMessagesPerSource,
        long maxReassemblyOctets,
        int maxSources,
        long sourceIdleNanos,
        long minTimeoutNanos,
        long maxTimeoutNanos,
        boolean allowWriteRecord,
        int flowWindow,
        long flowTimeoutNanos,
        boolean flowReports) {

    /** Those of a datagram queue pair whose datagrams of {@code unfragmentedLength} octets do not become IP fragments. */
    public static DatagramSettings of(
            DatagramQueuePairConfig config, int domain, int queuePair, int unfragmentedLength, int epoch, long salt) {
        int longest = config.datagramLength() > 0 ? config.datagramLength() : unfragmentedLength;
        return new DatagramSettings(
                domain,
                queuePair,
                epoch,
                salt,
                DatagramSender.segmentLength(Math.min(longest, DatagramOutput.LONGEST_ENTRY)),
                config.maxMessageLength(),
                config.maxOpenMessages(),
                config.maxOpenMessagesPerSource(),
                config.maxReassemblyOctets(),
                config.maxSources(),
                config.sourceIdle().toNanos(),
                config.minMessageTimeout().toNanos(),
                config.maxMessageTimeout().toNanos(),
                config.allowWriteRecord(),
                config.flowWindow(),
                config.flowTimeout().toNanos(),
                config.flowReports());
    }
}
