package io.stag.cli.perf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Bare octets, a write per message: the least that a socket program does. */
final class RawSocket extends MessageSocket {
    private static final int BULK = 1 << 16;

    private final int size;
    private final ByteBuffer out;
    private final ByteBuffer in;
    private long received;

    RawSocket(SocketChannel channel, RunSpec spec) throws IOException {
        super(channel, spec);
        size = spec.size();
        out = filled(size);
        in = ByteBuffer.allocateDirect(spec.test().isLatency() ? size : size * Math.max(1, BULK / size));
    }

    @Override
    void send() throws IOException {
        writeAll(out.clear());
    }

    @Override
    int sendMany() throws IOException {
        send();
        return 1;
    }

    @Override
    boolean receive() throws IOException {
        in.clear();
        while (in.hasRemaining()) {
            if (!readSome(in)) {
                return false;
            }
        }
        return true;
    }

    @Override
    int receiveSome() throws IOException {
        if (!in.hasRemaining()) {
            in.clear();
        }
        int count = read(in);
        if (count < 0) {
            return END;
        }
        long before = received / size;
        received += count;
        return (int) (received / size - before);
    }

    @Override
    boolean isContentRight() {
        return isRight(in, size);
    }
}
