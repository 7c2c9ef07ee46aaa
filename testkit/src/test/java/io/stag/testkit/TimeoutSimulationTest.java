package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.stag.simnet.Conforms;
import io.stag.simnet.SimListener;
import io.stag.simnet.SimNetwork;
import io.stag.simnet.SimStream;
import io.stag.simnet.StreamFaults;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.Rnic;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.WorkCompletions;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that are silent, slow, dead or something else than a peer; in virtual time, so that limits are exact. */
class TimeoutSimulationTest {
    private static final Duration STARTUP = Duration.ofSeconds(5);
    private static final Duration CLOSE = Duration.ofSeconds(10);

    private SimulatedRnics simulation;
    private Rnic client;
    private Rnic server;
    private Side active;
    private Side passive;

    /** One connected queue pair and what happened to it. */
    private final class Side {
        final Rnic rnic;
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final QueuePair queuePair;
        final List<AsyncEvent> events = new ArrayList<>();
        Connection connection;

        Side(Rnic rnic) {
            this.rnic = rnic;
            domain = rnic.allocateProtectionDomain();
            queue = rnic.createCompletionQueue(64);
            queuePair = domain.createQueuePair(QueuePairConfig.builder(queue)
                    .maxOutboundReads(4)
                    .maxInboundReads(4)
                    .build());
            rnic.onAsyncEvent(events::add);
        }

        MemoryRegion memory(int length) {
            return domain.allocate(
                    length, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
        }

        SendRequests requests() {
            return queuePair.newSendRequests();
        }

        List<CompletionStatus> poll() {
            WorkCompletions batch = WorkCompletions.ofCapacity(64);
            List<CompletionStatus> statuses = new ArrayList<>();
            queue.poll(batch);
            for (int i = 0; i < batch.size(); i++) {
                statuses.add(batch.status(i));
            }
            return statuses;
        }

        void awaitEnd() {
            simulation.runUntil("the end", () -> connection.state() == Connection.State.DISCONNECTED);
        }
    }

    @BeforeEach
    void open() {
        simulation = SimulatedRnics.open(1, StreamFaults.none(), 2);
        client = simulation.rnic(0);
        server = simulation.rnic(1);
        active = new Side(client);
        passive = new Side(server);
    }

    @AfterEach
    void close() {
        simulation.close();
        simulation.settle();
        assertThat(simulation.hasDeadlines()).isFalse();
        assertThat(simulation.stagingBuffersInUse()).isZero();
    }

    private void connect(ConnectionConfig forClient, ConnectionConfig forServer) {
        try (Listener listener = server.connectionManager().listen(simulation.address(1, 0), 4)) {
            active.connection = client.connectionManager().connect(active.queuePair, listener.address(), forClient);
            simulation.runUntil("a request", () -> {
                listener.poll().ifPresent(request -> passive.connection = request.accept(passive.queuePair, forServer));
                return passive.connection != null;
            });
            simulation.runUntil(
                    "established",
                    () -> active.connection.state() == Connection.State.ESTABLISHED
                            && passive.connection.state() == Connection.State.ESTABLISHED);
        }
    }

    // set-up

    private RawStream rawClient(Listener listener) {
        SimStream stream = simulation.network().connect(SimNetwork.address(99, 0), listener.address());
        simulation.runUntil("TCP is connected", stream::isConnected);
        return new RawStream(simulation, stream);
    }

    private Listener listen() {
        return server.connectionManager().listen(simulation.address(1, 0), 4);
    }

    @Conforms({"CM-030", "SEC-027"})
    @Test
    void aClientThatSaysNothingIsDroppedInTime() {
        RawStream peer = rawClient(listen());
        long start = simulation.nanoTime();
        assertThat(peer.readToEnd()).isEmpty();
        assertThat(simulation.nanoTime() - start)
                .isBetween(STARTUP.toNanos() - 1_000_000, STARTUP.toNanos() + 1_000_000);
        assertThat(server.snapshot().connectionsHalfOpen()).isZero();
        assertThat(server.snapshot().connectionsFailed()).isEqualTo(1);
    }

    @Conforms({"CM-032", "SEC-027"})
    @Test
    void aClientThatDripsOctetsIsDroppedInTime() {
        RawStream peer = rawClient(listen());
        byte[] request = request(1, 0);
        long start = simulation.nanoTime();
        for (int i = 0; i < 5; i++) {
            peer.write(new byte[] {request[i]});
            simulation.run(Duration.ofMillis(900));
        }
        assertThat(peer.isOver()).isFalse();
        peer.readToEnd();
        assertThat(simulation.nanoTime() - start)
                .isLessThan(STARTUP.plusMillis(1).toNanos());
    }

    private static byte[] request(int revision, int privateData) {
        byte[] frame = new byte[20 + privateData];
        byte[] key = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(key, 0, frame, 0, key.length);
        frame[16] = 0x40; // CRC wanted
        frame[17] = (byte) revision;
        frame[18] = (byte) (privateData >> 8);
        frame[19] = (byte) privateData;
        return frame;
    }

    @Conforms({"CM-005", "CM-019", "SEC-027"})
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                "MPA ID Rep Frame____________",
                "\u0016\u0003\u0001\u0000 a ClientHello of TLS"
            })
    void whatIsNoRequestIsClosedAtOnce(String octets) {
        RawStream peer = rawClient(listen());
        byte[] sent = octets.getBytes(StandardCharsets.ISO_8859_1);
        peer.write(sent);
        long start = simulation.nanoTime();
        assertThat(peer.readToEnd()).as("no answer").isEmpty();
        assertThat(simulation.nanoTime() - start).isLessThan(STARTUP.toNanos() / 2);
        assertThat(server.snapshot().connectionsHalfOpen()).isZero();
    }

    @Conforms("CM-018")
    @Test
    void aRequestThatStopsHalfWayIsNotAnswered() {
        Listener listener = listen();
        RawStream peer = rawClient(listener);
        peer.write(Arrays.copyOf(request(1, 100), 60));
        simulation.run(Duration.ofSeconds(4));
        assertThat(listener.poll()).isEmpty();
        peer.stream.close();
        simulation.run(Duration.ofSeconds(1));
        assertThat(server.snapshot().connectionsHalfOpen()).isZero();
    }

    @Test
    void aServerThatNeverAnswersIsGivenUpInTime() throws IOException {
        SimListener listener = simulation.network().listen(SimNetwork.address(77, 0));
        active.connection = client.connectionManager()
                .connect(
                        active.queuePair,
                        listener.localAddress(),
                        ConnectionConfig.builder()
                                .timeout(Duration.ofSeconds(3))
                                .build());
        simulation.runUntil("given up", () -> active.connection.state() == Connection.State.FAILED);
        assertThat(simulation.nanoTime()).isBetween(2_900_000_000L, 3_100_000_000L);
        assertThat(active.queuePair.state()).isEqualTo(QueuePairState.IDLE);
    }

    /** It closes after the header and leaves the rest of the Request unread, so that TCP resets the connection. */
    @Conforms("CM-065")
    @ParameterizedTest
    @ValueSource(ints = {7, 30, 65_536})
    void aFallBackStartsWithACleanRequest(int window) throws IOException {
        simulation.network().streamFaults(StreamFaults.builder().window(window).build());
        SimListener listener = simulation.network().listen(SimNetwork.address(77, 0));
        byte[] privateData = "the program's own octets".getBytes(StandardCharsets.US_ASCII);
        active.connection = client.connectionManager()
                .connect(
                        active.queuePair,
                        listener.localAddress(),
                        ConnectionConfig.builder()
                                .fallBackToRevision1(true)
                                .privateData(privateData)
                                .build());
        RawStream first = accept(listener);
        assertThat(first.read(20)[17]).as("revision").isEqualTo((byte) 2);
        first.stream.close();

        RawStream second = accept(listener);
        byte[] frame = second.read(20 + privateData.length);
        byte[] expected = request(1, privateData.length);
        System.arraycopy(privateData, 0, expected, 20, privateData.length);
        assertThat(frame).isEqualTo(expected);
        active.connection.abort();
    }

    private RawStream accept(SimListener listener) {
        List<SimStream> accepted = new ArrayList<>();
        simulation.runUntil("a connection", () -> {
            Optional<SimStream> next = listener.accept();
            next.ifPresent(accepted::add);
            return next.isPresent();
        });
        return new RawStream(simulation, accepted.getFirst());
    }

    // liveness

    private static ConnectionConfig probing(Duration probe) {
        return ConnectionConfig.builder().livenessProbe(probe).build();
    }

    @Test
    void aPeerThatAnswersProbesLives() {
        connect(probing(Duration.ofSeconds(1)), ConnectionConfig.defaults());
        simulation.run(Duration.ofMinutes(10));
        assertThat(active.connection.state()).isEqualTo(Connection.State.ESTABLISHED);
        assertThat(passive.connection.state()).isEqualTo(Connection.State.ESTABLISHED);
        assertThat(passive.queuePair.snapshot().counters().readsServed()).isGreaterThan(500);
        assertThat(active.poll()).isEmpty();
        assertThat(passive.poll()).isEmpty();
        active.connection.disconnect();
        active.awaitEnd();
        passive.awaitEnd();
        assertThat(active.queuePair.state()).isEqualTo(QueuePairState.IDLE);
    }

    /** A relay between the two is dead, and TCP does not know. */
    @Test
    void aSilentPeerIsFoundInTime() {
        simulation.network().streamFaults(StreamFaults.builder().silenceAt(100).build());
        connect(probing(Duration.ofSeconds(1)), ConnectionConfig.defaults());
        MemoryRegion source = active.memory(100);
        long start = simulation.nanoTime();
        active.requests().send(1).from(source, 0, 100).read(2, 0, 0).post();
        active.awaitEnd();
        assertThat(simulation.nanoTime() - start).isBetween(1_900_000_000L, 2_200_000_000L);
        assertThat(active.poll()).last().isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(active.queuePair.firstCause().orElseThrow().fact()).contains("sign of life");
        assertThat(active.events).hasAtLeastOneElementOfType(AsyncEvent.StreamLost.class);
        passive.connection.abort();
    }

    /** Whoever was asleep, and not the peer, gives the peer its time to answer all the same. */
    @Test
    void aPeerIsAskedBeforeItIsGivenUp() {
        connect(probing(Duration.ofSeconds(1)), ConnectionConfig.defaults());
        simulation.run(Duration.ofMillis(500));
        simulation.network().clock().advanceTo(simulation.nanoTime() + 60_000_000_000L);
        simulation.run(Duration.ofSeconds(10));
        assertThat(active.connection.state()).isEqualTo(Connection.State.ESTABLISHED);
        assertThat(active.connection.cause()).isEmpty();
    }

    private static final ConnectionConfig CLIENT_SERVER =
            ConnectionConfig.builder().peerToPeer(false).build();

    /** It may not send before the initiator has (RFC 5044, section 7.1.2). */
    @Test
    void aResponderDoesNotAskBeforeItMaySend() {
        connect(CLIENT_SERVER, probing(Duration.ofSeconds(1)));
        simulation.run(Duration.ofMinutes(1));
        assertThat(passive.connection.state()).isEqualTo(Connection.State.ESTABLISHED);
        active.connection.disconnect();
        active.awaitEnd();
        passive.awaitEnd();
        assertThat(active.queuePair.state()).isEqualTo(QueuePairState.IDLE);
        assertThat(passive.queuePair.state()).isEqualTo(QueuePairState.IDLE);
        assertThat(passive.queuePair.snapshot().counters().segmentsSent()).isZero();
    }

    @Test
    void aResponderAsksWhenTheInitiatorHasSpoken() {
        connect(CLIENT_SERVER, probing(Duration.ofSeconds(1)));
        simulation.run(Duration.ofMinutes(1));
        active.requests().write(1, 0, 0).post();
        simulation.run(Duration.ofMinutes(1));
        assertThat(active.queuePair.snapshot().counters().readsServed()).isGreaterThan(50);
        assertThat(passive.connection.state()).isEqualTo(Connection.State.ESTABLISHED);

        simulation.halt(0, true);
        long start = simulation.nanoTime();
        passive.awaitEnd();
        assertThat(simulation.nanoTime() - start).isBetween(900_000_000L, 2_100_000_000L);
        assertThat(passive.queuePair.firstCause().orElseThrow().fact()).contains("sign of life");
        simulation.halt(0, false);
    }

    @Test
    void aPeerThatFallsSilentInsideItsFirstMessageIsFoundInTime() {
        simulation
                .network()
                .streamFaults(StreamFaults.builder().silenceAt(24 + 8).build()); // behind its Request
        connect(CLIENT_SERVER, probing(Duration.ofSeconds(1)));
        long start = simulation.nanoTime();
        active.requests().write(1, 0, 0).post();
        passive.awaitEnd();
        assertThat(simulation.nanoTime() - start).isBetween(1_900_000_000L, 3_100_000_000L);
        assertThat(passive.queuePair.firstCause().orElseThrow().fact()).contains("sign of life");
        active.connection.abort();
    }

    @Conforms("RDMAP-065")
    @Test
    void aPeerThatTakesNoReadsIsNotAsked() throws IOException {
        RawStream peer = rawServer(
                ConnectionConfig.builder().peerToPeer(false).livenessProbe(Duration.ofSeconds(1)),
                24,
                HexFormat.of().parseHex("5002000400000000")); // revision 2, IRD and ORD 0
        assertThat(active.connection.info().orElseThrow().outboundReads()).isZero();
        simulation.run(Duration.ofMinutes(1));
        assertThat(active.connection.state()).isEqualTo(Connection.State.ESTABLISHED);
        active.connection.abort();
        assertThat(peer.readToEnd()).isEmpty();
    }

    @Test
    void aQueuePairWithoutOutboundReadsCannotAsk() {
        ConnectionConfig probing = probing(Duration.ofSeconds(1));
        QueuePairConfig withoutReads =
                QueuePairConfig.builder(active.queue).maxOutboundReads(0).build();
        QueuePair asking = active.domain.createQueuePair(withoutReads);
        QueuePair answering = passive.domain.createQueuePair(
                QueuePairConfig.builder(passive.queue).maxOutboundReads(0).build());
        Listener listener = listen();
        assertRefused(() -> client.connectionManager().connect(asking, listener.address(), probing));
        active.connection = client.connectionManager().connect(asking, listener.address(), ConnectionConfig.defaults());
        simulation.runUntil("a request", () -> {
            listener.poll().ifPresent(request -> {
                assertRefused(() -> request.accept(answering, probing));
                passive.connection = request.accept(answering, ConnectionConfig.defaults());
            });
            return passive.connection != null;
        });
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(call)
                .returns(VerbsError.INVALID_ARGUMENT, VerbsException::error)
                .withMessageContaining("liveness probe");
    }

    /** What limits the end is the time for closing: nothing can be asked any more. */
    @Test
    void whoClosesDoesNotAskForSignsOfLife() throws IOException {
        rawServer(ConnectionConfig.builder().livenessProbe(Duration.ofSeconds(1)));
        active.connection.disconnect();
        long start = simulation.nanoTime();
        active.awaitEnd();
        assertThat(simulation.nanoTime() - start).isBetween(CLOSE.toNanos() - 1_000_000, CLOSE.toNanos() + 1_000_000);
    }

    @Test
    void aPeerThatTakesNothingIsFoundInTime() throws IOException {
        rawServer(ConnectionConfig.builder().sendProgressTimeout(Duration.ofSeconds(2)));
        MemoryRegion source = active.memory(1 << 20);
        long start = simulation.nanoTime();
        active.requests().send(1).from(source, 0, 1 << 20).post(); // more than the window
        active.awaitEnd();
        assertThat(simulation.nanoTime() - start).isBetween(1_900_000_000L, 2_200_000_000L);
        assertThat(active.queuePair.firstCause().orElseThrow().fact()).contains("took nothing");
        assertThat(active.poll()).containsExactly(CompletionStatus.WR_FLUSH_ERR);
    }

    // the first message

    /** An RDMA Write of nothing to STag 0 with its CRC. */
    private static final byte[] EMPTY_WRITE = HexFormat.of().parseHex("000ec140000000000000000000000000a30572ab");

    /** Linux siw does not see an FPDU that comes too soon after its Reply, until something else comes. */
    @Test
    void aResponderThatOverlookedTheFirstMessageIsNudged() throws IOException {
        RawStream peer = rawServer(ConnectionConfig.builder());
        active.requests().send(1).from(active.memory(16), 0, 16).post();
        long start = simulation.nanoTime();
        assertThat(peer.read(40)).hasSize(40);
        assertThat(simulation.nanoTime() - start).isLessThan(1_000_000);
        assertThat(peer.read(20)).isEqualTo(EMPTY_WRITE);
        assertThat(simulation.nanoTime() - start).isBetween(14_000_000L, 18_000_000L);
        for (int i = 1; i < 5; i++) {
            assertThat(peer.read(20)).isEqualTo(EMPTY_WRITE);
        }
        assertThat(simulation.nanoTime() - start).isBetween(460_000_000L, 500_000_000L);
        simulation.run(Duration.ofMinutes(1));
        active.connection.abort();
        assertThat(peer.readToEnd()).as("no more of it").isEmpty();
    }

    @Test
    void aResponderThatAnsweredIsNotNudged() throws IOException {
        RawStream peer = rawServer(ConnectionConfig.builder());
        active.requests().send(1).from(active.memory(16), 0, 16).post();
        peer.read(40);
        peer.write(EMPTY_WRITE);
        simulation.run(Duration.ofSeconds(1));
        active.connection.abort();
        assertThat(peer.readToEnd()).isEmpty();
    }

    @Test
    void whoHasSentNothingDoesNotNudge() throws IOException {
        RawStream peer = rawServer(ConnectionConfig.builder());
        simulation.run(Duration.ofSeconds(1));
        active.connection.abort();
        assertThat(peer.readToEnd()).isEmpty();
    }

    @Test
    void nudgingCanBeSwitchedOff() throws IOException {
        RawStream peer = rawServer(ConnectionConfig.builder().nudge(Duration.ZERO));
        active.requests().send(1).from(active.memory(16), 0, 16).post();
        peer.read(40);
        simulation.run(Duration.ofSeconds(1));
        active.connection.abort();
        assertThat(peer.readToEnd()).isEmpty();
    }

    // closing

    @Conforms("VRB-006")
    @Test
    void aTerminateThatNobodyReadsEndsInTime() throws IOException {
        RawStream peer = rawServer(ConnectionConfig.builder());
        active.queuePair.modify(QueuePairState.TERMINATE);
        long start = simulation.nanoTime();
        active.awaitEnd(); // the peer never closes
        assertThat(simulation.nanoTime() - start).isBetween(CLOSE.toNanos() - 1_000_000, CLOSE.toNanos() + 1_000_000);
        assertThat(active.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(peer.readToEnd()).as("the Terminate").isNotEmpty();
    }

    @Test
    void anOrderlyCloseThatNobodyAnswersEndsInTime() throws IOException {
        rawServer(ConnectionConfig.builder());
        active.connection.disconnect();
        long start = simulation.nanoTime();
        active.awaitEnd();
        assertThat(simulation.nanoTime() - start).isBetween(CLOSE.toNanos() - 1_000_000, CLOSE.toNanos() + 1_000_000);
        assertThat(active.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(active.events).hasAtLeastOneElementOfType(AsyncEvent.BadClose.class);
    }

    /** A responder made by hand, that accepts and then does nothing. */
    private RawStream rawServer(ConnectionConfig.Builder config) throws IOException {
        return rawServer(config.mpaRevision(1), 20, new byte[] {0x40, 1, 0, 0}); // CRC, no private data
    }

    /** Takes a Request of so many octets; its Reply has these behind the key. */
    private RawStream rawServer(ConnectionConfig.Builder config, int request, byte[] reply) throws IOException {
        SimListener listener = simulation.network().listen(SimNetwork.address(77, 0));
        InetSocketAddress address = listener.localAddress();
        active.connection = client.connectionManager().connect(active.queuePair, address, config.build());
        RawStream stream = accept(listener);
        stream.read(request);
        stream.write("MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII));
        stream.write(reply);
        simulation.runUntil("established", () -> active.connection.state() == Connection.State.ESTABLISHED);
        return stream;
    }
}
