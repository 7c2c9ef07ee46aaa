package io.stag.bench.peer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.stag.cli.perf.ControlChannel;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.ServerTest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Answering side on Netty: one event loop in a thread of its own. */
@SuppressWarnings("FutureReturnValueIgnored") // void promises hand failures to the pipeline, which the loop sees
final class NettyServer implements ServerTest {
    private final ByteBuf message;
    private final NettyReceiver receiver;
    private final EventLoopGroup group;
    private final Channel listener;
    private final CountDownLatch connected = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    NettyServer(RunSpec spec, InetAddress address) {
        message = NettyTransport.message(spec);
        receiver = new NettyReceiver(spec.size(), spec.test().isLatency() ? this::answer : _ -> {});
        group = new MultiThreadIoEventLoopGroup(
                1, Thread.ofPlatform().name("stag-perf-netty").daemon().factory(), NettyTransport.handlers(spec));
        listener = new ServerBootstrap()
                .group(group)
                .channel(NettyTransport.serverChannel())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(NettyTransport.receiveBuffer(spec)))
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(receiver);
                        connected.countDown();
                    }
                })
                .bind(new InetSocketAddress(address, 0))
                .syncUninterruptibly()
                .channel();
    }

    private void answer(ChannelHandlerContext context) {
        context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
    }

    @Override
    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public void accept() {
        await(connected);
    }

    @Override
    public ControlChannel.Buffers buffers() {
        return ControlChannel.Buffers.NONE;
    }

    @Override
    public void start(ControlChannel.Buffers client) {}

    /** The event loop has its own thread. */
    @Override
    public void run() {
        await(stopped);
    }

    @Override
    public long received() {
        return receiver.messages();
    }

    @Override
    public void stop() {
        stopped.countDown();
    }

    @Override
    public boolean isContentRight() {
        return receiver.isContentRight();
    }

    @Override
    public void close() {
        stop();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        message.release();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
