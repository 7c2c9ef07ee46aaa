package io.stag.rnic.work;

import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.SoftMemoryRegion;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The local buffers of a request. Grows to what its requests use and stays so. The first buffer, mostly the only one, is
 * in the object itself: rings have many of these, and each array would be another line of the cache.
 */
public final class ScatterList {
    private static final SoftMemoryRegion[] NO_REGIONS = {};
    private static final long[] NO_NUMBERS = {};

    private @Nullable SoftMemoryRegion firstRegion;
    private long firstOffset;
    private long firstLength;
    private long firstGrant;
    private int count;
    private long total;

    // all others, from index 1 on
    private @Nullable SoftMemoryRegion[] regions = NO_REGIONS;
    private long[] offsets = NO_NUMBERS;
    private long[] lengths = NO_NUMBERS;
    private long[] grants = NO_NUMBERS;

    ScatterList() {}

    void clear() {
        // the first region stays: mostly the next one is the same, and for a store the garbage collector keeps books
        if (count > 1) {
            Arrays.fill(regions, 1, count, null);
        }
        count = 0;
        total = 0;
    }

    @SuppressWarnings("ReferenceEquality") // only whether there is something to store
    void add(SoftMemoryRegion region, long offset, long length) {
        if (count == 0) {
            if (firstRegion != region) {
                firstRegion = region;
            }
            firstOffset = offset;
            firstLength = length;
        } else {
            addFurther(region, offset, length);
        }
        count++;
        total += length;
    }

    private void addFurther(SoftMemoryRegion region, long offset, long length) {
        if (count >= regions.length) {
            int larger = count * 2;
            regions = Arrays.copyOf(regions, larger);
            offsets = Arrays.copyOf(offsets, larger);
            lengths = Arrays.copyOf(lengths, larger);
            grants = Arrays.copyOf(grants, larger);
        }
        regions[count] = region;
        offsets[count] = offset;
        lengths[count] = length;
    }

    /** Number of buffers. */
    public int count() {
        return count;
    }

    /** Octets of all buffers together. */
    public long total() {
        return total;
    }

    /** Region of buffer {@code index}. */
    public SoftMemoryRegion region(int index) {
        SoftMemoryRegion region = index == 0 ? firstRegion : regions[index];
        if (region == null || index >= count) {
            throw new IllegalStateException("buffer " + index + " of " + count);
        }
        return region;
    }

    /** Engine, when the request begins: buffer {@code index} counts from now on under this grant only. */
    public void pin(int index, Grant grant) {
        if (index == 0) {
            firstGrant = grant.number();
        } else {
            grants[index] = grant.number();
        }
    }

    /**
     * The grant of buffer {@code index} at {@link #pin}, or null when its region does not grant that any more: a late response
     * must not reach memory that was registered after its request. A grant never changes, so what was checked then holds.
     */
    public @Nullable Grant pinnedGrant(int index) {
        Grant grant = region(index).grant();
        return grant != null && grant.number() == (index == 0 ? firstGrant : grants[index]) ? grant : null;
    }

    /** Where buffer {@code index} starts in its region. */
    public long offset(int index) {
        return index == 0 ? firstOffset : offsets[index];
    }

    /** Octets of buffer {@code index}. */
    public long length(int index) {
        return index == 0 ? firstLength : lengths[index];
    }
}
