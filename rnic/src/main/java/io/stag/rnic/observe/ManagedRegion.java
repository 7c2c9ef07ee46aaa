package io.stag.rnic.observe;

import io.stag.verbs.RegionSnapshot;

/**
 * A memory region as JMX shows it: without its STag.
 *
 * @param id number of the region
 * @param length its length
 * @param valid whether it can be used
 * @param remoteWrites segments placed by peers
 * @param remoteReads read responses and atomics served from it, in segments
 * @param refused accesses refused
 */
public record ManagedRegion(long id, long length, boolean valid, long remoteWrites, long remoteReads, long refused) {

    static ManagedRegion of(RegionSnapshot region) {
        return new ManagedRegion(
                region.id(),
                region.length(),
                region.valid(),
                region.remoteWrites(),
                region.remoteReads(),
                region.refused());
    }
}
