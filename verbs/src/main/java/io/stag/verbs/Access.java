package io.stag.verbs;

/** Rights that a memory region or window grants. Remote rights imply nothing locally: they need the matching local one. */
public enum Access {
    /** The owner's own requests may read the memory (source of Send and RDMA Write). */
    LOCAL_READ,
    /** The owner's own requests may change the memory (receive buffers, sink of RDMA Read and atomics). */
    LOCAL_WRITE,
    /** Peers may read the memory with RDMA Read. Needs {@link #LOCAL_READ}. */
    REMOTE_READ,
    /** Peers may change the memory with RDMA Write. Needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE,
    /**
     * Peers may change the memory with atomic operations, which also tell them what was there. Needs {@link #LOCAL_READ}
     * and {@link #LOCAL_WRITE}.
     */
    REMOTE_ATOMIC,
    /**
     * Peers may invalidate the STag of the region with Send with Invalidate. A region serves every queue pair of its
     * domain, so grant this only where one peer knows the STag (RFC 5040, section 8.1.1). Windows need no such right.
     */
    REMOTE_INVALIDATE,
    /** Memory windows may be bound to the region. */
    WINDOW_BIND,
    /**
     * Peers address the memory by its virtual address instead of by the offset from its first octet. Offsets are the
     * default because they tell a peer nothing about the address space.
     */
    VIRTUAL_ADDRESS
}
