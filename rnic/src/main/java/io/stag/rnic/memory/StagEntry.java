package io.stag.rnic.memory;

import io.stag.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What an index of the {@link StagTable} stands for. The table's lock guards every change of state; any thread may read
 * the grants.
 */
public abstract sealed class StagEntry permits SoftMemoryRegion, SoftMemoryWindow {
    private static final VarHandle REMOTE_WRITES = counter("remoteWrites");
    private static final VarHandle REMOTE_READS = counter("remoteReads");
    private static final VarHandle REFUSED = counter("refused");

    private final StagTable table;
    private final int index;
    private final long id;
    private final int domain;
    private final ProtectionDomain owner;

    /** Taken by {@code close} and {@code reregister} around the wait for the agents, which never take it. */
    final Object control = new Object();

    /** What is granted; null while the STag is invalid. */
    private volatile @Nullable Grant grant;

    /** The grant last given, kept while the STag is invalid. */
    private volatile Grant latest;

    private boolean removed;

    // Written through the VarHandles, by several agents.
    @SuppressWarnings("UnusedVariable")
    private long remoteWrites;

    @SuppressWarnings("UnusedVariable")
    private long remoteReads;

    @SuppressWarnings("UnusedVariable")
    private long refused;

    StagEntry(StagTable table, int index, int key, int domain, ProtectionDomain owner) {
        this.table = table;
        this.index = index;
        this.id = table.nextEntryId();
        this.domain = domain;
        this.owner = owner;
        this.latest = new Grant(this, index << 8 | key, 0, 0, 0, MemorySegment.NULL);
    }

    /** The upper 24 bits of the STag. Fixed for the life of the entry. */
    public final int index() {
        return index;
    }

    /** A number that gives no access. */
    public final long id() {
        return id;
    }

    /** Number of the protection domain. */
    public final int domain() {
        return domain;
    }

    /** The domain as an object of the verbs. */
    public final ProtectionDomain protectionDomain() {
        return owner;
    }

    /** The STag last valid or, before the first use, the one that names the entry. Any thread. */
    public final int stag() {
        return latest.stag();
    }

    /** What is granted now, or null while the STag is invalid. Any thread. */
    public final @Nullable Grant grant() {
        return grant;
    }

    /** Counts segments placed by a peer. Any agent. */
    public void countRemoteWrites(long segments) {
        REMOTE_WRITES.getAndAddRelease(this, segments);
    }

    /** Counts segments of read responses or atomics served to a peer. Any agent. */
    public void countRemoteReads(long segments) {
        REMOTE_READS.getAndAddRelease(this, segments);
    }

    /** Counts an access refused to a peer. Any agent. */
    public void countRefused() {
        REFUSED.getAndAddRelease(this, 1L);
    }

    final long remoteWrites() {
        return (long) REMOTE_WRITES.getAcquire(this);
    }

    final long remoteReads() {
        return (long) REMOTE_READS.getAcquire(this);
    }

    final long refused() {
        return (long) REFUSED.getAcquire(this);
    }

    final StagTable table() {
        return table;
    }

    final Grant latest() {
        return latest;
    }

    /** Makes the STag valid, or replaces what it grants. Under the table's lock. */
    final void publish(Grant next) {
        latest = next;
        grant = next;
    }

    /** Makes the STag invalid. Under the table's lock. */
    final void withdraw() {
        grant = null;
    }

    /** Under the table's lock. */
    final boolean isRemoved() {
        return removed;
    }

    /** Under the table's lock. */
    final void markRemoved() {
        removed = true;
    }

    private static VarHandle counter(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(StagEntry.class, field, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
