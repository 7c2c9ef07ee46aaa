package io.stag.rnic.qp;

import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.datagram.DatagramSender;
import io.stag.rnic.reliable.ReliableEngine;
import io.stag.rnic.transport.DatagramPort;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.RnicLimits;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.ReliableHeader;
import io.stag.wire.ddp.UntaggedHeader;
import java.time.Duration;

/** What the settings of datagram and reliable datagram queue pairs may be. */
final class DatagramLimits {
    private static final int MOST_MESSAGES = 1 << 16;
    private static final int MOST_SOURCES = 1 << 20;
    private static final int MOST_BUFFER = 1 << 30;
    private static final int MOST_ON_THE_WAY = 1 << 14;
    private static final int RELIABLE_OVERHEAD = ReliableHeader.LENGTH + UntaggedHeader.LENGTH + Crc32c.LENGTH;
    private static final int LEAST_WINDOW = 16;
    private static final int MOST_WINDOW = ReliableHeader.MAX_WORDS * ReliableHeader.WORD_BITS;
    private static final int LEAST_CREDIT = 8;
    private static final int BOOKKEEPING = 1 << 10; // of Linux, about
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private DatagramLimits() {}

    static void check(DatagramQueuePairConfig config, RnicLimits limits) {
        check("sendDepth", config.sendDepth(), 1, limits.maxQueueDepth());
        check("receiveDepth", config.receiveDepth(), 1, limits.maxQueueDepth());
        check("maxSegments", config.maxSegments(), 1, limits.maxSegments());
        check("maxInline", config.maxInline(), 0, limits.maxInline());
        if (config.datagramLength() != 0) {
            check(
                    "datagramLength",
                    config.datagramLength(),
                    DatagramSender.OVERHEAD + DatagramInfo.BLOCK,
                    DatagramOutput.LONGEST_ENTRY);
        }
        check("maxMessageLength", config.maxMessageLength(), 1, limits.maxMessageLength());
        check("recordDepth", config.recordDepth(), 0, limits.maxQueueDepth());
        check("maxOpenMessages", config.maxOpenMessages(), 1, MOST_MESSAGES);
        check("maxOpenMessagesPerSource", config.maxOpenMessagesPerSource(), 1, MOST_MESSAGES);
        check("maxReassemblyOctets", config.maxReassemblyOctets(), 1 << 10, Integer.MAX_VALUE);
        check("maxSources", config.maxSources(), 1, MOST_SOURCES);
        check("errorDepth", config.errorDepth(), 1, MOST_MESSAGES);
        check("receiveBuffer", config.receiveBuffer(), 1, MOST_BUFFER);
        check("sendBuffer", config.sendBuffer(), 1, MOST_BUFFER);
        check("flowWindow", config.flowWindow(), 0, MOST_ON_THE_WAY);
        check("flowTimeout", config.flowTimeout(), Duration.ofNanos(1_000), LONGEST);
        check("multicastHops", config.multicastHops(), 0, 255);
        check("sourceIdle", config.sourceIdle(), Duration.ofMillis(1), LONGEST);
        check("minMessageTimeout", config.minMessageTimeout(), Duration.ofNanos(1_000), config.maxMessageTimeout());
        check("maxMessageTimeout", config.maxMessageTimeout(), config.minMessageTimeout(), LONGEST);
        if (config.address().isUnresolved()) {
            throw new VerbsException(VerbsError.INVALID_ARGUMENT, config.address() + " is not resolved");
        }
    }

    static void check(ReliableQueuePairConfig config, RnicLimits limits) {
        check("sendDepth", config.sendDepth(), 1, limits.maxQueueDepth());
        check("receiveDepth", config.receiveDepth(), 1, limits.maxQueueDepth());
        check("maxSegments", config.maxSegments(), 1, limits.maxSegments());
        check("maxInline", config.maxInline(), 0, limits.maxInline());
        if (config.datagramLength() != 0) {
            check(
                    "datagramLength",
                    config.datagramLength(),
                    RELIABLE_OVERHEAD + DatagramInfo.BLOCK,
                    DatagramOutput.LONGEST_ENTRY);
        }
        check("window", config.window(), LEAST_WINDOW, MOST_WINDOW);
        if (Integer.bitCount(config.window()) != 1) {
            throw new VerbsException(VerbsError.LIMIT_EXCEEDED, "window " + config.window() + " is not a power of two");
        }
        check("maxReads", config.maxReads(), 1, limits.maxInboundReads());
        check("maxPeers", config.maxPeers(), 1, MOST_SOURCES);
        check("maxReorderOctets", config.maxReorderOctets(), 1 << 10, Integer.MAX_VALUE);
        check("errorDepth", config.errorDepth(), 1, MOST_MESSAGES);
        check("receiveBuffer", config.receiveBuffer(), 1, MOST_BUFFER);
        check("sendBuffer", config.sendBuffer(), 1, MOST_BUFFER);
        check("remember", config.remember(), Duration.ofMillis(1), LONGEST);
        // what is left of it, a sixth at least, is the time that a datagram may live in the network (RD-014)
        check(
                "giveUp",
                config.giveUp(),
                Duration.ofNanos(1_000),
                config.remember().dividedBy(4));
        check("ackDelay", config.ackDelay(), Duration.ZERO, config.giveUp().dividedBy(10));
        if (config.address().isUnresolved()) {
            throw new VerbsException(VerbsError.INVALID_ARGUMENT, config.address() + " is not resolved");
        }
    }

    /** Octets of payload per datagram of a reliable datagram queue pair at {@code port}. */
    static int segmentLength(ReliableQueuePairConfig config, DatagramPort port) {
        return ReliableEngine.segmentLength(datagramLength(config, port));
    }

    /**
     * Datagrams of one peer that may wait at {@code port}: those that half of its buffer holds, since there are others, and
     * the system counts what it needs itself for each datagram.
     */
    static int credit(ReliableQueuePairConfig config, DatagramPort port) {
        int each = datagramLength(config, port) + BOOKKEEPING;
        return Math.clamp(port.receiveBuffer() / each, LEAST_CREDIT, config.window());
    }

    private static int datagramLength(ReliableQueuePairConfig config, DatagramPort port) {
        int longest = config.datagramLength() > 0 ? config.datagramLength() : port.unfragmentedLength();
        return Math.min(longest, DatagramOutput.LONGEST_ENTRY);
    }

    private static void check(String setting, long value, long min, long max) {
        SoftProtectionDomain.check(setting, value, min, max);
    }

    private static void check(String setting, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED, setting + " " + value + " is outside " + min + " to " + max);
        }
    }
}
