package io.stag.cli.perf;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What a process has used so far.
 *
 * @param cpuNanos processor time, all threads, those of the JVM included
 * @param allocatedOctets octets allocated on the heap by all threads
 */
public record Meters(long cpuNanos, long allocatedOctets) {
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    static Meters now() {
        return now(0);
    }

    /** Without what the calling thread allocated: the control connection's JSON is no part of the test. */
    static Meters ofOtherThreads() {
        return now(THREADS.getCurrentThreadAllocatedBytes());
    }

    private static Meters now(long ownOctets) {
        return new Meters(SYSTEM.getProcessCpuTime(), THREADS.getTotalThreadAllocatedBytes() - ownOctets);
    }

    Meters since(Meters before) {
        return new Meters(cpuNanos - before.cpuNanos, allocatedOctets - before.allocatedOctets);
    }

    Meters plus(Meters other) {
        return new Meters(cpuNanos + other.cpuNanos, allocatedOctets + other.allocatedOctets);
    }
}
