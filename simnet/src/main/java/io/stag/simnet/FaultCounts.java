package io.stag.simnet;

import java.util.EnumMap;

/** How often each fault was injected. */
final class FaultCounts {
    private final EnumMap<Fault, Long> counts = new EnumMap<>(Fault.class);

    FaultCounts() {}

    void add(Fault fault) {
        counts.merge(fault, 1L, Long::sum);
    }

    long of(Fault fault) {
        return counts.getOrDefault(fault, 0L);
    }
}
