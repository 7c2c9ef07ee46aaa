package io.stag.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** The requests of a connected queue pair: those to its peer, and those that change memory here. */
public interface SendRequests extends PeerRequests<SendRequests> {

    /** Starts an invalidation of a local STag: region or window. */
    SendRequests invalidate(long id, int localStag);

    /**
     * Starts a bind of {@code window} to part of {@code region}; the window then has STag
     * {@code (window.stag() & ~0xff) | key}.
     */
    SendRequests bindWindow(
            long id, MemoryWindow window, int key, MemoryRegion region, long offset, long length, Set<Access> rights);

    /** Starts a registration of {@code memory} under the STag of {@code region}, which must be invalid, with a new key. */
    SendRequests fastRegister(long id, MemoryRegion region, int key, MemorySegment memory, Set<Access> rights);

    /** Do not start before all earlier requests of this queue pair are complete. For local invalidation. */
    SendRequests localFence();
}
