package io.stag.bench;

import io.stag.verbs.AgentSnapshot;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What an RNIC, and the process around it, holds at one moment. */
record Leftovers(
        long connections,
        long queuePairs,
        long completionQueues,
        long regions,
        long stagingBuffers,
        long timers,
        long descriptors) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    static Leftovers of(Rnic rnic) {
        RnicSnapshot now = rnic.snapshot();
        long staging =
                now.agents().stream().mapToLong(AgentSnapshot::stagingBuffers).sum();
        long timers = now.agents().stream().mapToLong(AgentSnapshot::timers).sum();
        return new Leftovers(
                now.connections().size(),
                now.queuePairs().size()
                        + now.datagramQueuePairs().size()
                        + now.reliableQueuePairs().size(),
                now.completionQueues().size(),
                now.regions().size(),
                staging,
                timers,
                FileDescriptors.open().size());
    }

    /** What there is now beyond this, after waiting a while for it to go. @return {@code nothing}, or what it is */
    String beyond(Rnic rnic) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String left = of(rnic).minus(this);
        while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            left = of(rnic).minus(this);
        }
        return left.isEmpty() ? "nothing" : left;
    }

    private String minus(Leftovers before) {
        List<String> more = new ArrayList<>();
        add(more, connections - before.connections, "connections");
        add(more, queuePairs - before.queuePairs, "queue pairs");
        add(more, completionQueues - before.completionQueues, "completion queues");
        add(more, regions - before.regions, "regions");
        add(more, stagingBuffers - before.stagingBuffers, "staging buffers");
        add(more, timers - before.timers, "timers");
        add(more, descriptors - before.descriptors, "file descriptors");
        return String.join(", ", more);
    }

    private static void add(List<String> more, long count, String what) {
        if (count > 0) {
            more.add(count + " " + what);
        }
    }
}
