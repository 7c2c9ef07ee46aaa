package io.stag.rnic.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.SoftRnic;
import io.stag.rnic.transport.Transport;
import io.stag.rnic.transport.TransportListener;
import io.stag.rnic.transport.TransportStream;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A peer waits that cannot be accepted, since the process has no descriptor left. */
class ListenerPauseTest {
    private final ExhaustedTransport transport = new ExhaustedTransport();
    private long now;

    private static final class ExhaustedTransport implements Transport, TransportListener {
        private @Nullable ReadyHandler handler;
        private boolean awaited = true;
        private boolean exhausted = true;
        private int attempts;

        @Override
        public void select(long timeoutNanos, ReadySet ready) {
            if (awaited && handler != null) {
                ready.add(handler);
            }
        }

        @Override
        public TransportListener listen(InetSocketAddress address, int backlog, ReadyHandler newHandler) {
            handler = newHandler;
            return this;
        }

        @Override
        public @Nullable TransportStream accept() throws IOException {
            attempts++;
            if (exhausted) {
                throw new IOException("Too many open files");
            }
            return null;
        }

        @Override
        public void awaitPeers(boolean wanted) {
            awaited = wanted;
        }

        @Override
        public InetSocketAddress address() {
            return new InetSocketAddress(0);
        }

        @Override
        public void wakeup() {}

        @Override
        public boolean needsSelect() {
            return false;
        }

        @Override
        public TransportStream connect(InetSocketAddress remote, ReadyHandler newHandler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void adopt(TransportStream stream, ReadyHandler newHandler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private Rnic rnic() {
        RnicConfig config =
                RnicConfig.builder().progress(ProgressMode.INVOKER).jmx(false).build();
        return new SoftRnic(config, () -> transport, () -> now, new SplittableRandom(1));
    }

    private static void drive(Rnic rnic) {
        for (int i = 0; i < 100; i++) {
            rnic.progress();
        }
    }

    @Test
    void isNotTriedAgainAtOnce() {
        try (Rnic rnic = rnic();
                Listener listener = rnic.connectionManager().listen(new InetSocketAddress(0), 4)) {
            drive(rnic);
            assertThat(transport.attempts).isEqualTo(1);
            now += Duration.ofMillis(100).toNanos();
            drive(rnic);
            assertThat(transport.attempts).isEqualTo(2);
            transport.exhausted = false;
            now += Duration.ofMillis(100).toNanos();
            drive(rnic);
            assertThat(transport.attempts).isGreaterThan(50);
            assertThat(listener.poll()).isEmpty();
        }
        assertThat(transport.awaited).isTrue();
    }
}
