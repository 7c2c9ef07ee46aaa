package io.stag.rnic.flight;

import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * A work request failed. Requests flushed after it are not recorded one by one: they are counted, and the change of state
 * has their cause.
 */
@Name("io.stag.WorkError")
@Label("Work Error")
@Description("A work request failed; requests that are merely flushed after it are not recorded")
@Category({"Stag", "Queue Pair"})
@StackTrace(false)
public final class WorkErrorEvent extends Event {
    @Label("RNIC")
    String rnic = "";

    @Label("Queue Pair")
    int queuePair;

    @Label("Work Id")
    @Description("The number the program gave the request")
    long workId;

    @Label("Operation")
    String operation = "";

    @Label("Status")
    String status = "";

    @Label("Layer")
    String layer = "";

    @Label("Clause")
    String clause = "";

    @Label("Fact")
    String fact = "";

    /** Empty. */
    public WorkErrorEvent() {}

    static void record(
            QueuePair queuePair,
            long workId,
            Operation operation,
            CompletionStatus status,
            @Nullable ErrorDetail detail) {
        WorkErrorEvent event = new WorkErrorEvent();
        if (!event.isEnabled()) {
            return;
        }
        event.rnic = queuePair.protectionDomain().rnic().name();
        event.queuePair = queuePair.id();
        event.workId = workId;
        event.operation = operation.name();
        event.status = status.name();
        if (detail != null) {
            event.layer = detail.layer().name();
            event.clause = detail.clause();
            event.fact = detail.fact();
        }
        event.commit();
    }
}
