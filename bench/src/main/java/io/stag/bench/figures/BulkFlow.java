package io.stag.bench.figures;

/** Octets sent through a path as fast as they go, from threads of its own, until it is closed. */
interface BulkFlow extends AutoCloseable {
    /** Octets that the receiver has. Any thread. */
    long octets();

    /** Ends it. */
    @Override
    void close();
}
