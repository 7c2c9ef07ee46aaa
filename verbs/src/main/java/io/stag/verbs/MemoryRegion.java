package io.stag.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Registered memory. Its STag is what a peer needs, together with an offset, to read or write it.
 *
 * <p>Grant remote rights only as long as needed, clear memory before granting remote read (RFC 5042, section 6.3.2), and
 * revoke or check remote invalidation before trusting what a peer wrote (section 6.2.2). Do not let peers that distrust
 * each other write to one buffer, through one STag or several (sections 6.3.6 and 6.4.5).
 */
public interface MemoryRegion extends AutoCloseable {

    /** The domain it was registered in. */
    ProtectionDomain protectionDomain();

    /** The steering tag: 24 bits of index, 8 bits of key. Changes with re-registration. */
    int stag();

    /** The registered memory. */
    MemorySegment segment();

    /** Number of octets. */
    long length();

    /** What is granted. */
    Set<Access> rights();

    /**
     * The tagged offset that names octet {@code offset} of this region to a peer: the offset itself, or a virtual
     * address when registered with {@link Access#VIRTUAL_ADDRESS}.
     */
    long remoteOffset(long offset);

    /** False after an invalidation, local or remote, and after close. */
    boolean isValid();

    /**
     * Replaces memory and rights. The STag gets a new key: what was announced before stops working at once.
     *
     * @throws VerbsException when memory windows are bound to the region, or the memory cannot be registered
     */
    void reregister(MemorySegment segment, Set<Access> rights);

    /** Counters of accesses by peers. */
    RegionSnapshot snapshot();

    /**
     * Deregisters. When this returns nothing touches the memory any more; requests that still name it fail. Refused
     * while memory windows are bound to the region.
     */
    @Override
    void close();
}
