package io.stag.cli.devices;

import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.RnicLimits;
import io.stag.verbs.VerbsException;
import io.stag.verbs.spi.RnicProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * A provider and what it offers.
 *
 * @param provider name of the provider
 * @param implementation its class
 * @param limits what its RNIC can do at most; null when it cannot be opened
 * @param error why it cannot be opened; null when it can
 */
record Device(
        String provider,
        String implementation,
        @Nullable Map<String, Long> limits,
        @Nullable String error) {

    /** Opens every provider found. */
    static List<Device> all() {
        List<Device> devices = new ArrayList<>();
        for (RnicProvider provider : ServiceLoader.load(RnicProvider.class, Rnic.class.getClassLoader())) {
            devices.add(of(provider));
        }
        return devices;
    }

    private static Device of(RnicProvider provider) {
        String implementation = provider.getClass().getName();
        try (Rnic rnic = provider.open(RnicConfig.defaults())) {
            return new Device(provider.name(), implementation, limits(rnic.limits()), null);
        } catch (VerbsException | UnsupportedOperationException e) {
            return new Device(provider.name(), implementation, null, e.getMessage());
        }
    }

    private static Map<String, Long> limits(RnicLimits limits) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        numbers.put("queue_pairs", (long) limits.maxQueuePairs());
        numbers.put("requests_per_queue", (long) limits.maxQueueDepth());
        numbers.put("buffers_per_request", (long) limits.maxSegments());
        numbers.put("inline_octets", (long) limits.maxInline());
        numbers.put("completion_queues", (long) limits.maxCompletionQueues());
        numbers.put("completions_per_queue", (long) limits.maxCompletions());
        numbers.put("regions_and_windows", (long) limits.maxRegions());
        numbers.put("inbound_reads", (long) limits.maxInboundReads());
        numbers.put("outbound_reads", (long) limits.maxOutboundReads());
        numbers.put("private_data_octets", (long) limits.maxPrivateData());
        numbers.put("message_octets", limits.maxMessageLength());
        return numbers;
    }
}
