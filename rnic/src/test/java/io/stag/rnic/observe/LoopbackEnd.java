package io.stag.rnic.observe;

import io.stag.rnic.SoftRnic;
import io.stag.rnic.agent.NanoClock;
import io.stag.verbs.Access;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairCounters;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.WorkCompletions;
import java.util.EnumSet;
import java.util.SplittableRandom;

/** One RNIC with all that a queue pair needs, driven by the test's own thread. */
final class LoopbackEnd {
    final SoftRnic rnic;
    final ProtectionDomain domain;
    final CompletionQueue completions;
    final MemoryRegion region;
    private final WorkCompletions polled = WorkCompletions.ofCapacity(16);

    LoopbackEnd(String name, SoftRnic.TransportFactory transport, NanoClock clock) {
        RnicConfig config =
                RnicConfig.builder().name(name).progress(ProgressMode.INVOKER).build();
        rnic = new SoftRnic(config, transport, clock, new SplittableRandom(name.hashCode()));
        domain = rnic.allocateProtectionDomain();
        completions = rnic.createCompletionQueue(64);
        region = domain.allocate(1 << 16, EnumSet.complementOf(EnumSet.of(Access.VIRTUAL_ADDRESS)));
    }

    QueuePair newQueuePair() {
        return domain.createQueuePair(QueuePairConfig.builder(completions).build());
    }

    /** Takes completions; @return how many */
    int poll() {
        return completions.poll(polled);
    }

    QueuePairCounters totals() {
        return rnic.snapshot().totals();
    }
}
