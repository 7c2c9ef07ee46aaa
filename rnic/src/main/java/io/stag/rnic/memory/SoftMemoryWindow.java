package io.stag.rnic.memory;

import io.stag.verbs.MemoryWindow;
import io.stag.verbs.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/** A memory window of the {@link StagTable}. Bound while it has a grant, which then names the queue pair. */
public final class SoftMemoryWindow extends StagEntry implements MemoryWindow {
    /** What it is bound to. Changed under the table's lock. */
    private volatile @Nullable SoftMemoryRegion region;

    SoftMemoryWindow(StagTable table, int index, int key, int domain, ProtectionDomain owner) {
        super(table, index, key, domain, owner);
    }

    @Override
    public boolean isBound() {
        return grant() != null;
    }

    @Override
    public void close() {
        table().remove(this);
    }

    /** Also counts for the region, whose owner wants to see all accesses. */
    @Override
    public void countRemoteWrites(long segments) {
        super.countRemoteWrites(segments);
        SoftMemoryRegion bound = region;
        if (bound != null) {
            bound.countRemoteWrites(segments);
        }
    }

    /** Also counts for the region. */
    @Override
    public void countRemoteReads(long segments) {
        super.countRemoteReads(segments);
        SoftMemoryRegion bound = region;
        if (bound != null) {
            bound.countRemoteReads(segments);
        }
    }

    /** Also counts for the region. */
    @Override
    public void countRefused() {
        super.countRefused();
        SoftMemoryRegion bound = region;
        if (bound != null) {
            bound.countRefused();
        }
    }

    /** Under the table's lock. */
    void bindTo(SoftMemoryRegion target, Grant grant) {
        target.windowBound();
        region = target;
        publish(grant);
    }

    /** Returns an unbound or bound window to its domain. Under the table's lock. */
    void unbind() {
        withdraw();
        SoftMemoryRegion bound = region;
        if (bound != null) {
            bound.windowReleased();
            region = null;
        }
    }
}
