package io.stag.rnic.transport;

import io.stag.rnic.datagram.DatagramAddress;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A second socket at the address of a port, connected to the peer that the port talks to most. For it the kernel knows the way
 * once and for all; for any other socket it looks for it with every datagram, which is a sixth of the time that a small one
 * takes from program to program on one machine (docs/performance.md). Nobody on the network can tell the difference.
 *
 * <p>What comes from that peer arrives here, so the port receives from both sockets. The line is made when many datagrams in a
 * row went to one peer. It moves to another one after a run that gets longer each time, so that it does not move all the time;
 * but not to one of another version of IP, whose socket would be another one.
 */
final class DirectLine {
    private static final System.Logger LOG = System.getLogger(DirectLine.class.getName());
    private static final int FIRST_RUN = 64;
    private static final int LONGEST_RUN = 1 << 20;

    private final UdpSocket main;
    private final DatagramPortOptions options;
    private final Transport.ReadyHandler handler;
    private final boolean forbidsFragments;
    private final DatagramAddress peer = new DatagramAddress();
    private final DatagramAddress candidate = new DatagramAddress();
    private int run; // datagrams, or calls with several, that went to the candidate in a row
    private int longEnough = FIRST_RUN;
    private boolean polled;
    private @Nullable UdpSocket socket;

    DirectLine(UdpSocket main, DatagramPortOptions options, boolean forbidsFragments, Transport.ReadyHandler handler) {
        this.main = main;
        this.options = options;
        this.forbidsFragments = forbidsFragments;
        this.handler = handler;
    }

    /** The socket; null while there is no line. */
    @Nullable
    UdpSocket socket() {
        return socket;
    }

    /** The socket if the line leads there, else null. */
    @Nullable
    UdpSocket socketTo(DatagramAddress destination) {
        return socket != null && peer.isSame(destination) ? socket : null;
    }

    /** The port sends to {@code destination}, where the line does not lead: it may from now on. */
    void consider(DatagramAddress destination) {
        if (!destination.isSame(candidate)) {
            candidate.set(destination);
            run = 0;
        } else if (++run == longEnough) {
            run = 0;
            longEnough = Math.min(2 * longEnough, LONGEST_RUN);
            if (isPossible(destination)) {
                connect();
            }
        }
    }

    /** The port used the line, so what it sent elsewhere before was no long run. */
    void used() {
        run = 0;
    }

    /** Others that share the address want what the peer sends, too; and from a group it is its members that answer. */
    private boolean isPossible(DatagramAddress destination) {
        return !options.shared() && !destination.isMulticast() && (socket == null || socket.isOfFamily(destination));
    }

    private void connect() {
        try {
            UdpSocket line = socket;
            if (line == null) {
                line = main.openBeside(candidate, options, handler);
                socket = line;
                line.forbidFragments(forbidsFragments);
                line.pollsInput(polled);
            }
            line.connect(candidate);
            peer.set(candidate);
        } catch (IOException e) {
            hangUp("no direct line to " + candidate.object() + ": " + e.getMessage());
        }
    }

    /** Does without, for now: two sockets that are not connected would both get what is broadcast. */
    void hangUp(String why) {
        LOG.log(System.Logger.Level.DEBUG, why);
        close();
        socket = null;
    }

    void pollsInput(boolean nowPolled) {
        polled = nowPolled;
        if (socket != null) {
            socket.pollsInput(nowPolled);
        }
    }

    void close() {
        if (socket != null) {
            socket.close();
        }
    }
}
