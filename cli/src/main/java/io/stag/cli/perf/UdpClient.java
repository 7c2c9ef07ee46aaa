package io.stag.cli.perf;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Measuring side of the baselines without connection. */
final class UdpClient implements ClientTest {
    private static final int POLLS_PER_LOOK = 64;

    private final boolean latency;
    private final boolean polling;
    private final UdpSocket socket;
    private final InetSocketAddress server;
    private final ProbedWindow window;
    private final Silence silence = new Silence(DatagramEnd.LOST_OR_GONE);
    private byte turn;
    private boolean right = true;

    UdpClient(RunSpec spec, InetSocketAddress server) throws IOException {
        latency = spec.test().isLatency();
        polling = spec.waitMode() == WaitMode.POLL;
        this.server = server;
        socket = new UdpSocket(spec, DatagramEnd.addressTowards(server));
        window = new ProbedWindow(ProbedWindow.messages(spec, socket.piece, ProbedWindow.receiveBuffer()));
    }

    @Override
    public ControlChannel.Buffers buffers() {
        return ControlChannel.Buffers.NONE;
    }

    @Override
    public void start(ControlChannel.Buffers buffers) {}

    @Override
    public int once() throws IOException {
        return latency ? roundTrip() : sendOne();
    }

    private int roundTrip() throws IOException {
        socket.send(server, ++turn);
        int missing = socket.pieces;
        int last = 0;
        long deadline = 0;
        for (int polls = 1; missing > 0; polls++) {
            int length = socket.receive();
            if (length != UdpSocket.NOTHING && socket.turn(length) == turn) {
                missing--;
                last = length;
            } else if (polls % POLLS_PER_LOOK == 0 || !polling) {
                long now = System.nanoTime();
                deadline = deadline == 0 ? now + DatagramLatencyClient.LIMIT_NANOS : deadline;
                if (now - deadline > 0) {
                    silence.check(now);
                    return 0;
                }
            }
        }
        right &= socket.isContentRight(last);
        silence.broken();
        return 1;
    }

    private int sendOne() throws IOException {
        long now = System.nanoTime();
        if (window.isProbeDue(now)) {
            socket.sendProbe(server, window.probe(now));
        }
        if (!window.hasRoom(1)) {
            takeAnswer(now);
            return 0;
        }
        socket.send(server, ++turn);
        window.sent(1);
        return 1;
    }

    private void takeAnswer(long now) throws IOException {
        int length = socket.receive();
        if (length == UdpSocket.NOTHING) {
            silence.check(now);
        } else if (socket.isProbe(length)) {
            window.answered(socket.probed());
            silence.broken();
        }
    }

    @Override
    public void drain(ControlChannel control) throws IOException {
        while (!latency && !window.isAllAnswered()) {
            long now = System.nanoTime();
            if (window.isLastProbeDue(now)) {
                socket.sendProbe(server, window.probe(now));
            }
            takeAnswer(now);
        }
    }

    @Override
    public boolean isContentRight() {
        return right;
    }

    @Override
    public void close() {
        socket.close();
    }
}
