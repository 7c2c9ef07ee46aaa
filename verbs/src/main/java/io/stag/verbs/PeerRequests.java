package io.stag.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A reusable list of requests for a send queue under construction: the part that connected and reliable datagram queue pairs
 * have in common. A method that names an operation starts a request; {@link #from}, {@link #into} and the flag methods belong
 * to the request last started; {@link #post} hands the list over and empties it. Nothing here allocates after the first use.
 *
 * <p>A method that throws takes its request out of the list; requests started before it stay.
 *
 * <p>Requests are signalled unless {@link #unsignaled} is called. Memory named by a request belongs to the RNIC until its
 * completion was polled.
 *
 * @param <R> the list itself
 */
public interface PeerRequests<R extends PeerRequests<R>> {

    /** Starts a Send. */
    R send(long id);

    /** Starts a Send that also invalidates an STag of the peer. */
    R sendInvalidate(long id, int remoteStag);

    /** Starts an RDMA Write to {@code remoteOffset} of the peer's memory named by {@code remoteStag}. */
    R write(long id, int remoteStag, long remoteOffset);

    /** Starts an RDMA Write followed by immediate data, which completes a receive of the peer. */
    R writeImmediate(long id, int remoteStag, long remoteOffset, long immediate);

    /** Starts immediate data on its own: eight octets that complete a receive of the peer. */
    R immediate(long id, long immediate);

    /** Starts an RDMA Read from the peer's memory; {@link #into} names where it goes, in several pieces if wanted. */
    R read(long id, int remoteStag, long remoteOffset);

    /** Like {@link #read} with one piece, whose STag is invalidated before the completion. */
    R readInvalidate(long id, int remoteStag, long remoteOffset);

    /** Starts an atomic add of 64 bits; the value before it goes to the eight octets named by {@link #into}. */
    default R fetchAdd(long id, int remoteStag, long remoteOffset, long add) {
        return fetchAdd(id, remoteStag, remoteOffset, add, 0);
    }

    /** Atomic add of several fields at once: each bit set in {@code fieldTops} ends a field; carries stop there. */
    R fetchAdd(long id, int remoteStag, long remoteOffset, long add, long fieldTops);

    /** Starts an atomic compare-and-swap of 64 bits; the value before it goes to the eight octets of {@link #into}. */
    default R compareSwap(long id, int remoteStag, long remoteOffset, long compare, long swap) {
        return compareSwap(id, remoteStag, remoteOffset, compare, -1, swap, -1);
    }

    /** Compare-and-swap of the bits chosen by the masks. */
    R compareSwap(long id, int remoteStag, long remoteOffset, long compare, long compareMask, long swap, long swapMask);

    /** Adds a piece of payload to a Send or Write. Needs {@link Access#LOCAL_READ}. */
    R from(MemoryRegion region, long offset, long length);

    /** Adds a piece of the place where the result of a Read or atomic goes. Needs {@link Access#LOCAL_WRITE}. */
    R into(MemoryRegion region, long offset, long length);

    /** Takes the payload now: {@code data} may be reused at once and need not be registered. */
    R inline(MemorySegment data);

    /** No completion on success. */
    R unsignaled();

    /** The peer's receive wakes a thread that waits for solicited completions. */
    R solicited();

    /** Do not start before all earlier Reads and atomics to the same peer are complete. Not for Reads. */
    R readFence();

    /**
     * Hands the list over in order.
     *
     * @return number of requests taken; fewer than the list held when the queue was full, the rest is dropped
     * @throws VerbsException when the queue pair takes no requests in its state, or an atomic or a {@link #readInvalidate}
     *     does not say where its result goes; nothing is taken then, and the list is empty
     */
    int post();
}
