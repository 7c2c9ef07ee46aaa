package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.rnic.mpa.StagingBuffer;
import io.stag.simnet.Seeds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What every transport over the operating system's TCP does: connections, octets, and their end. */
abstract class TransportContract extends TransportFixture {
    private static final int ECHOED = 64 << 20;
    private static final int CONNECTIONS = 500;

    // opening

    @Test
    void connectsAndAccepts() throws IOException {
        Transport transport = transport();
        Handler listenerReady = new Handler();
        TransportListener listener = transport.listen(loopback(), 5, listenerReady);
        assertThat(listener.accept()).isNull();

        Pair pair = new Pair(transport, listener, listenerReady);

        assertThat(listener.accept()).isNull();
        assertThat(pair.client.finishConnect()).isTrue();
        assertThat(pair.client.remoteAddress()).isEqualTo(listener.address());
        assertThat(pair.server.localAddress()).isEqualTo(listener.address());
        assertThat(pair.server.remoteAddress()).isEqualTo(pair.client.localAddress());
        send(pair.client, "ping");
        assertThat(receive(transport, pair.server, 4)).isEqualTo("ping");
        pair.close();
        listener.close();
    }

    @Test
    void aStreamIsReadyWhenItIsConnected() throws IOException {
        Transport transport = transport();
        TransportListener listener = transport.listen(loopback(), 5, new Handler());
        Handler ready = new Handler();
        TransportStream client = transport.connect(listener.address(), ready);
        if (!client.finishConnect()) {
            until(() -> ready.calls > 0, transport);
            assertThat(client.finishConnect()).isTrue();
        }
        client.close();
        listener.close();
    }

    @Test
    void aRefusedConnectionSaysSo() throws IOException {
        Transport transport = transport();
        TransportListener listener = transport.listen(loopback(), 5, new Handler());
        InetSocketAddress nobody = listener.address();
        listener.close();
        settle(transport);

        assertThatIOException()
                .isThrownBy(() -> {
                    Handler ready = new Handler();
                    TransportStream stream = transport.connect(nobody, ready);
                    until(() -> ready.calls > 0 || stream.finishConnect(), transport);
                    try {
                        stream.finishConnect();
                    } finally {
                        assertThatIOException().isThrownBy(stream::finishConnect);
                        stream.close();
                    }
                })
                .withMessageContaining("Connection refused");
    }

    @Test
    void anAddressThatCannotBeReachedSaysSoAndLeavesNoDescriptor() throws IOException {
        Transport transport = transport();
        int before = openDescriptors();
        InetAddress broadcast = InetAddress.getByAddress(new byte[] {-1, -1, -1, -1});
        for (int i = 0; i < 3; i++) {
            assertThatIOException()
                    .isThrownBy(() -> transport.connect(new InetSocketAddress(broadcast, 9), new Handler()))
                    .withMessageContaining("Network is unreachable");
        }
        drive(transport); // a selector may keep them until then
        assertThat(openDescriptors()).isEqualTo(before);
    }

    @Test
    void anAddressCanBeListenedAtAgainAtOnce() throws IOException {
        Transport transport = transport();
        Handler listenerReady = new Handler();
        TransportListener listener = transport.listen(loopback(), 5, listenerReady);
        Pair pair = new Pair(transport, listener, listenerReady);
        pair.server.close(); // who closes first keeps the address in TIME_WAIT
        settle(transport);
        awaitEnd(transport, pair.client);
        pair.close();
        listener.close();
        settle(transport);
        transport.listen(listener.address(), 5, new Handler()).close();
        settle(transport);
    }

    @Test
    void anAddressInUseOrOfSomebodyElseCannotBeListenedAt() throws IOException {
        Transport transport = transport();
        TransportListener listener = transport.listen(loopback(), 5, new Handler());
        assertThatIOException()
                .isThrownBy(() -> transport.listen(listener.address(), 5, new Handler()))
                .withMessageContaining("Address already in use");
        InetAddress foreign = InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1}); // for documentation
        assertThatIOException()
                .isThrownBy(() -> transport.listen(new InetSocketAddress(foreign, 0), 5, new Handler()))
                .withMessageContaining("Cannot assign requested address");
        listener.close();
    }

    @Test
    void anAddressMustBeResolved() throws IOException {
        Transport transport = transport();
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        assertThatThrownBy(() -> transport.connect(unresolved, new Handler()))
                .isInstanceOf(UnresolvedAddressException.class);
        assertThatThrownBy(() -> transport.listen(unresolved, 5, new Handler()))
                .isInstanceOf(UnresolvedAddressException.class);
    }

    @Test
    void ipv6Works() throws IOException {
        assumeIpv6();
        Transport transport = transport();
        Handler listenerReady = new Handler();
        TransportListener listener = transport.listen(loopback6(), 5, listenerReady);
        Pair pair = new Pair(transport, listener, listenerReady);
        assertThat(listener.address().getAddress()).isEqualTo(InetAddress.getByName("::1"));
        assertThat(pair.server.localAddress()).isEqualTo(listener.address());
        assertThat(pair.server.remoteAddress()).isEqualTo(pair.client.localAddress());
        send(pair.server, "pong");
        assertThat(receive(transport, pair.client, 4)).isEqualTo("pong");
        pair.close();
        listener.close();
    }

    @Test
    void theWildcardAddressTakesBothFamilies() throws IOException {
        assumeIpv6();
        Transport transport = transport();
        Handler listenerReady = new Handler();
        TransportListener listener = transport.listen(new InetSocketAddress(0), 5, listenerReady);
        assertThat(listener.address().getAddress().isAnyLocalAddress()).isTrue();
        for (InetSocketAddress host : List.of(loopback(), loopback6())) {
            InetSocketAddress remote =
                    new InetSocketAddress(host.getAddress(), listener.address().getPort());
            TransportStream client = transport.connect(remote, new Handler());
            until(client::finishConnect, transport);
            List<TransportStream> accepted = new ArrayList<>();
            until(() -> accept(listener, accepted), transport);
            TransportStream server = accepted.getFirst();
            assertThat(server.remoteAddress()).isEqualTo(client.localAddress());
            assertThat(server.localAddress().getAddress()).isEqualTo(host.getAddress());
            client.close();
            server.close();
        }
        listener.close();
    }

    private static boolean accept(TransportListener listener, List<TransportStream> accepted) throws IOException {
        TransportStream stream = listener.accept();
        return stream != null && accepted.add(stream);
    }

    @Test
    void theSegmentSizeIsPlausible() throws IOException {
        Pair pair = pair(transport());
        assertThat(pair.client.segmentSize()).isBetween(500, 65_536);
        assertThat(pair.server.segmentSize()).isBetween(500, 65_536);
        pair.close();
        assertThat(pair.client.segmentSize()).isBetween(500, 65_536);
    }

    // octets

    @Test
    void octetsComeBackAsTheyWereSentHoweverTheyAreCut() throws IOException {
        long seed = Seeds.all().findFirst().orElseThrow();
        SplittableRandom random = new SplittableRandom(seed);
        Transport transport = transport();
        Pair pair = pair(transport);
        StagingBuffer sent = new StagingBuffer(256 * 1024);
        StagingBuffer echoed = new StagingBuffer(100_000);
        StagingBuffer received = new StagingBuffer(66 * 1024);
        int produced = 0;
        int partial = 0;
        int checked = 0;
        while (checked < ECHOED) {
            if (sent.size() == 0 && produced < ECHOED) {
                produced = fill(sent, Math.min(1 + random.nextInt(sent.capacity()), ECHOED - produced), produced);
                askForBreaks(sent, random);
            }
            pair.client.write(sent);
            partial += sent.size() > 0 ? 1 : 0;
            pair.client.awaitWritable(sent.size() > 0);
            for (int i = random.nextInt(4); i > 0; i--) {
                echo(pair.server, echoed);
            }
            if (random.nextBoolean()) {
                assertThat(pair.client.read(received)).isNotNegative();
                checked = check(received, checked, seed);
            }
            if (random.nextInt(8) == 0) {
                drive(transport);
            }
        }
        assertThat(partial).as("writes that took a part").isPositive();
        pair.close();
    }

    private static void echo(TransportStream stream, StagingBuffer buffer) throws IOException {
        if (buffer.room() == 0) {
            buffer.compact();
        }
        assertThat(stream.read(buffer)).isNotNegative();
        stream.write(buffer);
    }

    private static int fill(StagingBuffer buffer, int count, int position) {
        for (int i = 0; i < count; i++) {
            buffer.segment().set(JAVA_BYTE, i, octetAt(position + i));
        }
        buffer.append(count);
        return position + count;
    }

    /** They are a wish, and change nothing but how TCP cuts. */
    private static void askForBreaks(StagingBuffer buffer, SplittableRandom random) {
        int left = buffer.size();
        buffer.clear();
        while (left > 0) {
            int piece = Math.min(left, 1 + random.nextInt(random.nextBoolean() ? 2_000 : 100_000));
            buffer.append(piece);
            buffer.breakSegment(random.nextBoolean());
            left -= piece;
        }
    }

    private static int check(StagingBuffer buffer, int position, long seed) {
        for (int i = buffer.start(); i < buffer.end(); i++) {
            if (buffer.segment().get(JAVA_BYTE, i) != octetAt(position + i - buffer.start())) {
                throw new AssertionError("wrong octet at " + (position + i) + ", " + Seeds.replay(seed));
            }
        }
        int count = buffer.size();
        buffer.consume(count);
        return position + count;
    }

    private static byte octetAt(int position) {
        return (byte) (position * 0x9E37_79B1 >>> 24);
    }

    @Test
    void withoutRoomOrOctetsNothingHappens() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        send(pair.client, "ab");
        until(() -> pair.serverReady.calls > 0, transport);
        StagingBuffer full = holding("x");
        assertThat(pair.server.read(full)).as("not the end of the stream").isZero();
        assertThat(pair.server.write(new StagingBuffer(8))).isZero();
        assertThat(receive(transport, pair.server, 2)).isEqualTo("ab");
        assertThat(pair.server.read(new StagingBuffer(8))).isZero();
        pair.close();
    }

    // ending

    @Test
    void eitherDirectionEndsByItself() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        send(pair.client, "last words");
        pair.client.finishOutput();
        assertThat(receive(transport, pair.server, 10)).isEqualTo("last words");
        awaitEnd(transport, pair.server);
        assertThatIOException().isThrownBy(() -> pair.client.write(holding("more")));

        send(pair.server, "still here");
        assertThat(receive(transport, pair.client, 10)).isEqualTo("still here");
        pair.server.finishOutput();
        awaitEnd(transport, pair.client);
        pair.client.finishOutput();
        pair.close();
    }

    @Test
    void closingLetsThePeerReadEverything() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        send(pair.client, "all of this");
        pair.client.close();
        settle(transport);
        assertThat(receive(transport, pair.server, 11)).isEqualTo("all of this");
        awaitEnd(transport, pair.server);
        pair.close();
    }

    @Test
    void closingWithUnreadInputLetsThePeerReadEverything() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        send(pair.client, "nobody reads this");
        until(() -> pair.serverReady.calls > 0, transport);
        send(pair.server, "bye");
        pair.server.close();
        settle(transport);
        assertThat(receive(transport, pair.client, 3)).isEqualTo("bye");
        awaitEnd(transport, pair.client);
        pair.close();
    }

    @Test
    void anAbortIsAnErrorForThePeer() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        send(pair.client, "in vain");
        pair.client.abort();
        settle(transport);
        awaitReset(transport, pair.server);
        assertThatIOException().as("and stays one").isThrownBy(() -> pair.server.read(new StagingBuffer(64)));
        assertThatIOException().isThrownBy(() -> pair.server.write(holding("x")));
        pair.close();
    }

    private static void awaitReset(Transport transport, TransportStream stream) {
        StagingBuffer buffer = new StagingBuffer(64);
        assertThatIOException()
                .isThrownBy(() -> until(() -> stream.read(buffer) < 0, transport))
                .withMessageContaining("Connection reset");
    }

    @Test
    void anAbortIsAnErrorForAPeerWhoseOutputHasEnded() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        pair.server.finishOutput();
        awaitEnd(transport, pair.client);
        pair.client.abort();
        settle(transport);
        awaitReset(transport, pair.server);
        pair.close();
    }

    @Test
    void anAbortIsAnErrorForAPeerThatOnlyWrites() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        pair.client.abort();
        settle(transport);
        assertThatIOException().isThrownBy(() -> until(() -> pair.server.write(holding("x")) < 0, transport));
        assertThatIOException().as("and stays one").isThrownBy(() -> pair.server.write(holding("x")));
        pair.close();
    }

    @Test
    void anAbortAfterTheEndLeavesTheEndAsItWas() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        send(pair.client, "bye");
        pair.client.finishOutput();
        assertThat(receive(transport, pair.server, 3)).isEqualTo("bye");
        awaitEnd(transport, pair.server);
        pair.client.abort();
        settle(transport);
        assertThatIOException().isThrownBy(() -> until(() -> pair.server.write(holding("x")) < 0, transport));
        awaitEnd(transport, pair.server);
        pair.close();
    }

    @Test
    void bothEndsStayAsTheyWere() throws IOException {
        Transport transport = transport();
        Pair pair = pair(transport);
        pair.client.finishOutput();
        awaitEnd(transport, pair.server);
        pair.server.finishOutput();
        pair.client.finishOutput();
        for (TransportStream stream : List.of(pair.client, pair.server, pair.client, pair.server)) {
            awaitEnd(transport, stream);
        }
        pair.close();
    }

    @Test
    void aClosedStreamFailsAndTouchesNobodyElse() throws IOException {
        Transport transport = transport();
        Pair closed = pair(transport);
        closed.close();
        Pair next = pair(transport); // the system gives it the descriptors just freed
        for (TransportStream stream : List.of(closed.client, closed.server)) {
            assertThatIOException().isThrownBy(() -> stream.read(new StagingBuffer(8)));
            assertThatIOException().isThrownBy(() -> stream.write(holding("stray")));
            assertThatIOException().isThrownBy(stream::finishOutput);
            stream.awaitWritable(true);
            stream.release();
            stream.abort();
            stream.close();
            assertThat(stream.localAddress()).isNotNull();
            assertThatIOException().isThrownBy(() -> transport.adopt(stream, new Handler()));
        }
        settle(transport);
        send(next.client, "untouched");
        assertThat(receive(transport, next.server, 9)).isEqualTo("untouched");
        next.close();
    }

    @Test
    void aClosedListenerFails() throws IOException {
        Transport transport = transport();
        TransportListener listener = transport.listen(loopback(), 5, new Handler());
        listener.close();
        listener.close();
        assertThatIOException().isThrownBy(listener::accept);
        settle(transport);
    }

    @Test
    void noDescriptorIsLeft() throws IOException {
        Transport transport = transport();
        pair(transport).close();
        int before = openDescriptors();
        Handler listenerReady = new Handler();
        TransportListener listener = transport.listen(loopback(), 5, listenerReady);
        List<Pair> open = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            open.add(new Pair(transport, listener, listenerReady));
            if (open.size() == 50) {
                assertThat(openDescriptors()).isEqualTo(before + 1 + 2 * open.size());
                for (Pair pair : open) {
                    pair.close();
                }
                open.clear();
            }
        }
        listener.close();
        settle(transport);
        assertThat(openDescriptors()).isEqualTo(before);
    }

    @Test
    void whatCannotBeOpenedLeavesNoDescriptor() throws IOException {
        Transport transport = transport();
        TransportListener listener = transport.listen(loopback(), 5, new Handler());
        int before = openDescriptors();
        for (int i = 0; i < 3; i++) {
            assertThatIOException().isThrownBy(() -> transport.listen(listener.address(), 5, new Handler()));
        }
        settle(transport);
        assertThat(openDescriptors()).isEqualTo(before);
        listener.close();
    }

    @Test
    void aTransportLeavesNoDescriptor() throws IOException {
        open().close();
        int before = openDescriptors();
        for (int i = 0; i < 10; i++) {
            Transport transport = open();
            transport.wakeup();
            drive(transport);
            transport.close();
            transport.close();
            transport.wakeup();
        }
        assertThat(openDescriptors()).isEqualTo(before);
    }
}
