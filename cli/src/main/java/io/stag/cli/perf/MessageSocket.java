package io.stag.cli.perf;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Messages of one size over a socket: what the baselines share. One thread at a time. */
abstract sealed class MessageSocket permits RawSocket, FramedSocket {
    /** Answer of {@link #receiveSome} when the peer closed the connection. */
    static final int END = -1;

    private final SocketChannel channel;
    private final boolean polling;

    MessageSocket(SocketChannel channel, RunSpec spec) throws IOException {
        this.channel = channel;
        this.polling = spec.waitMode() == WaitMode.POLL;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(!polling);
    }

    static MessageSocket over(SocketChannel channel, RunSpec spec) throws IOException {
        return spec.test().layer() == PerfTest.Layer.FRAMED
                ? new FramedSocket(channel, spec)
                : new RawSocket(channel, spec);
    }

    /** Sends one message. */
    abstract void send() throws IOException;

    /** Sends as many messages as one would for throughput, and says how many. */
    abstract int sendMany() throws IOException;

    /** Waits for a whole message; false at the end of the stream. */
    abstract boolean receive() throws IOException;

    /**
     * Takes what is there.
     *
     * @return messages completed, possibly 0, or {@link #END}
     */
    abstract int receiveSome() throws IOException;

    /** The message received last. */
    abstract boolean isContentRight();

    final void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // nothing more to be done with it
        }
    }

    final void writeAll(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.write(buffer) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** Reads at least one octet; false at the end of the stream. */
    final boolean readSome(ByteBuffer buffer) throws IOException {
        int count = channel.read(buffer);
        while (count == 0 && polling) {
            Thread.onSpinWait();
            count = channel.read(buffer);
        }
        return count > 0;
    }

    /** Reads what is there, in polling mode perhaps nothing. */
    final int read(ByteBuffer buffer) throws IOException {
        return channel.read(buffer);
    }

    static ByteBuffer filled(int size) {
        ByteBuffer message = ByteBuffer.allocateDirect(size);
        Content.fill(MemorySegment.ofBuffer(message), 0, size);
        return message;
    }

    static boolean isRight(ByteBuffer message, int size) {
        return Content.isRight(MemorySegment.ofBuffer(message.duplicate().clear()), 0, size);
    }
}
