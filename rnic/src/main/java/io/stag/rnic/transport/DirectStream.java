package io.stag.rnic.transport;

import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A stream that can take payload straight from registered memory and put it straight there. */
public interface DirectStream extends TransportStream {
    /** Payload from this length on is better taken from its place than copied first. */
    int leastGathered();

    /** What is missing of a payload, from this length on, is better put into its place than copied there. */
    int leastPlaced();

    /** Nothing was moved, because registered memory is gone. */
    int GONE = -2;

    /**
     * Takes octets, as many as fit, from {@code from} with the pieces in their places. Consumes nothing: the caller knows
     * from the number what is left.
     *
     * @return number of octets, or {@link #GONE}
     */
    int write(StagingBuffer from, Splices splices) throws IOException;

    /**
     * Puts what came in into registered memory, and appends what follows to {@code rest}.
     *
     * @param memory where the first octets belong
     * @param offset of the first of them
     * @param length how many belong there, perhaps none
     * @param rest gets the others
     * @param most how many it gets at most; there is room for them
     * @return number of octets; 0 when there is nothing now, -1 at the end of the stream, or {@link #GONE}
     */
    int read(MemorySegment memory, long offset, int length, StagingBuffer rest, int most) throws IOException;
}
