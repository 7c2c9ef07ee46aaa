package io.stag.rnic.flight;

import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.DatagramRefusal;
import java.util.Arrays;
import java.util.stream.Collectors;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A datagram queue pair refused datagrams or gave messages up. Anybody can make it do so, so events sum up. */
@Name("io.stag.DatagramLoss")
@Label("Datagram Loss")
@Description(
        "A datagram queue pair refused datagrams or gave messages up; at most one event a second, with the sum of it")
@Category({"Stag", "Queue Pair"})
@StackTrace(false)
public final class DatagramLossEvent extends Event {
    @Label("RNIC")
    String rnic = "";

    @Label("Queue Pair")
    int queuePair;

    @Label("Refused")
    @Description("Datagrams refused since the last event")
    long refused;

    @Label("Reasons")
    @Description("Why, with the number of datagrams of each reason")
    String reasons = "";

    @Label("Partial Records")
    @Description("Write-Records that were closed before every octet had come")
    long partialRecords;

    @Label("Timed Out")
    @Description("Messages closed because nothing more came in time")
    long timedOut;

    @Label("Displaced")
    @Description("Messages closed to make room for others")
    long displaced;

    @Label("Not Queued")
    @Description("Records and completions that found too many waiting")
    long notQueued;

    /** Empty. */
    public DatagramLossEvent() {}

    static void record(DatagramQueuePair queuePair, DatagramCounters before, DatagramCounters now) {
        DatagramLossEvent event = new DatagramLossEvent();
        if (!event.isEnabled()) {
            return;
        }
        event.rnic = queuePair.protectionDomain().rnic().name();
        event.queuePair = queuePair.id();
        event.refused = now.refusedInAll() - before.refusedInAll();
        event.reasons = Arrays.stream(DatagramRefusal.values())
                .filter(reason -> now.refused(reason) > before.refused(reason))
                .map(reason -> reason + " " + (now.refused(reason) - before.refused(reason)))
                .collect(Collectors.joining(", "));
        event.partialRecords = now.recordsPartial() - before.recordsPartial();
        event.timedOut = now.messagesTimedOut() - before.messagesTimedOut();
        event.displaced = now.messagesDisplaced() - before.messagesDisplaced();
        event.notQueued =
                now.recordsNotQueued() + now.completionsLost() - before.recordsNotQueued() - before.completionsLost();
        event.commit();
    }
}
