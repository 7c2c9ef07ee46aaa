package io.stag.rnic.memory;

import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.RegionSnapshot;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A memory region of the {@link StagTable}. Valid while it has a grant. */
public final class SoftMemoryRegion extends StagEntry implements MemoryRegion {
    // The next two under the table's lock.
    private boolean remoteAccess;
    private int boundWindows;

    /** The arena of memory that Stag allocated itself. Under {@link #control}. */
    private @Nullable Arena ownArena;

    SoftMemoryRegion(StagTable table, int index, int key, int domain, ProtectionDomain owner) {
        super(table, index, key, domain, owner);
    }

    @Override
    public MemorySegment segment() {
        return latest().memory();
    }

    @Override
    public long length() {
        return latest().length();
    }

    @Override
    public Set<Access> rights() {
        return Rights.toSet(latest().rights());
    }

    @Override
    public long remoteOffset(long offset) {
        Grant grant = latest();
        if (offset < 0 || offset > grant.length()) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "offset " + offset + " is outside 0.." + grant.length());
        }
        return grant.base() + offset;
    }

    @Override
    public boolean isValid() {
        return grant() != null;
    }

    @Override
    public void reregister(MemorySegment segment, Set<Access> rights) {
        table().reregister(this, segment, Rights.of(rights));
    }

    @Override
    public RegionSnapshot snapshot() {
        Grant grant = latest();
        return new RegionSnapshot(
                id(), grant.stag(), grant.length(), isValid(), remoteWrites(), remoteReads(), refused());
    }

    @Override
    public void close() {
        table().remove(this);
    }

    boolean hasRemoteAccess() {
        return remoteAccess;
    }

    void setRemoteAccess(boolean remoteAccess) {
        this.remoteAccess = remoteAccess;
    }

    int boundWindows() {
        return boundWindows;
    }

    void windowBound() {
        boundWindows++;
    }

    void windowReleased() {
        boundWindows--;
    }

    void setOwnArena(Arena arena) {
        ownArena = arena;
    }

    /** Frees memory that Stag allocated, unless {@code kept} is part of it. Under {@link #control}, after quiescence. */
    void freeOwnMemory(@Nullable MemorySegment kept) {
        Arena arena = ownArena;
        if (arena == null || (kept != null && kept.scope().equals(arena.scope()))) {
            return;
        }
        try {
            arena.close();
        } catch (IllegalStateException e) {
            throw new VerbsException(
                    VerbsError.IN_USE,
                    "the region is deregistered, but a native call of the program still uses its memory; "
                            + "close the region again after that call",
                    e);
        }
        ownArena = null;
    }
}
