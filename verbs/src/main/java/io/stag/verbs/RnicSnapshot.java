package io.stag.verbs;

import java.util.List;

/**
 * All counters of an RNIC at one moment.
 *
 * @param name name of the RNIC
 * @param connectionsOpen connections established and not yet closed
 * @param connectionsHalfOpen connections in set-up
 * @param connectionsAccepted connections made by peers since the start
 * @param connectionsMade connections made to peers since the start
 * @param connectionsFailed set-ups that failed, time-outs and rejections included
 * @param completionQueueOverflows completions lost because a completion queue was full
 * @param queuePairs one entry per queue pair
 * @param regions one entry per memory region
 */
public record RnicSnapshot(
        String name,
        long connectionsOpen,
        long connectionsHalfOpen,
        long connectionsAccepted,
        long connectionsMade,
        long connectionsFailed,
        long completionQueueOverflows,
        List<QueuePairSnapshot> queuePairs,
        List<RegionSnapshot> regions) {}
