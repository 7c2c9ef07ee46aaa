package io.stag.rnic.flight;

import io.stag.verbs.ReliableCounters;
import io.stag.verbs.ReliableQueuePair;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Datagrams of a reliable datagram queue pair count as lost. */
@Name("io.stag.ReliableLoss")
@Label("Reliable Datagram Loss")
@Description(
        "Datagrams to a peer count as lost and are sent again; at most one event a second for each queue pair, which"
                + " sums up what happened since the last one")
@Category({"Stag", "Queue Pair"})
@StackTrace(false)
public final class ReliableLossEvent extends Event {
    @Label("RNIC")
    String rnic = "";

    @Label("Queue Pair")
    int queuePair;

    @Label("Peer")
    @Description("The peer that was last concerned")
    String peer = "";

    @Label("Lost")
    @Description("Datagrams that count as lost")
    long lost;

    @Label("Time-outs")
    @Description("Times that a peer acknowledged nothing for too long")
    long timeouts;

    @Label("Sent Again")
    long sentAgain;

    @Label("In Vain")
    @Description("Of these, such that had come the first time")
    long inVain;

    @Label("Round Trip")
    @Timespan
    long roundTrip;

    @Label("Window")
    @Description("Datagrams that may be on their way")
    int window;

    /** Empty. */
    public ReliableLossEvent() {}

    static void record(
            ReliableQueuePair queuePair, String peer, long lost, ReliableCounters before, ReliableCounters now) {
        ReliableLossEvent event = new ReliableLossEvent();
        if (!event.isEnabled()) {
            return;
        }
        event.rnic = queuePair.protectionDomain().rnic().name();
        event.queuePair = queuePair.id();
        event.peer = peer;
        event.lost = lost;
        event.timeouts = now.timeouts() - before.timeouts();
        event.sentAgain = now.retransmissions() - before.retransmissions();
        event.inVain = now.spuriousRetransmissions() - before.spuriousRetransmissions();
        event.roundTrip = now.roundTripNanos();
        event.window = now.window();
        event.commit();
    }
}
