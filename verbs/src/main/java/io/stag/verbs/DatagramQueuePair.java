package io.stag.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.Optional;

/**
 * A queue pair without connection: datagram-iWARP. It has an address of its own from the start, sends to anybody and
 * receives from anybody. Messages may get lost, or come in another order; what arrives is whole and was checked by a CRC.
 * Whatever goes wrong is reported and does not end the queue pair.
 *
 * <p>Completions of receives and Write-Records tell where the message came from: {@link WorkCompletions#datagram}. A
 * Write-Record needs no receive. It shows up at its target in two views of the same thing: as a completion with
 * {@link Operation#WRITE_RECORD}, and in the validity map of the memory it wrote; the program looks at whichever it likes.
 *
 * <p>Memory that Write-Records reached must not be written again before its user is done with it; to see to that is the
 * program's matter. Posting is safe from any thread; each thread uses its own request lists.
 */
public interface DatagramQueuePair extends AutoCloseable {

    /** Number of this queue pair, unique in its RNIC; completions carry it. */
    int id();

    /** Where it receives. */
    InetSocketAddress localAddress();

    /** What it was created with. */
    DatagramQueuePairConfig config();

    /** The domain it belongs to. */
    ProtectionDomain protectionDomain();

    /** Octets of payload that one datagram to a peer carries at most; longer messages travel in several. */
    int segmentLength();

    /**
     * Prepares an address for requests.
     *
     * @throws VerbsException when the address is not resolved, or a broadcast address and that is not permitted
     */
    AddressHandle address(InetSocketAddress address);

    /** A new, reusable list for posting to the send queue; one thread at a time. */
    DatagramSendRequests newSendRequests();

    /**
     * A new, reusable list for posting to the receive queue; one thread at a time.
     *
     * @throws VerbsException when the queue pair takes its receives from a shared receive queue
     */
    ReceiveRequests newReceiveRequests();

    /** Receives from now on also what is sent to {@code group} and the port of this queue pair. */
    void join(InetAddress group);

    /** Like {@link #join(InetAddress)} on a network of choice. */
    void join(InetAddress group, NetworkInterface network);

    /** Undoes {@link #join(InetAddress)}. */
    void leave(InetAddress group);

    /** Undoes {@link #join(InetAddress, NetworkInterface)}. */
    void leave(InetAddress group, NetworkInterface network);

    /**
     * Tells which octets of a range were written by Write-Records, and forgets it. Never blocks. With
     * {@link ProgressMode#INVOKER} this call also drives the RNIC.
     *
     * @param into is filled anew
     * @return number of valid blocks
     */
    long pollValidity(MemoryRegion region, long offset, long length, ValidityMap into);

    /** Like {@link #pollValidity}, but waits until there is at least one valid block or the time has passed. */
    long awaitValidity(MemoryRegion region, long offset, long length, ValidityMap into, Duration timeout);

    /** Takes the oldest error that belongs to no request; the queue is bounded, what does not fit is only counted. */
    Optional<DatagramError> pollError();

    /** Counters. */
    DatagramCounters counters();

    /** Closes at any time; outstanding requests vanish without completion. */
    @Override
    void close();
}
