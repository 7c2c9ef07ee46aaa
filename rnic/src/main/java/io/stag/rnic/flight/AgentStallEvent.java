package io.stag.rnic.flight;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A duty cycle took longer than {@code RnicConfig.stallThreshold}. Thread and duration are those of the cycle. */
@Name("io.stag.AgentStall")
@Label("Agent Stall")
@Description("A duty cycle of an RNIC agent took longer than the stall threshold; no other stream was served meanwhile")
@Category({"Stag", "Agent"})
@StackTrace(false)
public final class AgentStallEvent extends Event {
    @Label("Agent")
    String agent = "";

    @Label("Cycle Time")
    @Description("As the agent's clock saw it")
    @Timespan(Timespan.NANOSECONDS)
    long cycleTime;

    @Label("Work")
    @Description("Amount of work done in the cycle: mostly octets moved")
    @DataAmount
    int work;

    /** Not begun. */
    public AgentStallEvent() {}

    /** Ends and records the cycle that was begun. */
    public void commit(String agentName, long cycleNanos, int workDone) {
        end();
        if (shouldCommit()) {
            agent = agentName;
            cycleTime = cycleNanos;
            work = workDone;
            commit();
        }
    }
}
