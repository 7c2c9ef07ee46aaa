package io.stag.rnic.transport;

import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A TCP connection through NIO. */
final class NioStream implements TransportStream {
    private static final System.Logger LOG = System.getLogger(NioStream.class.getName());
    private static final int IPV4_AND_TCP = 40;
    private static final int IPV6_AND_TCP = 60;
    private static final int TIMESTAMPS = 12;
    private static final int DEFAULT_MTU = 1500;

    private final SocketChannel channel;
    private final InetSocketAddress remote;
    private @Nullable NioTransport transport;
    private @Nullable SelectionKey key;
    private int reading = SelectionKey.OP_READ;
    private boolean writableWanted;
    private int segmentSize;

    NioStream(SocketChannel channel, InetSocketAddress remote) throws IOException {
        this.channel = channel;
        this.remote = remote;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    void register(NioTransport newTransport, int operations, Transport.ReadyHandler handler) throws IOException {
        transport = newTransport;
        key = channel.register(newTransport.selector(), operations, handler);
        newTransport.wakeup(); // a selector that waits already takes the key only in its next round
    }

    @Override
    public boolean finishConnect() throws IOException {
        if (!channel.finishConnect()) {
            return false;
        }
        interest(reading);
        return true;
    }

    @Override
    public int read(StagingBuffer into) throws IOException {
        ByteBuffer buffer = into.buffer();
        buffer.limit(buffer.capacity()).position(into.end());
        int count = channel.read(buffer);
        if (count > 0) {
            into.append(count);
        } else if (count < 0) {
            reading = 0; // the end stays readable for ever, and would keep the selector from waiting
            awaitWritable(writableWanted);
        }
        return count;
    }

    @Override
    public int write(StagingBuffer from) throws IOException {
        ByteBuffer buffer = from.buffer();
        buffer.limit(from.end()).position(from.start());
        int count = channel.write(buffer);
        from.consume(count);
        return count;
    }

    @Override
    public void awaitWritable(boolean wanted) {
        writableWanted = wanted;
        interest(wanted ? reading | SelectionKey.OP_WRITE : reading);
    }

    private void interest(int operations) {
        SelectionKey registered = key;
        if (registered != null && registered.isValid() && registered.interestOps() != operations) {
            registered.interestOps(operations);
            if (transport != null) {
                transport.wakeup();
            }
        }
    }

    @Override
    public void finishOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing the stream to " + remote, e);
        }
        if (transport != null) {
            transport.channelClosed();
        }
    }

    @Override
    public void abort() {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "resetting the stream to " + remote, e);
        }
        close();
        if (transport != null) {
            transport.dropClosedChannels(); // the reset leaves only then
        }
    }

    @Override
    public void release() {
        SelectionKey registered = key;
        key = null;
        if (registered != null) {
            registered.cancel();
        }
        if (transport != null) {
            transport.channelClosed();
            transport = null;
        }
    }

    /** NIO cannot ask TCP, so the interface's MTU less headers stands in (RFC 5044, section 5.1). */
    @Override
    public int segmentSize() {
        if (segmentSize == 0) { // finding the interface takes a while
            segmentSize = guessSegmentSize();
        }
        return segmentSize;
    }

    private int guessSegmentSize() {
        InetSocketAddress local = localAddress();
        int mtu = DEFAULT_MTU;
        try {
            NetworkInterface network = NetworkInterface.getByInetAddress(local.getAddress());
            if (network != null && network.getMTU() > 0) {
                mtu = network.getMTU();
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "MTU of the interface of " + local, e);
        }
        int headers = local.getAddress() instanceof Inet6Address ? IPV6_AND_TCP : IPV4_AND_TCP;
        return mtu - headers - TIMESTAMPS;
    }

    @Override
    public InetSocketAddress localAddress() {
        try {
            InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
            return local == null ? new InetSocketAddress(0) : local;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "local address of a closed stream", e);
            return new InetSocketAddress(0);
        }
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }
}
