package io.stag.rnic.observe;

import io.stag.verbs.ErrorDetail;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairState;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A queue pair changed its state. */
@Name("io.stag.QueuePairState")
@Label("Queue Pair State")
@Description("A queue pair changed its state")
@Category({"Stag", "Queue Pair"})
@StackTrace(false)
public final class QueuePairStateEvent extends Event {
    @Label("RNIC")
    String rnic = "";

    @Label("Queue Pair")
    int queuePair;

    @Label("From")
    String from = "";

    @Label("To")
    String to = "";

    @Label("Cause")
    @Description("Layer, fact and clause of the first cause; empty for a set-up or an orderly close")
    String cause = "";

    /** Empty. */
    public QueuePairStateEvent() {}

    static void record(QueuePair queuePair, QueuePairState from, QueuePairState to, @Nullable ErrorDetail cause) {
        QueuePairStateEvent event = new QueuePairStateEvent();
        if (!event.isEnabled()) {
            return;
        }
        event.rnic = queuePair.protectionDomain().rnic().name();
        event.queuePair = queuePair.id();
        event.from = from.name();
        event.to = to.name();
        event.cause = cause == null ? "" : cause.toString();
        event.commit();
    }
}
