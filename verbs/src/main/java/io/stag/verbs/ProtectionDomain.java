package io.stag.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Groups what may work together: a queue pair can only reach memory of its own domain. */
public interface ProtectionDomain extends AutoCloseable {

    /** The device it belongs to. */
    Rnic rnic();

    /**
     * Registers memory of the caller. It must be native (not on the heap) and accessible from any thread. The caller
     * keeps ownership of its arena; closing the arena early makes later accesses fail, it never crashes.
     *
     * @throws VerbsException when the memory cannot be registered or the rights do not fit together
     */
    MemoryRegion register(MemorySegment segment, Set<Access> rights);

    /**
     * Registers memory under an STag that the program chooses, addressed from 0, so that one Write-Record to a multicast
     * group reaches the memory of all members. Such an STag is known to many and protects nothing: whoever can send to a
     * queue pair of the domain can use the rights it grants.
     *
     * @throws VerbsException when the STag is in use here or below 256, the memory cannot be registered, or the provider
     *     cannot do this
     */
    default MemoryRegion registerAs(int stag, MemorySegment segment, Set<Access> rights) {
        throw new VerbsException(VerbsError.UNSUPPORTED, "this provider chooses all STags itself");
    }

    /** Allocates zeroed memory and registers it; it is freed when the region is closed and nothing uses it any more. */
    MemoryRegion allocate(long lengthOctets, Set<Access> rights);

    /**
     * Allocates an STag without memory, to be filled by {@link SendRequests#fastRegister}.
     *
     * @param remoteAccess whether later registrations may grant remote rights
     */
    MemoryRegion allocateStag(boolean remoteAccess);

    /** Allocates a memory window, not yet bound. */
    MemoryWindow allocateWindow();

    /** Creates a queue pair in state Idle. */
    QueuePair createQueuePair(QueuePairConfig config);

    /**
     * Creates a datagram queue pair, ready to send and receive.
     *
     * @throws VerbsException when the address is in use, or the provider has no datagrams
     */
    default DatagramQueuePair createDatagramQueuePair(DatagramQueuePairConfig config) {
        throw new VerbsException(VerbsError.UNSUPPORTED, "this provider has no datagram queue pairs");
    }

    /**
     * Creates a reliable datagram queue pair, ready to send and receive.
     *
     * @throws VerbsException when the address is in use, or the provider has no reliable datagrams
     */
    default ReliableQueuePair createReliableQueuePair(ReliableQueuePairConfig config) {
        throw new VerbsException(VerbsError.UNSUPPORTED, "this provider has no reliable datagram queue pairs");
    }

    /** Creates a receive queue that several queue pairs share. */
    SharedReceiveQueue createSharedReceiveQueue(int capacity, int maxSegments);

    /** Refused while anything belongs to the domain. */
    @Override
    void close();
}
