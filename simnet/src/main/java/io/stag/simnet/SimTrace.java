package io.stag.simnet;

/** Is told of everything that a simulated network does, in order. */
@FunctionalInterface
public interface SimTrace {
    /**
     * Something happened.
     *
     * @param nanos virtual time
     * @param where the stream, socket or listener, by its addresses
     * @param what one line, the same in every run with the same seed
     */
    void event(long nanos, String where, String what);
}
