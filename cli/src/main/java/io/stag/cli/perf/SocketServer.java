package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Answering side of the baselines. */
final class SocketServer implements ServerTest {
    private final RunSpec spec;
    private final ServerSocketChannel listener;
    private final List<MessageSocket> sockets = new ArrayList<>();
    private final List<SocketChannel> idle = new ArrayList<>();
    private volatile long received;
    private volatile boolean stopped;

    SocketServer(RunSpec spec, InetAddress address) throws IOException {
        this(spec, address, VerbsLink.LIMIT);
    }

    /** For tests: waits that long for each connection. */
    SocketServer(RunSpec spec, InetAddress address, Duration limit) throws IOException {
        this.spec = spec;
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(address, 0), spec.connections() + spec.idleConnections());
        listener.socket().setSoTimeout((int) limit.toMillis());
    }

    @Override
    public int port() {
        return listener.socket().getLocalPort();
    }

    @Override
    public void accept() throws IOException {
        for (int i = 0; i < spec.connections(); i++) {
            sockets.add(MessageSocket.over(acceptOne(), spec));
        }
        for (int i = 0; i < spec.idleConnections(); i++) {
            idle.add(acceptOne());
        }
    }

    /** By its socket: a channel waits without a limit. */
    private SocketChannel acceptOne() throws IOException {
        try {
            return listener.socket().accept().getChannel();
        } catch (SocketTimeoutException e) {
            throw new CommandFailure("the client did not connect", "", e);
        }
    }

    @Override
    public ControlChannel.Buffers buffers() {
        return ControlChannel.Buffers.NONE;
    }

    @Override
    public void start(ControlChannel.Buffers client) {}

    @Override
    public void run() throws IOException {
        try {
            if (spec.test().isLatency()) {
                echo();
            } else if (sockets.size() == 1 || spec.waitMode() == WaitMode.POLL) {
                take();
            } else {
                takeBlocking();
            }
        } catch (ClosedChannelException e) {
            if (!stopped) {
                throw e;
            }
        }
    }

    @Override
    public long received() {
        return received;
    }

    @Override
    public void stop() {
        stopped = true;
        sockets.forEach(MessageSocket::close);
    }

    @Override
    public boolean isContentRight() {
        return sockets.stream().allMatch(MessageSocket::isContentRight);
    }

    @Override
    public void close() {
        stop();
        idle.forEach(SocketServer::closeQuietly);
        closeQuietly(listener);
    }

    private void echo() throws IOException {
        while (!stopped) {
            for (MessageSocket socket : sockets) {
                if (!socket.receive()) {
                    return;
                }
                socket.send();
            }
        }
    }

    private void take() throws IOException {
        long messages = 0;
        while (!stopped) {
            for (MessageSocket socket : sockets) {
                int some = socket.receiveSome();
                if (some == MessageSocket.END) {
                    return;
                }
                messages += some;
            }
            received = messages;
        }
    }

    /** Several sockets and nobody may spin: a thread for each. */
    private void takeBlocking() throws IOException {
        AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (MessageSocket socket : sockets) {
            threads.add(Thread.ofPlatform()
                    .daemon()
                    .name("stag-perf-", threads.size())
                    .start(() -> {
                        try {
                            takeFrom(socket);
                        } catch (AsynchronousCloseException _) {
                            // stop() closed it
                        } catch (IOException e) {
                            failure.compareAndSet(null, e);
                        }
                    }));
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        IOException first = failure.get();
        if (first != null && !stopped) {
            throw first;
        }
    }

    private void takeFrom(MessageSocket socket) throws IOException {
        int some = socket.receiveSome();
        while (some != MessageSocket.END) {
            count(some);
            some = socket.receiveSome();
        }
    }

    private synchronized void count(int messages) {
        received += messages;
    }

    private static void closeQuietly(AutoCloseable channel) {
        try {
            channel.close();
        } catch (Exception _) {
            // nothing more to be done with it
        }
    }
}
