package io.stag.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A reusable list of requests for the send queue of a datagram queue pair. A method that names an operation starts a request;
 * the other ones belong to the request last started; {@link #post} hands the list over and empties it. Nothing here allocates
 * after the first use.
 *
 * <p>A method that throws takes its request out of the list; requests started before it stay.
 *
 * <p>A request is complete when its datagrams were handed to the network; that they arrive is not promised. Requests are
 * signalled unless {@link #unsignaled} is called. Memory named by a request belongs to the RNIC until its completion was
 * polled.
 */
public interface DatagramSendRequests {

    /** Starts a Send to an address, a multicast group, or a broadcast address where that is permitted. */
    DatagramSendRequests send(long id, AddressHandle destination);

    /** Starts a Send to where a message came from. */
    DatagramSendRequests reply(long id, DatagramInfo source);

    /** Starts an RDMA Write-Record to {@code remoteOffset} of the memory named by {@code remoteStag}. */
    DatagramSendRequests writeRecord(long id, AddressHandle destination, int remoteStag, long remoteOffset);

    /** Starts an RDMA Write-Record to memory of where a message came from. */
    DatagramSendRequests replyRecord(long id, DatagramInfo source, int remoteStag, long remoteOffset);

    /** Adds a piece of payload. Needs {@link Access#LOCAL_READ}. */
    DatagramSendRequests from(MemoryRegion region, long offset, long length);

    /** Takes the payload now: {@code data} may be reused at once and need not be registered. */
    DatagramSendRequests inline(MemorySegment data);

    /** No completion on success. */
    DatagramSendRequests unsignaled();

    /** The message wakes a thread of the receiver that waits for solicited completions. */
    DatagramSendRequests solicited();

    /**
     * Hands the list over in order.
     *
     * @return number of requests taken; fewer than the list held when the queue was full, the rest is dropped
     * @throws VerbsException when the queue pair is closed; nothing is taken then, and the list is empty
     */
    int post();
}
