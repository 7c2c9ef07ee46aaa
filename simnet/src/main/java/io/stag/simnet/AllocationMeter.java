package io.stag.simnet;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Counts the octets that the current thread allocates on the heap while it runs a piece of code. Code that has not run
 * often seems to allocate: class loading and linking do, and so does code that is not yet compiled.
 */
public final class AllocationMeter {
    private static final int CALIBRATION_ROUNDS = 100;
    private static final int MOST_WARM_UP_ROUNDS = 1_000;

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

    /**
     * Runs the work again and again until it allocates nothing, or for a thousand times: how long compilers need is not
     * known beforehand. What the code itself allocates it allocates in every run, so no number of them hides it.
     *
     * @param work what to measure; runs on the calling thread, and only that thread's allocation counts
     * @return octets allocated by the last run, without the meter's own
     */
    public long octetsAllocatedOnceWarm(Runnable work) {
        long octets = octetsAllocatedBy(work);
        for (int i = 0; i < MOST_WARM_UP_ROUNDS && octets > 0; i++) {
            octets = octetsAllocatedBy(work);
        }
        return octets;
    }

    private static long gross(ThreadMXBean threads, Runnable work) {
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
