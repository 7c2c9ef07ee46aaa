package io.stag.cli.perf;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Measuring side of the baselines. */
final class SocketClient implements ClientTest {
    private final boolean latency;
    private final List<MessageSocket> sockets = new ArrayList<>();
    private final List<SocketChannel> idle = new ArrayList<>();
    private final long[] sent;
    private int next;

    SocketClient(RunSpec spec, InetSocketAddress server) throws IOException {
        latency = spec.test().isLatency();
        sent = new long[spec.connections()];
        try {
            for (int i = 0; i < spec.connections(); i++) {
                sockets.add(MessageSocket.over(SocketChannel.open(server), spec));
            }
            for (int i = 0; i < spec.idleConnections(); i++) {
                idle.add(SocketChannel.open(server));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    @Override
    public ControlChannel.Buffers buffers() {
        return ControlChannel.Buffers.NONE;
    }

    @Override
    public void start(ControlChannel.Buffers server) {}

    @Override
    public int once() throws IOException {
        int connection = next;
        MessageSocket socket = sockets.get(connection);
        next = next + 1 == sockets.size() ? 0 : next + 1;
        if (!latency) {
            int messages = socket.sendMany();
            sent[connection] += messages;
            return messages;
        }
        socket.send();
        if (!socket.receive()) {
            throw new IOException("the server closed the connection");
        }
        return 1;
    }

    @Override
    public void drain(ControlChannel control) throws IOException {
        if (!latency) {
            control.call(ControlChannel.Order.DRAIN, LongStream.of(sent).sum());
        }
    }

    @Override
    public long messages(int connection) {
        return sent[connection];
    }

    @Override
    public boolean isContentRight() {
        return !latency || sockets.stream().allMatch(MessageSocket::isContentRight);
    }

    @Override
    public void close() {
        sockets.forEach(MessageSocket::close);
        for (SocketChannel channel : idle) {
            try {
                channel.close();
            } catch (IOException _) {
                // nothing more to be done with it
            }
        }
    }
}
