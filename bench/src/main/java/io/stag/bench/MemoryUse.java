package io.stag.bench;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * Memory in use, in octets.
 *
 * @param heap objects that survived a garbage collection
 * @param direct memory of direct buffers
 */
record MemoryUse(long heap, long direct) {
    private static final int COLLECTIONS = 3;

    /** Measures now; collects garbage first, more than once, since direct buffers go one collection later. */
    static MemoryUse now() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return new MemoryUse(least, directNow());
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
