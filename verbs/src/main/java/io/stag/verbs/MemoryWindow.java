package io.stag.verbs;

/**
 * A second, narrower door to part of a memory region: own STag, own remote rights, usable on one queue pair only. Opened
 * by {@link SendRequests#bindWindow}, closed by invalidation, which costs no system-wide action. Peers count offsets from
 * the first octet of the window, or name virtual addresses when it was bound with {@link Access#VIRTUAL_ADDRESS}.
 */
public interface MemoryWindow extends AutoCloseable {

    /** The domain it was allocated in. */
    ProtectionDomain protectionDomain();

    /** Steering tag of the latest bind; each bind changes the key. */
    int stag();

    /** True from a completed bind to the invalidation. */
    boolean isBound();

    /** Frees the window, bound or not. */
    @Override
    void close();
}
