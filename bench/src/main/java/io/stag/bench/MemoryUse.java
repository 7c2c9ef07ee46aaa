package io.stag.bench;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Memory in use, in octets.
 *
 * @param heap objects that survived a garbage collection
 * @param direct memory of direct buffers
 */
record MemoryUse(long heap, long direct) {
    private static final int LEAST_COLLECTIONS = 3;
    private static final int MOST_COLLECTIONS = 20;
    private static final long A_MOMENT_NANOS = 5_000_000;

    /** Measures now; collects garbage first, until nothing more goes: direct buffers go some time after a collection. */
    static MemoryUse now() {
        MemoryUse least = collect();
        for (int i = 1; i < MOST_COLLECTIONS; i++) {
            MemoryUse next = collect();
            boolean less = next.total() < least.total();
            least = less ? next : least;
            if (!less && i >= LEAST_COLLECTIONS) {
                break;
            }
        }
        return least;
    }

    private static MemoryUse collect() {
        System.gc();
        LockSupport.parkNanos(A_MOMENT_NANOS); // for the JDK's thread that frees direct buffers
        return new MemoryUse(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), directNow());
    }

    private static long directNow() {
        long used = 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals("direct")) {
                used += pool.getMemoryUsed();
            }
        }
        return used;
    }

    long total() {
        return heap + direct;
    }

    MemoryUse minus(MemoryUse other) {
        return new MemoryUse(heap - other.heap, direct - other.direct);
    }
}
