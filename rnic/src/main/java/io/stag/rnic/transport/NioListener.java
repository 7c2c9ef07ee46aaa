package io.stag.rnic.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A listening socket. */
final class NioListener implements TransportListener {
    private static final System.Logger LOG = System.getLogger(NioListener.class.getName());

    private final NioTransport transport;
    private final ServerSocketChannel channel;
    private final SelectionKey key;
    private final InetSocketAddress address;

    NioListener(NioTransport transport, ServerSocketChannel channel, SelectionKey key) throws IOException {
        this.transport = transport;
        this.channel = channel;
        this.key = key;
        this.address = (InetSocketAddress) channel.getLocalAddress();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public @Nullable TransportStream accept() throws IOException {
        SocketChannel accepted = channel.accept();
        if (accepted == null) {
            return null;
        }
        try {
            return new NioStream(accepted, (InetSocketAddress) accepted.getRemoteAddress());
        } catch (IOException | RuntimeException e) {
            accepted.close();
            throw e;
        }
    }

    @Override
    public void awaitPeers(boolean wanted) {
        if (key.isValid()) {
            key.interestOps(wanted ? SelectionKey.OP_ACCEPT : 0);
            transport.wakeup(); // a selector that waits already takes the change only in its next round
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "closing the listener at " + address, e);
        }
        transport.dropClosedChannels(); // else the address stays in use until the agent looks again
    }
}
