package io.stag.rnic.qp;

import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.datagram.DatagramSender;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramQueuePairConfig;
import io.stag.verbs.RnicLimits;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.time.Duration;

/** What the settings of a datagram queue pair may be. */
final class DatagramLimits {
    private static final int MOST_MESSAGES = 1 << 16;
    private static final int MOST_SOURCES = 1 << 20;
    private static final int MOST_BUFFER = 1 << 30;
    private static final int MOST_ON_THE_WAY = 1 << 14;
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
