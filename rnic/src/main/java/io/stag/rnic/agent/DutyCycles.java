package io.stag.rnic.agent;

import io.stag.rnic.flight.AgentStallEvent;
import io.stag.rnic.flight.FlightEvents;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times the rounds of one agent: plain fields, written by whoever drives the agent, read by anybody.
 *
 * <p>A round is timed where the clock is read anyway (an agent thread), else every sixteenth, or all of them while the
 * flight recorder wants to know of stalls.
 */
final class DutyCycles {
    private static final int TIMED_EVERY = 16;

    private final String agent;
    private final long stallNanos;
    private @Nullable AgentStallEvent stall; // of the present cycle, while somebody records
    long count;
    long busy;
    long selects;
    long waits;
    long stalls;
    long longestNanos;

    DutyCycles(String agent, long stallNanos) {
        this.agent = agent;
        this.stallNanos = stallNanos;
    }

    /** Whether the next cycle should be timed by a thread that need not read the clock. */
    boolean isTimed() {
        return count % TIMED_EVERY == 0 || (FlightEvents.isOn() && stallEvent().isEnabled());
    }

    /** A cycle begins that will be timed. */
    void begin() {
        if (FlightEvents.isOn()) {
            stallEvent().begin();
        }
    }

    /** The cycle took {@code nanos}. */
    void end(long nanos, int work) {
        if (nanos > longestNanos) {
            longestNanos = nanos;
        }
        if (nanos > stallNanos) {
            stalls++;
            if (FlightEvents.isOn()) {
                stallEvent().commit(agent, nanos, work);
                stall = null;
            }
        }
    }

    private AgentStallEvent stallEvent() {
        AgentStallEvent event = stall;
        if (event == null) {
            event = new AgentStallEvent();
            stall = event;
        }
        return event;
    }
}
