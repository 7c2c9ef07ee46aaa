package io.stag.rnic.qp;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.flight.Addresses;
import io.stag.rnic.flight.FlightEvents;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.ReliableQueuePair;
import java.util.concurrent.TimeUnit;

/**
 * Tells the flight recorder what was lost and who kept a queue pair waiting: in sums, since peers and networks can cause as
 * much as they like. Agent.
 */
final class ReliableWatch {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReliableQueuePair queuePair;
    private ReliableCounters told;
    private long lossToldNanos;
    private long stallToldNanos;
    private long lost;
    private long stalls;

    ReliableWatch(ReliableQueuePair queuePair, ReliableCounters zero, long nowNanos) {
        this.queuePair = queuePair;
        told = zero;
        lossToldNanos = nowNanos - INTERVAL_NANOS;
        stallToldNanos = nowNanos - INTERVAL_NANOS;
    }

    void lossSeen(DatagramAddress peer, int datagrams, long nowNanos) {
        lost += datagrams;
        if (nowNanos - lossToldNanos >= INTERVAL_NANOS) {
            lossToldNanos = nowNanos;
            ReliableCounters now = queuePair.counters();
            FlightEvents.reliableLoss(queuePair, Addresses.text(peer.object()), lost, told, now);
            told = now;
            lost = 0;
        }
    }

    void stalled(DatagramAddress peer, long nowNanos) {
        stalls++;
        if (nowNanos - stallToldNanos >= INTERVAL_NANOS) {
            stallToldNanos = nowNanos;
            FlightEvents.reliableStall(queuePair, Addresses.text(peer.object()), stalls);
            stalls = 0;
        }
    }
}
