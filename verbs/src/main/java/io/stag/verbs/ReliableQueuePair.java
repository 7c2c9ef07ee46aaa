package io.stag.verbs;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A queue pair without connection that talks to any number of peers, and nothing is lost, doubled or out of order between any
 * two of them. It has an address of its own from the start. What is known of a peer comes into being with the first message
 * and goes away with silence; a peer that was closed and made again at the same address is another one.
 *
 * <p>What a completion promises is told at {@link ReliableSendRequests}. Completions of receives tell where the message came
 * from: {@link WorkCompletions#datagram}. A message that finds no receive waits at its sender until one is posted.
 *
 * <p>A request fails when its peer refuses it, is silent for too long, or was replaced by another life at its address, or when
 * its own memory is not usable. The failure shows in its completion and in {@link #pollError}; later requests to the same peer
 * are flushed with the same reason, and the queue pair is in the state {@link State#ERROR}: it takes no requests until
 * {@link #reset}. Requests to other peers that had begun go on unharmed, those that had not are flushed with the reason.
 * Receiving, and answering the Reads and atomics of peers, goes on all the time. A peer that breaks a rule is told so, shows in
 * {@link #pollError}, and does not bring this queue pair into the error state.
 *
 * <p>Posting is safe from any thread; each thread uses its own request lists.
 */
public interface ReliableQueuePair extends AutoCloseable {

    /** Whether requests can be posted. */
    enum State {
        /** Takes requests. */
        READY,
        /** A request failed; nothing is taken until {@link ReliableQueuePair#reset}. Receiving goes on. */
        ERROR
    }

    /** Number of this queue pair, unique in its RNIC; completions carry it. */
    int id();

    /** Where it receives. */
    InetSocketAddress localAddress();

    /** What it was created with. */
    ReliableQueuePairConfig config();

    /** The domain it belongs to. */
    ProtectionDomain protectionDomain();

    /** Octets of payload that one datagram to a peer carries at most; longer messages travel in several. */
    int segmentLength();

    /**
     * Prepares an address for requests.
     *
     * @throws VerbsException when the address is not resolved, cannot be reached from here, or means more than one peer
     */
    AddressHandle address(InetSocketAddress address);

    /** A new, reusable list for posting to the send queue; one thread at a time. */
    ReliableSendRequests newSendRequests();

    /**
     * A new, reusable list for posting to the receive queue; one thread at a time.
     *
     * @throws VerbsException when the queue pair takes its receives from a shared receive queue
     */
    ReceiveRequests newReceiveRequests();

    /** Present state. */
    State state();

    /** Why the queue pair is in the error state: the failure that brought it there. Empty when it is ready. */
    Optional<ErrorDetail> firstCause();

    /** The program has dealt with the failure: back to {@link State#READY}. Without effect in that state. */
    void reset();

    /**
     * Takes the oldest error: the failures of own requests, what peers did wrong, and datagrams that were refused. The queue is
     * bounded, what does not fit is only counted.
     */
    Optional<DatagramError> pollError();

    /** Counters. */
    ReliableCounters counters();

    /** Closes at any time; outstanding requests vanish without completion. */
    @Override
    void close();
}
