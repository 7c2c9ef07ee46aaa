package io.stag.bench;

import io.stag.verbs.AgentSnapshot;
import io.stag.verbs.Rnic;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;

/**
 * What the agents of an RNIC did since it was opened, or between two moments.
 *
 * @param cycles rounds of their loops
 * @param busyCycles of these, rounds that found something to do
 * @param selects times that they asked the system what is ready
 * @param sleeps of these, times that they were ready to sleep: each ends with a datagram, a request or a timer
 * @param processorNanos processor time of their threads
 * @param atNanos when that was, or how long
 */
record AgentUse(long cycles, long busyCycles, long selects, long sleeps, long processorNanos, long atNanos) {

    /** From the beginning until now. */
    static AgentUse now(Rnic rnic, String name) {
        List<AgentSnapshot> agents = rnic.snapshot().agents();
        return new AgentUse(
                agents.stream().mapToLong(AgentSnapshot::dutyCycles).sum(),
                agents.stream().mapToLong(AgentSnapshot::busyCycles).sum(),
                agents.stream().mapToLong(AgentSnapshot::selects).sum(),
                agents.stream().mapToLong(AgentSnapshot::waits).sum(),
                processorNanos(name),
                System.nanoTime());
    }

    /** Processor time of all agent threads of the RNIC with this name. */
    static long processorNanos(String name) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(name + "-")) {
                sum += Math.max(0, threads.getThreadCpuTime(thread.threadId()));
            }
        }
        return sum;
    }

    AgentUse minus(AgentUse before) {
        return new AgentUse(
                cycles - before.cycles,
                busyCycles - before.busyCycles,
                selects - before.selects,
                sleeps - before.sleeps,
                processorNanos - before.processorNanos,
                atNanos - before.atNanos);
    }

    /** Of one processor. */
    double processorPercent() {
        return 100.0 * processorNanos / atNanos;
    }
}
