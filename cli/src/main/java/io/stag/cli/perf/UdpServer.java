package io.stag.cli.perf;

import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicLong;

/** Answering side of the baselines without connection. */
final class UdpServer implements ServerTest {
    private static final int DATAGRAMS_PER_CHECK = 256;

    private final boolean latency;
    private final int size;
    private final UdpSocket socket;
    private final AtomicLong octets = new AtomicLong(); // written by the loop alone
    private boolean right = true;
    private int pieces;
    private byte turn;
    private volatile boolean stopped;

    UdpServer(RunSpec spec, InetAddress address) throws IOException {
        latency = spec.test().isLatency();
        size = spec.size();
        socket = new UdpSocket(spec, address);
    }

    @Override
    public int port() {
        return socket.port();
    }

    @Override
    public void accept() {}

    @Override
    public ControlChannel.Buffers buffers() {
        return ControlChannel.Buffers.NONE;
    }

    @Override
    public void start(ControlChannel.Buffers client) {}

    @Override
    public void run() throws IOException {
        long datagrams = 0;
        while (!stopped) {
            int length = socket.receive();
            if (length == UdpSocket.NOTHING) {
                Thread.onSpinWait();
            } else if (latency) {
                echo(length);
            } else if (socket.isProbe(length)) {
                socket.sendProbe(socket.source(), socket.probed());
            } else {
                octets.setRelease(octets.getPlain() + length);
                right &= datagrams++ % DATAGRAMS_PER_CHECK != 0 || socket.isContentRight(length);
            }
        }
    }

    /** Answers a message when all its pieces have come. */
    private void echo(int length) throws IOException {
        if (socket.turn(length) != turn) {
            turn = socket.turn(length);
            pieces = 0;
        }
        if (++pieces == socket.pieces) {
            socket.send(socket.source(), turn);
        }
    }

    @Override
    public long received() {
        return octets.getAcquire() / size;
    }

    @Override
    public Arrivals arrivals() {
        long taken = octets.getAcquire();
        return new Arrivals(taken / size, 0, taken);
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public boolean isContentRight() {
        return right;
    }

    @Override
    public void close() {
        stopped = true;
        socket.close();
    }
}
