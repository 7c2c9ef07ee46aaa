package io.stag.bench.peer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.stag.cli.perf.Content;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Counts messages of one size; the content of the first is kept and can be verified. Used by the event loop. */
final class NettyReceiver extends ChannelInboundHandlerAdapter {
    private final int size;
    private final Consumer<ChannelHandlerContext> onMessage;
    private final byte[] first;
    private long octets;
    private long reported;
    private volatile long messages;

    /**
     * A receiver.
     *
     * @param size octets of a message
     * @param onMessage called for each
     */
    NettyReceiver(int size, Consumer<ChannelHandlerContext> onMessage) {
        this.size = size;
        this.onMessage = onMessage;
        first = new byte[size];
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        ByteBuf buffer = (ByteBuf) read;
        if (octets < size) {
            int count = (int) Math.min(size - octets, buffer.readableBytes());
            buffer.getBytes(buffer.readerIndex(), first, (int) octets, count);
        }
        octets += buffer.readableBytes();
        buffer.release();
        while (octets - reported >= size) {
            reported += size;
            onMessage.accept(context);
        }
        messages = reported / size;
    }

    /** Messages received; any thread. */
    long messages() {
        return messages;
    }

    boolean isContentRight() {
        return octets < size || Content.isRight(MemorySegment.ofArray(first), 0, size);
    }
}
