package io.stag.rnic.qp;

import io.stag.rnic.datagram.DatagramCounts;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The datagram queue pairs of an RNIC, and what those did that are closed. */
public final class DatagramRegistry {

    /**
     * All of them at about one moment.
     *
     * @param totals what they did, closed ones included
     * @param queuePairs those that are open, in order of their numbers
     */
    public record State(DatagramCounters totals, List<DatagramSnapshot> queuePairs) {}

    private final Set<SoftDatagramQueuePair> open = new HashSet<>();
    private final DatagramCounts retired = new DatagramCounts();

    /** Empty. */
    public DatagramRegistry() {}

    /** A queue pair was made. */
    public synchronized void add(SoftDatagramQueuePair queuePair) {
        open.add(queuePair);
    }

    /** A queue pair is gone. */
    public synchronized void remove(SoftDatagramQueuePair queuePair) {
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
        DatagramCounts totals = new DatagramCounts();
        totals.add(retired);
        List<DatagramSnapshot> snapshots = new ArrayList<>();
        int messages = 0;
        int sources = 0;
        long octets = 0;
        for (SoftDatagramQueuePair queuePair : open) {
            DatagramSnapshot snapshot = queuePair.snapshot();
            snapshots.add(snapshot);
            totals.add(queuePair.counts());
            messages += snapshot.counters().openMessages();
            sources += snapshot.counters().sources();
            octets += snapshot.counters().reassemblyOctets();
        }
        snapshots.sort(Comparator.comparingInt(DatagramSnapshot::id));
        return new State(totals.snapshot(messages, sources, octets), List.copyOf(snapshots));
    }
}
