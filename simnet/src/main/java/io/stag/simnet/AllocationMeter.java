package io.stag.simnet;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Counts the octets that the current thread allocates on the heap while it runs a piece of code. Run the code often
 * enough before, since class loading and linking allocate too.
 */
public final class AllocationMeter {
    private static final int CALIBRATION_ROUNDS = 100;

    private final ThreadMXBean threads;
    private final long ownOctets;

    /** Measures the meter's own share, which is then left out of every result. */
    public AllocationMeter() {
        if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean bean)
                || !bean.isThreadAllocatedMemorySupported()) {
            throw new UnsupportedOperationException("this JVM does not count the allocation of threads");
        }
        bean.setThreadAllocatedMemoryEnabled(true);
        this.threads = bean;
        Runnable nothing = () -> {};
        long least = Long.MAX_VALUE;
        for (int i = 0; i < CALIBRATION_ROUNDS; i++) {
            least = Math.min(least, gross(bean, nothing));
        }
        this.ownOctets = least;
    }

    /**
     * Runs the work once.
     *
     * @param work what to measure; runs on the calling thread, and only that thread's allocation counts
     * @return octets allocated by the work, without the meter's own
     */
    public long octetsAllocatedBy(Runnable work) {
        return Math.max(0, gross(threads, work) - ownOctets);
    }

    private static long gross(ThreadMXBean threads, Runnable work) {
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
