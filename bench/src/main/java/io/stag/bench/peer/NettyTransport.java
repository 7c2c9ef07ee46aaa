package io.stag.bench.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategy;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.stag.cli.perf.Content;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.WaitMode;
import java.lang.foreign.MemorySegment;

/** What both sides of the Netty tests use. */
final class NettyTransport {
    private static final int LEAST_RECEIVE_BUFFER = 2_048;
    private static final int BULK_RECEIVE_BUFFER = 256 << 10;

    private NettyTransport() {}

    static IoHandlerFactory handlers(RunSpec spec) {
        if (!Epoll.isAvailable()) {
            return NioIoHandler.newFactory();
        }
        return spec.waitMode() == WaitMode.BLOCK
                ? EpollIoHandler.newFactory()
                : EpollIoHandler.newFactory(
                        0, () -> (supplier, hasTasks) -> hasTasks ? supplier.get() : SelectStrategy.BUSY_WAIT);
    }

    static Class<? extends Channel> channel() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    static Class<? extends ServerChannel> serverChannel() {
        return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** Octets that one read may bring. */
    static int receiveBuffer(RunSpec spec) {
        return spec.test().isLatency() ? Math.max(spec.size(), LEAST_RECEIVE_BUFFER) : BULK_RECEIVE_BUFFER;
    }

    static ByteBuf message(RunSpec spec) {
        byte[] octets = new byte[spec.size()];
        Content.fill(MemorySegment.ofArray(octets), 0, octets.length);
        return PooledByteBufAllocator.DEFAULT.directBuffer(octets.length).writeBytes(octets);
    }
}
