package io.stag.cli.perf;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages over a socket that is not connected, as that of a datagram queue pair must not be: one system call per datagram,
 * nothing else. A message that no datagram takes is cut; the last octet of each piece says of which turn it is. Questions of
 * {@link ProbedWindow} are told from messages by their length. One thread at a time.
 */
final class UdpSocket implements AutoCloseable {
    /** What {@link #receive} says when nothing came. */
    static final int NOTHING = -1;

    private static final int MAX_DATAGRAM = 65_507;
    private static final int IP_AND_UDP = 48; // IPv6, the longer one
    private static final int WAIT_MILLIS = 20;

    final int piece;
    final int pieces;
    private final int size;
    private final int lastPiece;
    private final int probeLength;
    private final DatagramChannel channel;
    private final @Nullable Selector selector;
    private final ByteBuffer out;
    private final ByteBuffer in;
    private final ByteBuffer probe;
    private @Nullable SocketAddress source;

    UdpSocket(RunSpec spec, InetAddress address) throws IOException {
        size = spec.size();
        channel = DatagramChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, ProbedWindow.RECEIVE_BUFFER);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
        channel.bind(new InetSocketAddress(address, 0));
        channel.configureBlocking(false);
        selector = spec.waitMode() == WaitMode.POLL ? null : Selector.open();
        if (selector != null) {
            channel.register(selector, SelectionKey.OP_READ);
        }
        piece = Math.min(size, spec.segment() == 0 ? pathOctets(address) : spec.segment());
        pieces = Math.ceilDiv(size, piece);
        lastPiece = size - (pieces - 1) * piece;
        probeLength = probeLength(piece, lastPiece);
        out = ByteBuffer.allocateDirect(size);
        for (int i = 0; i < pieces; i++) {
            Content.fill(MemorySegment.ofBuffer(out.slice(i * piece, length(i))), 0, length(i));
        }
        in = ByteBuffer.allocateDirect(Math.max(piece, probeLength) + 1);
        probe = ByteBuffer.allocateDirect(probeLength);
    }

    private static int probeLength(int piece, int lastPiece) {
        int length = Long.BYTES;
        while (length == piece || length == lastPiece) {
            length++;
        }
        return length;
    }

    private static int pathOctets(InetAddress address) throws IOException {
        NetworkInterface network = NetworkInterface.getByInetAddress(address);
        int mtu = network == null ? 1_500 : network.getMTU();
        return Math.clamp(mtu - IP_AND_UDP, 1, MAX_DATAGRAM);
    }

    int port() {
        return channel.socket().getLocalPort();
    }

    private int length(int index) {
        return index == pieces - 1 ? lastPiece : piece;
    }

    /** Sends a message in as many calls as it has pieces. */
    void send(SocketAddress to, byte turn) throws IOException {
        for (int i = 0; i < pieces; i++) {
            int end = i * piece + length(i);
            out.limit(end).position(i * piece);
            out.put(end - 1, turn);
            sendWhole(out, to);
        }
    }

    /** Sends a question or an answer. */
    void sendProbe(SocketAddress to, long value) throws IOException {
        sendWhole(probe.clear().putLong(0, value), to);
    }

    private void sendWhole(ByteBuffer datagram, SocketAddress to) throws IOException {
        while (channel.send(datagram, to) == 0 && datagram.hasRemaining()) {
            Thread.onSpinWait();
        }
    }

    /**
     * Takes a datagram.
     *
     * @return its length, or {@link #NOTHING} when none was there, or, where this side does not spin, none came for a while
     */
    int receive() throws IOException {
        in.clear();
        source = channel.receive(in);
        if (source == null && selector != null) {
            selector.select(WAIT_MILLIS);
            selector.selectedKeys().clear();
            source = channel.receive(in);
        }
        return source == null ? NOTHING : in.position();
    }

    /** Where the last datagram came from. */
    SocketAddress source() {
        return Objects.requireNonNull(source);
    }

    boolean isProbe(int length) {
        return length == probeLength;
    }

    long probed() {
        return in.getLong(0);
    }

    /** The turn of the last datagram. */
    byte turn(int length) {
        return in.get(length - 1);
    }

    /** Whether the last datagram is a piece of a message as it was sent. */
    boolean isContentRight(int length) {
        return (length == piece || length == lastPiece)
                && Content.isRight(MemorySegment.ofBuffer(in.duplicate().clear()), 0, length);
    }

    @Override
    public void close() {
        try {
            channel.close();
            if (selector != null) {
                selector.close();
            }
        } catch (IOException _) {
            // nothing more to be done with it
        }
    }
}
