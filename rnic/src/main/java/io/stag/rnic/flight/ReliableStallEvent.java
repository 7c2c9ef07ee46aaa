package io.stag.rnic.flight;

import io.stag.verbs.ReliableQueuePair;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A reliable datagram queue pair waits for a peer. */
@Name("io.stag.ReliableStall")
@Label("Reliable Datagram Stall")
@Description(
        "Sending waits for a peer that has no receive for a message, or gives no credit; at most one event a second for"
                + " each queue pair")
@Category({"Stag", "Queue Pair"})
@StackTrace(false)
public final class ReliableStallEvent extends Event {
    @Label("RNIC")
    String rnic = "";

    @Label("Queue Pair")
    int queuePair;

    @Label("Peer")
    @Description("The peer that was last concerned")
    String peer = "";

    @Label("Times")
    @Description("How often since the last event, with any peer")
    long times;

    /** Empty. */
    public ReliableStallEvent() {}

    static void record(ReliableQueuePair queuePair, String peer, long times) {
        ReliableStallEvent event = new ReliableStallEvent();
        if (!event.isEnabled()) {
            return;
        }
        event.rnic = queuePair.protectionDomain().rnic().name();
        event.queuePair = queuePair.id();
        event.peer = peer;
        event.times = times;
        event.commit();
    }
}
