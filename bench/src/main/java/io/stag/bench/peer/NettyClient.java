package io.stag.bench.peer;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.stag.cli.perf.ClientTest;
import io.stag.cli.perf.ControlChannel;
import io.stag.cli.perf.RunSpec;
import io.stag.cli.perf.WaitMode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Measuring side on Netty. The thread that measures drives the event loop, so that nothing is handed over. */
@SuppressWarnings("FutureReturnValueIgnored") // void promises hand failures to the pipeline, which the loop sees
final class NettyClient implements ClientTest {
    private static final int HIGH_WATER_MARK = 4 << 20;
    private static final long WAIT_NANOS = Duration.ofMillis(200).toNanos();

    private final boolean latency;
    private final boolean polling;
    private final int batch;
    private final ManualIoEventLoop loop;
    private final NettyReceiver receiver;
    private final ByteBuf message;
    private final Channel channel;
    private long sent;
    private long answers;

    NettyClient(RunSpec spec, InetSocketAddress server) throws IOException {
        latency = spec.test().isLatency();
        polling = spec.waitMode() == WaitMode.POLL;
        batch = spec.depth();
        loop = new ManualIoEventLoop(Thread.currentThread(), NettyTransport.handlers(spec));
        receiver = new NettyReceiver(spec.size(), _ -> answers++);
        message = NettyTransport.message(spec);
        ChannelFuture connected = new Bootstrap()
                .group(loop)
                .channel(NettyTransport.channel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(NettyTransport.receiveBuffer(spec)))
                .option(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(HIGH_WATER_MARK / 4, HIGH_WATER_MARK))
                .handler(receiver)
                .connect(server);
        channel = connected.channel();
        while (!connected.isDone()) {
            loop.run(WAIT_NANOS);
        }
        if (!connected.isSuccess()) {
            close();
            throw new IOException("Netty cannot connect to " + server, connected.cause());
        }
    }

    @Override
    public ControlChannel.Buffers buffers() {
        return ControlChannel.Buffers.NONE;
    }

    @Override
    public void start(ControlChannel.Buffers server) {}

    @Override
    public int once() throws IOException {
        if (!latency) {
            return sendMany();
        }
        long before = answers;
        channel.writeAndFlush(message.retainedDuplicate(), channel.voidPromise());
        while (answers == before) {
            runLoop();
        }
        return 1;
    }

    private int sendMany() throws IOException {
        int count = 0;
        while (count < batch && channel.isWritable()) {
            channel.write(message.retainedDuplicate(), channel.voidPromise());
            count++;
        }
        if (count > 0) {
            channel.flush();
            sent += count;
        } else {
            runLoop();
        }
        return count;
    }

    private void runLoop() throws IOException {
        if (polling) {
            loop.runNow();
        } else {
            loop.run(WAIT_NANOS);
        }
        if (!channel.isActive()) {
            throw new IOException("the server closed the connection");
        }
    }

    @Override
    public void drain(ControlChannel control) throws IOException {
        if (latency) {
            return;
        }
        while (channel.unsafe().outboundBuffer().totalPendingWriteBytes() > 0) {
            runLoop();
        }
        control.call(ControlChannel.Order.DRAIN, sent);
    }

    @Override
    public boolean isContentRight() {
        return receiver.isContentRight();
    }

    @Override
    public void close() {
        channel.close();
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        while (!loop.isTerminated()) {
            loop.runNow();
        }
        message.release();
    }
}
