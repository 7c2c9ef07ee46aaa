package io.stag.rnic.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A listening socket through system calls. */
final class LinuxListener implements TransportListener {
    private final LinuxSocket socket;
    private final InetSocketAddress address;
    private final Epoll epoll;
    private final Epoll.Watch watch;

    LinuxListener(LinuxSocket socket, Epoll epoll, Transport.ReadyHandler handler) throws IOException {
        this.socket = socket;
        this.epoll = epoll;
        address = socket.localAddress();
        watch = epoll.add(socket.descriptor(), Epoll.IN, handler);
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public @Nullable TransportStream accept() throws IOException {
        LinuxSocket.Accepted accepted = socket.accept();
        if (accepted == null) {
            return null;
        }
        try {
            accepted.socket().noDelay();
            return new LinuxStream(accepted.socket(), accepted.remote(), true);
        } catch (IOException | RuntimeException e) {
            accepted.socket().close();
            throw e;
        }
    }

    @Override
    public void awaitPeers(boolean wanted) {
        if (socket.isOpen()) {
            epoll.change(watch, wanted ? Epoll.IN : 0);
        }
    }

    @Override
    public void close() {
        if (socket.isOpen()) {
            epoll.remove(watch);
            socket.close();
        }
    }
}
