package io.stag.cli.perf;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Stands between a client and a server and loses the datagrams that it is told to. */
final class DroppingRelay implements AutoCloseable {
    private static final int MAX_DATAGRAM = 65_535;

    private final InetSocketAddress server;
    private final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    private final Thread thread;
    private int toPass;
    private int toDrop;

    DroppingRelay(InetSocketAddress server) throws IOException {
        this.server = server;
        thread = Thread.ofPlatform().daemon().start(this::relay);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /** Loses so many datagrams, whichever way they go. */
    void dropNext(int datagrams) {
        dropAfter(0, datagrams);
    }

    /** The same after some others. */
    synchronized void dropAfter(int passed, int datagrams) {
        toPass = passed;
        toDrop = datagrams;
    }

    private synchronized boolean passes() {
        if (toPass > 0) {
            toPass--;
            return true;
        }
        return toDrop-- <= 0;
    }

    private void relay() {
        SocketAddress client = server;
        byte[] octets = new byte[MAX_DATAGRAM];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(octets, octets.length);
                socket.receive(packet);
                boolean fromServer = packet.getSocketAddress().equals(server);
                client = fromServer ? client : packet.getSocketAddress();
                if (passes()) {
                    packet.setSocketAddress(fromServer ? client : server);
                    socket.send(packet);
                }
            }
        } catch (IOException _) {
            // closed
        }
    }

    @Override
    public void close() throws InterruptedException {
        socket.close();
        thread.join();
    }
}
