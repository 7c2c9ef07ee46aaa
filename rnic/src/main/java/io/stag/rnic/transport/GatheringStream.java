package io.stag.rnic.transport;

import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;

/** A stream that can take payload straight from registered memory. */
public interface GatheringStream extends TransportStream {
    /** Payload from this length on is better taken from its place than copied first. */
    int leastGathered();

    /** Nothing was taken, because registered memory is gone. */
    int GONE = -2;

    /**
     * Takes octets, as many as fit, from {@code from} with the pieces in their places. Consumes nothing: the caller knows
     * from the number what is left.
     *
     * @return number of octets, or {@link #GONE}
     */
    int write(StagingBuffer from, Splices splices) throws IOException;
}
