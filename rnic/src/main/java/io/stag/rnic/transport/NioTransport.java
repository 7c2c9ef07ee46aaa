package io.stag.rnic.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** TCP through NIO, on any operating system. Everything is staged: one read, one write, many FPDUs. */
public final class NioTransport implements Transport {
    private static final System.Logger LOG = System.getLogger(NioTransport.class.getName());

    private final Selector selector;
    private final Consumer<SelectionKey> collector = this::collect;
    private @Nullable ReadySet collecting;
    private volatile boolean closedChannels;

    /** Opens a selector. */
    public NioTransport() throws IOException {
        selector = Selector.open();
    }

    @Override
    public void select(long timeoutNanos, ReadySet ready) throws IOException {
        closedChannels = false;
        collecting = ready;
        if (timeoutNanos <= 0) {
            selector.selectNow(collector);
        } else if (timeoutNanos == Long.MAX_VALUE) {
            selector.select(collector);
        } else {
            // rounded up: a timer that fires early would make the agent spin for the rest of the millisecond
            selector.select(collector, TimeUnit.NANOSECONDS.toMillis(timeoutNanos + 999_999));
        }
    }

    private void collect(SelectionKey key) {
        if (collecting != null && key.isValid() && key.attachment() instanceof ReadyHandler handler) {
            collecting.add(handler);
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    /** A closed channel keeps its socket until the selector has dropped its key. */
    @Override
    public boolean needsSelect() {
        return closedChannels;
    }

    void channelClosed() {
        closedChannels = true;
        selector.wakeup();
    }

    /** Lets go of closed channels at once: what is ready shows up again in the next {@link #select}. */
    void dropClosedChannels() {
        selector.wakeup(); // whoever waits in it makes room
        try {
            selector.selectNow(_ -> {});
        } catch (IOException | ClosedSelectorException e) {
            LOG.log(System.Logger.Level.DEBUG, "dropping closed channels", e);
        }
        selector.wakeup(); // the look took wake-ups that were meant for whoever waits next
    }

    @Override
    public TransportStream connect(InetSocketAddress remote, ReadyHandler handler) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            NioStream stream = new NioStream(channel, remote);
            stream.register(this, SelectionKey.OP_CONNECT, handler);
            channel.connect(remote);
            return stream;
        } catch (IOException | RuntimeException e) {
            channel.close();
            channelClosed();
            throw e;
        }
    }

    @Override
    public TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler handler) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.configureBlocking(false);
            channel.bind(address, backlog);
            SelectionKey key = channel.register(selector, SelectionKey.OP_ACCEPT, handler);
            wakeup(); // a selector that waits already takes the key only in its next round
            return new NioListener(this, channel, key);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void adopt(TransportStream stream, ReadyHandler handler) throws IOException {
        ((NioStream) stream).register(this, SelectionKey.OP_READ, handler);
    }

    @Override
    public DatagramPort openDatagramPort(DatagramPortOptions options, ReadyHandler handler) throws IOException {
        return NioDatagramPort.open(this, options, handler);
    }

    Selector selector() {
        return selector;
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
