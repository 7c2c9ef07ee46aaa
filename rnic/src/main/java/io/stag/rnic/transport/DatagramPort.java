package io.stag.rnic.transport;

import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/** A place that sends and receives datagrams, never blocking. */
public interface DatagramPort {

    /** Its address. */
    InetSocketAddress localAddress();

    /** The longest datagram that leaves this machine without being cut into IP fragments, as far as can be known. */
    int unfragmentedLength();

    /** Octets of datagrams that may wait here; the system needs as much again for each small one. */
    int receiveBuffer();

    /** How many datagrams one entry of a {@link DatagramOutput} may hold: 1 where the system cannot cut them apart. */
    int mostSegments();

    /** Payload from this length on is better sent from its place than copied first, if the port can do that. */
    default int leastInPlace() {
        return Integer.MAX_VALUE;
    }

    /**
     * Fills empty slots with what came in.
     *
     * @return slots filled; 0 when there is nothing now. {@link DatagramInput#mayHaveMore} tells whether that was all
     */
    int receive(DatagramInput into) throws IOException;

    /**
     * Sends entries from the first on.
     *
     * @return entries taken; when fewer than there are, {@link DatagramOutput#failure} tells whether the next one is refused
     *     for good or may be tried again when the port is writable; so it is when a piece is gone, which who fills the output
     *     again finds out
     */
    int send(DatagramOutput from) throws IOException;

    /** Whether the handler is called when more can be sent. */
    void awaitWritable(boolean wanted);

    /** Whether the caller looks for input all the time: until it says otherwise, the handler need not be called for it. */
    default void pollsInput(boolean polled) {}

    /** Receives from now on what is sent to {@code group}; null leaves the choice of the network to the system. */
    void join(InetAddress group, @Nullable NetworkInterface network) throws IOException;

    /** Undoes {@link #join}. */
    void leave(InetAddress group, @Nullable NetworkInterface network) throws IOException;

    /** Gives the address free; what waits is lost. */
    void close();
}
