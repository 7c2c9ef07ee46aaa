package io.stag.cli.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.SplittableRandom;

/**
 * Passes datagrams on between one client and a server, and loses some, always the same ones. A datagram that Ethernet would
 * carry in several IP fragments is lost when any of them is. What real fragments do besides, namely to fill the memory of the
 * receiving system, a relay cannot show.
 */
final class LossyRelay implements AutoCloseable {
    private static final int FRAGMENT = 1_480; // what is left of 1,500 octets behind the IPv4 header
    private static final int UDP_HEADER = 8;
    private static final int MAX_DATAGRAM = 65_535;
    private static final long SEED = 1;
    private static final double PERCENT = 100;

    private final InetSocketAddress server;
    private final double loss;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final DatagramChannel channel;

    /**
     * Starts.
     *
     * @param address where clients send to
     * @param server where it goes on to
     * @param percent of the packets that are lost
     */
    LossyRelay(InetAddress address, InetSocketAddress server, double percent) throws IOException {
        this.server = server;
        loss = percent / PERCENT;
        channel = DatagramChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, ProbedWindow.RECEIVE_BUFFER);
        channel.bind(new InetSocketAddress(address, 0));
        Thread.ofPlatform().daemon().name("stag-perf-relay").start(this::relay);
    }

    int port() {
        return channel.socket().getLocalPort();
    }

    /** Whether a datagram of so many octets gets lost. */
    static boolean isLost(int octets, double loss, SplittableRandom random) {
        int fragments = Math.ceilDiv(octets + UDP_HEADER, FRAGMENT);
        return random.nextDouble() < 1 - Math.pow(1 - loss, fragments);
    }

    private void relay() {
        ByteBuffer datagram = ByteBuffer.allocateDirect(MAX_DATAGRAM);
        SocketAddress client = server;
        try {
            while (true) {
                SocketAddress source = channel.receive(datagram.clear());
                boolean fromServer = source.equals(server);
                client = fromServer ? client : source;
                if (!isLost(datagram.flip().remaining(), loss, random)) {
                    channel.send(datagram, fromServer ? client : server);
                }
            }
        } catch (ClosedChannelException _) {
            // the end
        } catch (IOException e) {
            throw new IllegalStateException("the relay failed", e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // nothing more to be done with it
        }
    }
}
