package io.stag.verbs;

/**
 * One memory region at one moment.
 *
 * @param id number of the region, never used again. Unlike the STag it gives no access, so it may be shown to anybody
 * @param stag its STag
 * @param length its length
 * @param valid whether it can be used
 * @param remoteWrites segments placed by peers
 * @param remoteReads read responses and atomics served from it, in segments
 * @param refused accesses refused
 */
public record RegionSnapshot(
        long id, int stag, long length, boolean valid, long remoteWrites, long remoteReads, long refused) {}
