package io.stag.rnic.memory;

/**
 * Waits until no agent uses a grant that was withdrawn before the call. An agent keeps a grant for one duty cycle at
 * most, so it is enough that each agent passes the end of one.
 *
 * <p>Called without the table's lock, so that agents can go on binding and invalidating: by threads of the program, and by
 * agents in the middle of a duty cycle, between two accesses. Several agents may do so at the same time.
 */
@FunctionalInterface
public interface Quiescence {
    /** Returns when every access that began before the call has ended. */
    void await();
}
