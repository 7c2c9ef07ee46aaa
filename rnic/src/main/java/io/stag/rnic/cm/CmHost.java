package io.stag.rnic.cm;

import io.stag.rnic.agent.RnicAgent;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.ConnectionEvent;

/** What the RNIC does for its connections. */
public interface CmHost {

    /** The RNIC itself. */
    Rnic rnic();

    /** Settings. */
    RnicConfig config();

    /** The agent for listeners. */
    RnicAgent listeningAgent();

    /** Whether waiting threads do the work. */
    boolean invoker();

    /** Reports an event through {@code agent}. */
    void raise(RnicAgent agent, ConnectionEvent event);

    /** The connections that have not ended. */
    ConnectionRegistry registry();

    /** Counts of connections. */
    ConnectionCounters counters();
}
