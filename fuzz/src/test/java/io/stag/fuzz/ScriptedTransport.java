package io.stag.fuzz;

import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.transport.GatheringStream;
import io.stag.rnic.transport.Transport;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transport whose other end is the test: it says what comes in, what goes out, and what breaks. */
final class ScriptedTransport implements Transport {
    private static final InetSocketAddress HERE = address(1);
    private static final InetSocketAddress THERE = address(2);
    private static final int SEGMENT_SIZE = 600;

    /** All streams of the run, oldest first. */
    final List<Stream> streams = new ArrayList<>();

    private final ArrayDeque<Stream> arriving = new ArrayDeque<>();
    private @Nullable ReadyHandler listening;

    private static InetSocketAddress address(int host) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host}), 4000);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    void reset() {
        streams.clear();
        arriving.clear();
    }

    /** A peer connects. */
    void arrive() {
        if (listening != null) {
            var stream = new Stream(false);
            streams.add(stream);
            arriving.add(stream);
        }
    }

    @Override
    public void select(long timeoutNanos, ReadySet ready) {
        Check.equal(timeoutNanos, 0, "nobody waits in these tests; time-out");
        ReadyHandler listener = listening;
        if (listener != null && !arriving.isEmpty()) {
            ready.add(listener);
        }
        for (Stream stream : streams) {
            ReadyHandler handler = stream.handler;
            if (handler != null && stream.isReady()) {
                ready.add(handler);
            }
        }
    }

    @Override
    public void wakeup() {}

    @Override
    public boolean needsSelect() {
        return true;
    }

    @Override
    public TransportStream connect(InetSocketAddress remote, ReadyHandler handler) {
        var stream = new Stream(true);
        stream.handler = handler;
        streams.add(stream);
        return stream;
    }

    @Override
    public TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler handler) {
        listening = handler;
        return new TransportListener() {
            @Override
            public InetSocketAddress address() {
                return HERE;
            }

            @Override
            public @Nullable TransportStream accept() {
                return arriving.poll();
            }

            @Override
            public void awaitPeers(boolean wanted) {}

            @Override
            public void close() {
                listening = null;
            }
        };
    }

    @Override
    public void adopt(TransportStream stream, ReadyHandler handler) {
        ((Stream) stream).handler = handler;
    }

    @Override
    public void close() {}

    /** One stream; the fields are the test's to change. */
    static final class Stream implements GatheringStream {
        /** Whether our side connected. */
        final boolean outbound;

        /** Octets that we wrote. */
        final ByteArrayOutputStream written = new ByteArrayOutputStream();

        /** Octets that still can be written. */
        int window = 1 << 20;

        boolean connected = true;
        boolean ended;
        boolean broken;
        boolean finished;
        boolean closed;

        private byte[] incoming = {};
        private int at;
        private boolean writableAwaited;
        private @Nullable ReadyHandler handler;

        Stream(boolean outbound) {
            this.outbound = outbound;
        }

        /** The peer sends octets; they get lost when we are gone. */
        void send(byte[] octets) {
            byte[] more = java.util.Arrays.copyOfRange(incoming, at, incoming.length + octets.length);
            System.arraycopy(octets, 0, more, incoming.length - at, octets.length);
            incoming = more;
            at = 0;
        }

        private boolean isReady() {
            return at < incoming.length || ended || broken || !connected || (writableAwaited && window > 0);
        }

        private void checkUsable() throws IOException {
            Check.that(!closed, "a closed stream is not used");
            if (broken) {
                throw new IOException("broken by the test");
            }
        }

        @Override
        public boolean finishConnect() throws IOException {
            checkUsable();
            return connected;
        }

        @Override
        public int read(StagingBuffer into) throws IOException {
            checkUsable();
            int length = Math.min(into.room(), incoming.length - at);
            if (length == 0) {
                return ended && at == incoming.length ? -1 : 0;
            }
            MemorySegment.copy(incoming, at, into.segment(), ValueLayout.JAVA_BYTE, into.end(), length);
            into.append(length);
            at += length;
            return length;
        }

        @Override
        public int leastGathered() {
            return 30;
        }

        @Override
        public int write(StagingBuffer from, Splices splices) throws IOException {
            var joined = new StagingBuffer(from.size() + splices.total());
            if (splices.copyRest(from, 0, joined) != Splices.COPIED) {
                return GONE;
            }
            return write(joined);
        }

        @Override
        public int write(StagingBuffer from) throws IOException {
            checkUsable();
            Check.that(!finished, "nothing is written after the end");
            int length = Math.min(window, from.size());
            written.writeBytes(from.segment().asSlice(from.start(), length).toArray(ValueLayout.JAVA_BYTE));
            from.consume(length);
            window -= length;
            return length;
        }

        @Override
        public void awaitWritable(boolean wanted) {
            writableAwaited = wanted;
        }

        @Override
        public void finishOutput() throws IOException {
            checkUsable();
            finished = true;
        }

        @Override
        public void close() {
            closed = true;
            handler = null;
        }

        @Override
        public void abort() {
            close();
        }

        @Override
        public void release() {
            handler = null;
        }

        @Override
        public int segmentSize() {
            return SEGMENT_SIZE;
        }

        @Override
        public InetSocketAddress localAddress() {
            return HERE;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return THERE;
        }
    }
}
