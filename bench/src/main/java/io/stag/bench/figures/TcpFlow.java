package io.stag.bench.figures;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;

/** TCP of the system through a {@link MirrorPath}. */
final class TcpFlow implements BulkFlow {
    private static final int PORT = 5_001;
    private static final int CLIENT_PORT = 40_001;
    private static final int CHUNK = 256 << 10;

    private final AtomicLong octets = new AtomicLong();
    private final ServerSocketChannel listener;
    private final SocketChannel client;
    private final SocketChannel server;
    private volatile boolean closed;

    /** Connects and sends from now on. */
    TcpFlow(int number) throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(MirrorPath.HERE, PORT + number));
        client = SocketChannel.open().bind(new InetSocketAddress(MirrorPath.HERE, CLIENT_PORT + number));
        client.connect(new InetSocketAddress(MirrorPath.THERE, PORT + number));
        server = listener.accept();
        Thread.ofPlatform().daemon().start(this::send);
        Thread.ofPlatform().daemon().start(this::receive);
    }

    private void send() {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
        try {
            while (!closed) {
                chunk.clear();
                while (chunk.hasRemaining()) {
                    client.write(chunk);
                }
            }
        } catch (IOException e) {
            unlessClosed(e);
        }
    }

    private void receive() {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
        try {
            int count = server.read(chunk.clear());
            while (count >= 0 && !closed) {
                octets.addAndGet(count);
                count = server.read(chunk.clear());
            }
        } catch (IOException e) {
            unlessClosed(e);
        }
    }

    private void unlessClosed(IOException e) {
        if (!closed) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long octets() {
        return octets.get();
    }

    @Override
    public void close() {
        closed = true;
        try {
            client.close();
            server.close();
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
