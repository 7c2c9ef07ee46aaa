package io.stag.verbs;

/**
 * A reusable list of receives under construction. {@link #receive} starts a request, {@link #into} adds buffers to it,
 * {@link #post} hands the list over and empties it. Nothing here allocates after the first use.
 *
 * <p>When {@link #into} throws, its receive leaves the list; receives started before it stay.
 */
public interface ReceiveRequests {

    /** Starts a receive; {@code id} comes back in its completion. */
    ReceiveRequests receive(long id);

    /** Adds a buffer to the receive last started. Needs {@link Access#LOCAL_WRITE}. */
    ReceiveRequests into(MemoryRegion region, long offset, long length);

    /**
     * Hands the list over in order.
     *
     * @return number of requests taken; fewer than the list held when the queue was full, the rest is dropped
     * @throws VerbsException when the queue is closed or its queue pair takes no more requests; nothing is taken then, and
     *     the list is empty
     */
    int post();
}
