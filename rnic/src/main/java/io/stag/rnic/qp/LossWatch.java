package io.stag.rnic.qp;

import io.stag.rnic.datagram.DatagramCounts;
import io.stag.rnic.flight.FlightEvents;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramQueuePair;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Tells the flight recorder what a queue pair refused and lost: in sums, since peers can cause as much as they like. */
final class LossWatch {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final DatagramCounts counts;
    private DatagramCounters told;
    private long lossesTold;
    private long toldNanos;

    LossWatch(DatagramCounts counts, long nowNanos) {
        this.counts = counts;
        told = counts.snapshot(0, 0, 0);
        toldNanos = nowNanos - INTERVAL_NANOS;
    }

    /** Datagrams were handled. */
    void look(DatagramQueuePair queuePair, LongSupplier clock) {
        if (FlightEvents.isOn() && counts.losses() != lossesTold) {
            long now = clock.getAsLong();
            if (now - toldNanos >= INTERVAL_NANOS) {
                toldNanos = now;
                tell(queuePair);
            }
        }
    }

    /** The queue pair is closed: what was not told yet is told now. */
    void end(DatagramQueuePair queuePair) {
        if (FlightEvents.isOn() && counts.losses() != lossesTold) {
            tell(queuePair);
        }
    }

    private void tell(DatagramQueuePair queuePair) {
        DatagramCounters now = counts.snapshot(0, 0, 0);
        FlightEvents.datagramLoss(queuePair, told, now);
        told = now;
        lossesTold = counts.losses();
    }
}
