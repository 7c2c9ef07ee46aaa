package io.stag.rnic.transport;

import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;
import java.net.InetSocketAddress;

/** One stream of octets, never blocking. */
public interface TransportStream {

    /**
     * Finishes an attempt to connect.
     *
     * @return false while it goes on
     * @throws IOException when it failed
     */
    boolean finishConnect() throws IOException;

    /**
     * Appends what came in, as far as there is room.
     *
     * @return number of octets; 0 when there is nothing now, -1 at the end of the stream
     */
    int read(StagingBuffer into) throws IOException;

    /**
     * Takes octets from the start of {@code from}, as many as fit. Where the system allows, TCP segments end at the breaks
     * that are asked for.
     *
     * @return number of octets
     */
    int write(StagingBuffer from) throws IOException;

    /** Whether the handler is called when more can be written. */
    void awaitWritable(boolean wanted);

    /** Whether the caller looks for input all the time: until it says otherwise, the handler need not be called for it. */
    default void pollsInput(boolean polled) {}

    /** Ends the sending direction after what was written. */
    void finishOutput() throws IOException;

    /** Closes in order: the peer sees the end of the stream after what was written. */
    void close();

    /** Resets: the peer sees an error at once. */
    void abort();

    /** Stops watching; {@link Transport#adopt} of another transport continues. */
    void release();

    /** Payload of one TCP segment on this path (EMSS), from which the size of FPDUs follows. */
    int segmentSize();

    /** Our end. */
    InetSocketAddress localAddress();

    /** The peer's end. */
    InetSocketAddress remoteAddress();
}
