package io.stag.rnic.qp;

import io.stag.rnic.reliable.ReliableCounts;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.ReliableSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The reliable datagram queue pairs of an RNIC, and what those did that are closed. */
public final class ReliableRegistry {

    /**
     * All of them at about one moment.
     *
     * @param totals what they did, closed ones included; round trip and window are the longest and the smallest
     * @param queuePairs those that are open, in order of their numbers
     */
    public record State(ReliableCounters totals, List<ReliableSnapshot> queuePairs) {}

    private final Set<SoftReliableQueuePair> open = new HashSet<>();
    private final ReliableCounts retired = new ReliableCounts();

    /** Empty. */
    public ReliableRegistry() {}

    /** A queue pair was made. */
    public synchronized void add(SoftReliableQueuePair queuePair) {
        open.add(queuePair);
    }

    /** A queue pair is gone. */
    public synchronized void remove(SoftReliableQueuePair queuePair) {
        if (open.remove(queuePair)) {
            retired.add(queuePair.counts());
        }
    }

    /** How many are open. */
    public synchronized int size() {
        return open.size();
    }

    /** Reads all counters. No queue pair is counted twice, or not at all, because it is just being closed. */
    public synchronized State state() {
        ReliableCounts totals = new ReliableCounts();
        totals.add(retired);
        List<ReliableSnapshot> snapshots = new ArrayList<>();
        int peers = 0;
        int active = 0;
        long roundTrip = 0;
        int window = Integer.MAX_VALUE;
        for (SoftReliableQueuePair queuePair : open) {
            ReliableSnapshot snapshot = queuePair.snapshot();
            ReliableCounters counters = snapshot.counters();
            snapshots.add(snapshot);
            totals.add(queuePair.counts());
            peers += counters.peers();
            active += counters.activePeers();
            roundTrip = Math.max(roundTrip, counters.roundTripNanos());
            window = Math.min(window, counters.window());
        }
        snapshots.sort(Comparator.comparingInt(ReliableSnapshot::id));
        return new State(
                totals.snapshot(peers, active, roundTrip, open.isEmpty() ? 0 : window), List.copyOf(snapshots));
    }
}
