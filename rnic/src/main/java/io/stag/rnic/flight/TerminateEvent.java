package io.stag.rnic.flight;

import io.stag.verbs.ErrorDetail;
import io.stag.verbs.QueuePair;
import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A Terminate message went out or came in. */
@Name("io.stag.Terminate")
@Label("Terminate")
@Description("A Terminate message was sent or received: an error ended the stream")
@Category({"Stag", "Queue Pair"})
@StackTrace(false)
public final class TerminateEvent extends Event {
    @Label("RNIC")
    String rnic = "";

    @Label("Queue Pair")
    int queuePair;

    @Label("Sent")
    @Description("Sent by this side, which found the error; else received")
    boolean sent;

    @Label("Code")
    @Description("Layer, type and code, hexadecimal; empty when the message was malformed")
    String code = "";

    @Label("Layer")
    String layer = "";

    @Label("Clause")
    String clause = "";

    @Label("Fact")
    String fact = "";

    /** Empty. */
    public TerminateEvent() {}

    static void record(QueuePair queuePair, boolean sent, ErrorDetail detail) {
        TerminateEvent event = new TerminateEvent();
        if (!event.isEnabled()) {
            return;
        }
        event.rnic = queuePair.protectionDomain().rnic().name();
        event.queuePair = queuePair.id();
        event.sent = sent;
        event.code = detail.terminateCode() == ErrorDetail.NO_TERMINATE
                ? ""
                : String.format(Locale.ROOT, "0x%04x", detail.terminateCode());
        event.layer = detail.layer().name();
        event.clause = detail.clause();
        event.fact = detail.fact();
        event.commit();
    }
}
