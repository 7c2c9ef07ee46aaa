package io.stag.rnic.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.SoftRnic;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.transport.Transport;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Another thread looks at a connection while it ends: who learns that it has ended can use the queue pair again. */
class ConnectionEndTest {
    private static final byte[] REPLY = "MPA ID Rep Frame@\1\0\0".getBytes(StandardCharsets.US_ASCII);
    private static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 7174);

    private final AgreeablePeer peer = new AgreeablePeer();
    private Rnic rnic;
    private QueuePair queuePair;
    private Connection connection;
    private boolean closed;

    /** Accepts, and closes when we do. */
    private final class AgreeablePeer implements Transport, TransportStream {
        private @Nullable ReadyHandler handler;
        private boolean finished;
        private boolean replied;

        @Override
        public void select(long timeoutNanos, ReadySet ready) {
            if (handler != null) {
                ready.add(handler);
            }
        }

        @Override
        public TransportStream connect(InetSocketAddress remote, ReadyHandler newHandler) {
            handler = newHandler;
            return this;
        }

        @Override
        public boolean finishConnect() {
            return true;
        }

        @Override
        public int read(StagingBuffer into) {
            if (replied) {
                return finished ? -1 : 0;
            }
            replied = true;
            MemorySegment.copy(REPLY, 0, into.segment(), ValueLayout.JAVA_BYTE, into.end(), REPLY.length);
            into.append(REPLY.length);
            return REPLY.length;
        }

        @Override
        public int write(StagingBuffer from) {
            int size = from.size();
            from.clear();
            return size;
        }

        @Override
        public void finishOutput() {
            finished = true;
        }

        @Override
        public void close() {
            handler = null;
            if (connection != null && !closed) {
                closed = true;
                looksAtTheEnd();
            }
        }

        @Override
        public void abort() {
            close();
        }

        @Override
        public void release() {}

        @Override
        public void awaitWritable(boolean wanted) {}

        @Override
        public int segmentSize() {
            return 1448;
        }

        @Override
        public InetSocketAddress localAddress() {
            return PEER;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return PEER;
        }

        @Override
        public void wakeup() {}

        @Override
        public boolean needsSelect() {
            return false;
        }

        @Override
        public TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler newHandler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void adopt(TransportStream stream, ReadyHandler newHandler) {
            throw new UnsupportedOperationException();
        }
    }

    @BeforeEach
    void connect() {
        RnicConfig config =
                RnicConfig.builder().progress(ProgressMode.INVOKER).jmx(false).build();
        rnic = new SoftRnic(config, () -> peer, () -> 0, new SplittableRandom(1));
        CompletionQueue completions = rnic.createCompletionQueue(8);
        queuePair = rnic.allocateProtectionDomain()
                .createQueuePair(QueuePairConfig.builder(completions).build());
        connection = rnic.connectionManager()
                .connect(
                        queuePair,
                        PEER,
                        ConnectionConfig.builder().mpaRevision(1).build());
    }

    @AfterEach
    void close() {
        assertThat(closed).isTrue();
        rnic.close();
    }

    private void establish() {
        while (connection.state() == Connection.State.CONNECTING) {
            rnic.progress();
        }
    }

    /** In the middle of the end, from another thread. */
    private void looksAtTheEnd() {
        boolean ended = CompletableFuture.supplyAsync(() -> connection.awaitDisconnected(Duration.ZERO))
                .join();
        assertThat(ended).isFalse();
        assertThat(connection.state())
                .isIn(Connection.State.CONNECTING, Connection.State.ESTABLISHED, Connection.State.DISCONNECTING);
    }

    @Test
    void anOrderlyEndIsSeenWhenTheQueuePairIsIdle() {
        establish();
        connection.disconnect();
        while (!connection.awaitDisconnected(Duration.ZERO)) {
            rnic.progress();
        }
        assertThat(queuePair.state()).isEqualTo(QueuePairState.IDLE);
        assertThat(connection.state()).isEqualTo(Connection.State.DISCONNECTED);
    }

    @Test
    void anAbortIsSeenWhenTheQueuePairIsInError() {
        establish();
        connection.abort();
        assertThat(connection.awaitDisconnected(Duration.ZERO)).isTrue();
        assertThat(queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(connection.state()).isEqualTo(Connection.State.DISCONNECTED);
    }

    @Test
    void aSetUpThatFailedIsSeenWhenTheQueuePairIsFree() {
        connection.disconnect();
        assertThat(connection.awaitDisconnected(Duration.ZERO)).isTrue();
        assertThat(queuePair.state()).isEqualTo(QueuePairState.IDLE);
        assertThat(connection.state()).isEqualTo(Connection.State.FAILED);
    }
}
