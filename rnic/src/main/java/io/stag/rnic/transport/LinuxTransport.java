package io.stag.rnic.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * TCP and UDP on Linux through system calls of our own, without a native library. It behaves as {@link NioTransport} does and costs
 * less per call. To be opened only where {@link #obstacle} finds none.
 */
public final class LinuxTransport implements Transport {
    private static final int DEFAULT_BACKLOG = 50;

    private final Epoll epoll;
    private final MessageHeader header = new MessageHeader();
    private @Nullable DatagramTables datagramTables; // once there is a datagram port

    /** Opens an epoll instance. */
    public LinuxTransport() throws IOException {
        epoll = new Epoll();
    }

    /** Why this transport cannot be used here; empty when it can. */
    public static Optional<String> obstacle() {
        return LinuxProbe.OBSTACLE;
    }

    @Override
    public void select(long timeoutNanos, ReadySet ready) throws IOException {
        if (timeoutNanos <= 0) {
            epoll.select(0, ready);
        } else if (timeoutNanos == Long.MAX_VALUE) {
            epoll.select(-1, ready);
        } else {
            // rounded up: a timer that fires early would make the agent spin for the rest of the millisecond
            long millis = TimeUnit.NANOSECONDS.toMillis(timeoutNanos - 1) + 1;
            epoll.select((int) Math.min(millis, Integer.MAX_VALUE), ready);
        }
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    /** Closing is done when close returns. */
    @Override
    public boolean needsSelect() {
        return false;
    }

    @Override
    public TransportStream connect(InetSocketAddress remote, ReadyHandler handler) throws IOException {
        LinuxSocket socket = LinuxSocket.openFor(remote);
        try {
            socket.noDelay();
            LinuxStream stream = new LinuxStream(socket, remote, socket.connect(remote));
            stream.watch(epoll, header, true, handler); // not before connect: a fresh socket counts as hung up
            return stream;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler handler) throws IOException {
        LinuxSocket socket = LinuxSocket.openAndBind(address);
        try {
            socket.listen(backlog < 1 ? DEFAULT_BACKLOG : backlog);
            return new LinuxListener(socket, epoll, handler);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public void adopt(TransportStream stream, ReadyHandler handler) throws IOException {
        ((LinuxStream) stream).watch(epoll, header, false, handler);
    }

    @Override
    public DatagramPort openDatagramPort(DatagramPortOptions options, ReadyHandler handler) throws IOException {
        DatagramTables present = datagramTables;
        if (present == null) {
            present = new DatagramTables();
            datagramTables = present;
        }
        return LinuxDatagramPort.open(epoll, present, options, handler);
    }

    @Override
    public void close() {
        epoll.close();
    }
}
