package io.stag.verbs;

/**
 * Counters of one memory region at one moment.
 *
 * @param stag its STag
 * @param length its length
 * @param valid whether it can be used
 * @param remoteWrites segments placed by peers
 * @param remoteReads read responses and atomics served from it, in segments
 * @param refused accesses refused
 */
public record RegionSnapshot(int stag, long length, boolean valid, long remoteWrites, long remoteReads, long refused) {}
