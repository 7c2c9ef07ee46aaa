package io.stag.rnic.flight;

import io.stag.verbs.cm.Connection;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** The set-up of a connection, from the first attempt or octet to its outcome. */
@Name("io.stag.ConnectionSetup")
@Label("Connection Set-up")
@Description("A connection was set up, or its set-up failed")
@Registered
public final class ConnectionSetupEvent extends AbstractConnectionEvent {
    @Label("Outcome")
    @Description("ESTABLISHED, REJECTED or FAILED")
    String outcome = "";

    /** Not begun. */
    public ConnectionSetupEvent() {}

    /** Ends and records the set-up. */
    public void commit(String rnicName, Connection of) {
        end();
        if (shouldCommit()) {
            describe(rnicName, of);
            outcome = of.state().name();
            commit();
        }
    }
}
