package io.stag.rnic.flight;

import io.stag.verbs.cm.Connection;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.Timespan;

/** An established connection, recorded when it has ended. */
@Name("io.stag.Connection")
@Label("Connection")
@Description("An established connection, from the end of its set-up to its end")
@Registered
public final class ConnectionLifeEvent extends AbstractConnectionEvent {
    @Label("Age")
    @Description("Time since the set-up began; known also when the recording began later")
    @Timespan(Timespan.NANOSECONDS)
    long age;

    @Label("Idle")
    @Description("Time since octets last moved")
    @Timespan(Timespan.NANOSECONDS)
    long idle;

    /** Not begun. */
    public ConnectionLifeEvent() {}

    /** Ends and records the connection. */
    public void commit(String rnicName, Connection of) {
        end();
        if (shouldCommit()) {
            describe(rnicName, of);
            age = of.snapshot().age().toNanos();
            idle = of.snapshot().idle().toNanos();
            commit();
        }
    }
}
