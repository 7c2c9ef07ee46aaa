package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.rnic.mpa.StagingBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Opens transports and moves octets over them, all on the test's thread. What waits too long fails by the time-out. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class TransportFixture {
    private static final long SOME_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final List<Transport> transports = new ArrayList<>();

    /** A transport of the kind under test. */
    abstract Transport open() throws IOException;

    final Transport transport() throws IOException {
        Transport opened = open();
        transports.add(opened);
        return opened;
    }

    @AfterEach
    void closeTransports() throws IOException {
        for (Transport each : transports) {
            each.close();
        }
    }

    /** Counts how often something was ready. */
    static final class Handler implements Transport.ReadyHandler {
        int calls;

        @Override
        public void onReady() {
            calls++;
        }
    }

    interface Condition {
        boolean holds() throws IOException;
    }

    static void until(Condition condition, Transport... driven) throws IOException {
        while (!condition.holds()) {
            for (Transport each : driven) {
                each.select(driven.length == 1 ? SOME_NANOS : 1, Transport.ReadyHandler::onReady);
            }
        }
    }

    /** Calls every handler that is ready now. */
    static void drive(Transport transport) throws IOException {
        transport.select(0, Transport.ReadyHandler::onReady);
    }

    /** Both ends of a connection, watched by the same transport. */
    static final class Pair {
        final Transport transport;
        final Handler clientReady = new Handler();
        final Handler serverReady = new Handler();
        final TransportStream client;
        final TransportStream server;

        Pair(Transport transport, TransportListener listener, Handler listenerReady) throws IOException {
            this.transport = transport;
            int before = listenerReady.calls;
            client = transport.connect(listener.address(), clientReady);
            until(client::finishConnect, transport);
            until(() -> listenerReady.calls > before, transport);
            TransportStream accepted = listener.accept();
            assertThat(accepted).isNotNull();
            server = accepted;
            transport.adopt(server, serverReady);
        }

        void close() throws IOException {
            client.close();
            server.close();
            settle(transport);
        }
    }

    Pair pair(Transport transport) throws IOException {
        Handler listenerReady = new Handler();
        TransportListener listener = transport.listen(loopback(), 5, listenerReady);
        try {
            return new Pair(transport, listener, listenerReady);
        } finally {
            listener.close();
            settle(transport);
        }
    }

    /** Finishes what closing left to select. */
    static void settle(Transport transport) throws IOException {
        while (transport.needsSelect()) {
            drive(transport);
        }
    }

    static InetSocketAddress loopback() throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
    }

    static InetSocketAddress loopback6() throws IOException {
        return new InetSocketAddress(InetAddress.getByName("::1"), 0);
    }

    static void assumeIpv6() throws IOException {
        InetAddress loopback = InetAddress.getByName("::1");
        assumeTrue(loopback instanceof Inet6Address && NetworkInterface.getByInetAddress(loopback) != null, "no IPv6");
    }

    static StagingBuffer holding(String text) {
        byte[] octets = text.getBytes(StandardCharsets.US_ASCII);
        StagingBuffer buffer = new StagingBuffer(octets.length);
        MemorySegment.copy(octets, 0, buffer.segment(), JAVA_BYTE, 0, octets.length);
        buffer.append(octets.length);
        return buffer;
    }

    static void send(TransportStream stream, String text) throws IOException {
        StagingBuffer buffer = holding(text);
        assertThat(stream.write(buffer)).isEqualTo(text.length());
        assertThat(buffer.size()).isZero();
    }

    /** Reads so many octets, waiting for them. */
    static String receive(Transport transport, TransportStream stream, int count) throws IOException {
        StagingBuffer buffer = new StagingBuffer(count);
        until(
                () -> {
                    assertThat(stream.read(buffer)).isNotNegative();
                    return buffer.room() == 0;
                },
                transport);
        return new String(buffer.segment().toArray(JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    /** Waits for the end of the stream; nothing may come before. */
    static void awaitEnd(Transport transport, TransportStream stream) throws IOException {
        StagingBuffer buffer = new StagingBuffer(16);
        until(
                () -> {
                    int count = stream.read(buffer);
                    assertThat(count).isNotPositive();
                    return count < 0;
                },
                transport);
    }

    static int openDescriptors() throws IOException {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "the system does not list descriptors");
        try (Stream<Path> files = Files.list(DESCRIPTORS)) {
            return (int) files.count();
        }
    }
}
