package io.stag.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.simnet.Conforms;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.VerbsError;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.ConnectionInfo;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connection set-up and close. */
public abstract class ConnectionContract extends ProviderContract {
    private static final ConnectionConfig DEFAULTS = ConnectionConfig.defaults();
    private static final Duration SHORT = Duration.ofMillis(150);

    /** For subclasses. */
    protected ConnectionContract() {}

    // set-up

    @Test
    void bothSidesLearnThatTheConnectionIsThere() {
        Listener listener = listen(server());
        Connection active = start(listener, DEFAULTS);
        assertThat(active.state()).isEqualTo(Connection.State.CONNECTING);
        assertThat(active.queuePair()).isSameAs(client().queuePair());
        Connection passive = await(listener).accept(server().queuePair(), DEFAULTS);
        client().connection(active);
        server().connection(passive);
        awaitEstablished(client(), server());

        assertThat(client().awaitConnectionEvent(ConnectionEvent.Established.class)
                        .connection())
                .isSameAs(active);
        assertThat(server().awaitConnectionEvent(ConnectionEvent.Established.class)
                        .connection())
                .isSameAs(passive);
        assertThat(server().awaitConnectionEvent(ConnectionEvent.Requested.class)
                        .listener())
                .isSameAs(listener);
        assertThat(active.remoteAddress()).isEqualTo(listener.address());
        assertThat(passive.localAddress()).isEqualTo(listener.address());
        assertThat(passive.remoteAddress()).isEqualTo(active.localAddress());
        assertThat(passive.queuePair()).isSameAs(server().queuePair());
        assertThat(client().state()).isEqualTo(QueuePairState.RTS);
        assertThat(server().state()).isEqualTo(QueuePairState.RTS);
        assertThat(active.cause()).isEmpty();
        assertThat(active.awaitEstablished(Duration.ZERO)).isSameAs(active);
        assertThat(client().rnic.snapshot().connectionsMade()).isEqualTo(1);
        assertThat(server().rnic.snapshot().connectionsAccepted()).isEqualTo(1);
        assertThat(client().rnic.snapshot().connectionsHalfOpen()).isZero();
        assertThat(server().rnic.snapshot().connectionsHalfOpen()).isZero();
        exchange(client(), server());
    }

    private Connection start(Listener listener, ConnectionConfig config) {
        return client().rnic.connectionManager().connect(client().queuePair(), listener.address(), config);
    }

    /** One message each way shows that a connection really works. */
    private void exchange(Peer one, Peer other) {
        MemoryRegion sinkOne = one.memory(3_000);
        MemoryRegion sinkOther = other.memory(3_000);
        one.postReceive(901, sinkOne);
        other.postReceive(902, sinkOther);
        MemoryRegion sourceOne = one.filled(3_000, 1);
        MemoryRegion sourceOther = other.filled(3_000, 2);

        one.requests().send(801).from(sourceOne, 0, 3_000).unsignaled().post();
        assertThat(other.expect(902).length()).isEqualTo(3_000);
        other.requests().send(802).from(sourceOther, 0, 3_000).unsignaled().post();
        assertThat(one.expect(901).length()).isEqualTo(3_000);

        assertThat(Peer.bytes(sinkOther)).isEqualTo(Peer.bytes(sourceOne));
        assertThat(Peer.bytes(sinkOne)).isEqualTo(Peer.bytes(sourceOther));
    }

    @Test
    void connectionsWorkWithIpv6() {
        Optional<InetSocketAddress> address = world().listenAddress6(server().rnic);
        assumeTrue(address.isPresent(), "no IPv6 here");
        try (Listener listener = server().rnic.connectionManager().listen(address.get(), 1)) {
            client().connection(start(listener, DEFAULTS));
            server().connection(await(listener).accept(server().queuePair(), DEFAULTS));
        }
        awaitEstablished(client(), server());
        exchange(client(), server());
    }

    @Conforms("CM-016")
    @ParameterizedTest
    @CsvSource({"2, 0, 0", "2, 1, 508", "2, 508, 1", "2, 508, 508", "1, 0, 0", "1, 512, 512", "1, 3, 200"})
    void privateDataReachesBothSides(int revision, int toServer, int toClient) {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        byte[] request = octets(toServer, 1);
        byte[] reply = octets(toClient, 2);
        Listener listener = listen(server());
        Connection active = start(
                listener,
                ConnectionConfig.builder()
                        .mpaRevision(revision)
                        .privateData(request)
                        .build());
        ConnectionRequest asked = await(listener);

        assertThat(asked.privateData()).isEqualTo(request);
        assertThat(asked.revision()).isEqualTo(revision);
        assertThat(asked.remoteAddress()).isEqualTo(active.localAddress());
        client().connection(active);
        server().connection(asked.accept(
                server().queuePair(),
                ConnectionConfig.builder()
                        .mpaRevision(revision)
                        .privateData(reply)
                        .build()));
        awaitEstablished(client(), server());
        assertThat(active.peerPrivateData()).isEqualTo(reply);
        assertThat(server().connection().peerPrivateData()).isEqualTo(request);
        exchange(client(), server());
    }

    private static byte[] octets(int length, int seed) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = Peer.pattern(seed, i);
        }
        return octets;
    }

    @Conforms({"CM-015", "CM-037"})
    @Test
    void privateDataHasALimit() {
        ConnectionConfig.Builder enhanced = ConnectionConfig.builder().privateData(new byte[509]);
        assertRefused(VerbsError.INVALID_ARGUMENT, enhanced::build);
        ConnectionConfig.Builder plain =
                ConnectionConfig.builder().mpaRevision(1).privateData(new byte[513]);
        assertRefused(VerbsError.INVALID_ARGUMENT, plain::build);

        assume(ContractFixture.Feature.MPA_SETTINGS);
        // 512 octets fit a plain reply, but this request is enhanced
        ConnectionConfig tooLong = ConnectionConfig.builder()
                .mpaRevision(1)
                .privateData(new byte[509])
                .build();
        Listener listener = listen(server());
        client().connection(start(listener, DEFAULTS));
        ConnectionRequest request = await(listener);
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> request.accept(server().queuePair(), tooLong));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> request.reject(new byte[509]));
        server().connection(request.accept(server().queuePair(), DEFAULTS));
        awaitEstablished(client(), server());
    }

    @Conforms({"CM-020", "CM-024", "CM-027", "CM-045"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRejectionSaysWhyAndFreesTheQueuePair(int revision) {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        byte[] reason = octets(100, 3);
        Listener listener = listen(server());
        Connection active =
                start(listener, ConnectionConfig.builder().mpaRevision(revision).build());
        client().connection(active);
        ConnectionRequest request = await(listener);
        request.reject(reason);
        client().awaitConnection(Connection.State.REJECTED);

        assertThat(active.peerPrivateData()).isEqualTo(reason);
        assertThat(active.cause()).isPresent();
        client().awaitConnectionEvent(ConnectionEvent.Rejected.class);
        assertRefused(VerbsError.CONNECTION_REJECTED, () -> active.awaitEstablished(Duration.ZERO));
        ConnectionInfo info = active.info().orElseThrow();
        int stated = revision == 2 ? 0x3FFF : -1; // a rejection negotiates nothing (RFC 6581, section 9.1)
        assertThat(info.peerInboundReads()).as("known after a rejection too").isEqualTo(stated);
        assertThat(info.peerOutboundReads()).isEqualTo(stated);
        assertRefused(VerbsError.INVALID_STATE, () -> request.reject(new byte[0]));
        assertRefused(VerbsError.INVALID_STATE, () -> request.accept(server().queuePair(), DEFAULTS));
        assertThat(client().state()).isEqualTo(QueuePairState.IDLE);

        connect();
        exchange(client(), server());
        runUntil(
                "nothing half open",
                () -> client().rnic.snapshot().connectionsHalfOpen() == 0
                        && server().rnic.snapshot().connectionsHalfOpen() == 0);
    }

    @Test
    void threadsThatWaitForRequestsGetNothingOnlyWhenTheTimeRanOut() {
        assume(ContractFixture.Feature.WAITING_THREADS);
        Listener listener = listen(server());
        WaitingThreads threads = new WaitingThreads(() -> () -> {
            Optional<ConnectionRequest> request = listener.await(WaitingThreads.LONG);
            request.ifPresent(found -> found.reject(new byte[0]));
            return request.isPresent();
        });
        for (int i = 1; i <= 20; i++) {
            int expected = i;
            client().connection(start(listener, DEFAULTS));
            client().awaitConnection(Connection.State.REJECTED);
            runUntil("a thread has rejected request " + i, () -> threads.taken() == expected);
        }
        listener.close();
        threads.expectNoneEmptyHanded();
    }

    @Conforms({"CM-034", "CM-061", "CM-062", "CM-063"})
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theResponderAnswersWithTheRevisionItWasAskedWith(int revision) {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        connect(ConnectionConfig.builder().mpaRevision(revision).build(), DEFAULTS);

        ConnectionInfo active = client().connection().info().orElseThrow();
        ConnectionInfo passive = server().connection().info().orElseThrow();
        assertThat(active.revision()).isEqualTo(revision);
        assertThat(passive.revision()).isEqualTo(revision);
        assertThat(active.peerToPeer()).isEqualTo(revision == 2);
        assertThat(active.peerInboundReads()).isEqualTo(revision == 2 ? 16 : -1);
        exchange(client(), server());
    }

    @Conforms({"CM-064", "CM-065"})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEnhancedRequestToAPlainResponder(boolean fallBack) {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        ConnectionConfig plain = ConnectionConfig.builder().mpaRevision(1).build();
        Listener listener = listen(server());
        Connection active = start(
                listener,
                ConnectionConfig.builder().fallBackToRevision1(fallBack).build());
        client().connection(active);
        Connection refused = await(listener).accept(server().queuePair(), plain);
        assertThat(refused.state()).isEqualTo(Connection.State.FAILED);
        assertThat(server().state()).isEqualTo(QueuePairState.IDLE);
        if (!fallBack) {
            client().awaitConnection(Connection.State.FAILED);
            assertThat(client().state()).isEqualTo(QueuePairState.IDLE);
            return;
        }
        ConnectionRequest second = await(listener);
        assertThat(second.revision()).isEqualTo(1);
        server().connection(second.accept(server().queuePair(), plain));
        awaitEstablished(client(), server());
        assertThat(active.info().orElseThrow().revision()).isEqualTo(1);
        exchange(client(), server());
    }

    @Conforms({"MPA-019", "MPA-034", "MPA-036", "CM-007", "CM-008"})
    @ParameterizedTest
    @CsvSource({
        "false, false, false, false",
        "false, false, false, true",
        "false, false, true, false",
        "false, false, true, true",
        "false, true, false, false",
        "false, true, true, true",
        "true, false, false, true",
        "true, false, true, false",
        "true, true, false, false",
        "true, true, false, true",
        "true, true, true, false",
        "true, true, true, true",
    })
    void crcAndMarkersAreAgreedOn(boolean crcA, boolean crcB, boolean markersA, boolean markersB) {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        assertThat(DEFAULTS.crc()).as("CRC is the default").isTrue();
        connect(
                ConnectionConfig.builder().crc(crcA).markers(markersA).build(),
                ConnectionConfig.builder().crc(crcB).markers(markersB).build());

        ConnectionInfo active = client().connection().info().orElseThrow();
        ConnectionInfo passive = server().connection().info().orElseThrow();
        assertThat(active.crc()).isEqualTo(crcA || crcB);
        assertThat(passive.crc()).isEqualTo(crcA || crcB);
        assertThat(active.markersReceived()).as("as asked for").isEqualTo(markersA);
        assertThat(passive.markersSent()).isEqualTo(markersA);
        assertThat(passive.markersReceived()).isEqualTo(markersB);
        assertThat(active.markersSent()).isEqualTo(markersB);
        exchange(client(), server());
    }

    /** Larger and smaller segments than usual, and different ones on the two sides. */
    @ParameterizedTest
    @CsvSource({"64, 65535, true", "9000, 1460, true", "65535, 64, false"})
    void theSizeOfSegmentsIsTheSendersMatter(int sizeA, int sizeB, boolean markers) {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        connect(
                ConnectionConfig.builder().segmentSize(sizeA).markers(markers).build(),
                ConnectionConfig.builder().segmentSize(sizeB).markers(markers).build());
        exchange(client(), server());
    }

    @Conforms({"CM-038", "CM-039", "CM-040", "CM-043", "RDMAP-064"})
    @ParameterizedTest
    @CsvSource({"16, 16, 16, 16", "1, 8, 4, 16", "2, 0, 1, 5", "7, 3, 3, 0", "100, 1, 1, 100"})
    void readDepthsAreNegotiated(int irdA, int ordA, int irdB, int ordB) {
        client().create(config -> config.maxInboundReads(irdA).maxOutboundReads(ordA));
        server().create(config -> config.maxInboundReads(irdB).maxOutboundReads(ordB));
        Listener listener = listen(server());
        client().connection(start(listener, DEFAULTS));
        ConnectionRequest request = await(listener);
        assertThat(request.peerInboundReads()).isEqualTo(irdA);
        assertThat(request.peerOutboundReads()).isEqualTo(ordA);
        server().connection(request.accept(server().queuePair(), DEFAULTS));
        awaitEstablished(client(), server());

        ConnectionInfo active = client().connection().info().orElseThrow();
        ConnectionInfo passive = server().connection().info().orElseThrow();
        assertThat(passive.outboundReads()).isEqualTo(Math.min(ordB, irdA));
        assertThat(active.outboundReads()).isLessThanOrEqualTo(ordA).isLessThanOrEqualTo(passive.inboundReads());
        assertThat(passive.outboundReads()).isLessThanOrEqualTo(active.inboundReads());
        assertThat(passive.inboundReads()).as("raised if need be").isGreaterThanOrEqualTo(ordA);
        assertThat(passive.peerInboundReads()).isEqualTo(irdA);
        assertThat(passive.peerOutboundReads()).isEqualTo(ordA);
        assertThat(active.peerInboundReads()).isEqualTo(passive.inboundReads());
        assertThat(active.peerOutboundReads()).isEqualTo(passive.outboundReads());
        assertThat(client().rnic.limits().maxOutboundReads()).isPositive();
        assertThat(client().rnic.limits().maxInboundReads()).isPositive();
        exchange(client(), server());
    }

    @Conforms("CM-050")
    @ParameterizedTest
    @EnumSource
    void eitherSideMaySpeakFirst(ReadyToReceive kind) {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        ConnectionConfig config =
                ConnectionConfig.builder().readyToReceive(Set.of(kind)).build();
        client().create(settings -> settings.maxOutboundReads(kind == ReadyToReceive.READ ? 0 : 4));
        client().postEmptyReceives(1, 1);
        server().postEmptyReceives(1, 1);
        connect(config, config);
        assertThat(client().connection().info().orElseThrow().peerToPeer()).isTrue();

        server().requests().send(2).post();
        client().expect(1);
        server().expect(2);
        client().requests().send(3).post();
        server().expect(1);
        client().expect(3);
        client().expectNothingMore();
        server().expectNothingMore();
    }

    @Conforms("CM-056")
    @Test
    void withoutACommonFirstMessageThereIsNoConnection() {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        Listener listener = listen(server());
        client().connection(start(
                listener,
                ConnectionConfig.builder()
                        .readyToReceive(Set.of(ReadyToReceive.WRITE))
                        .build()));
        server().connection(await(listener)
                .accept(
                        server().queuePair(),
                        ConnectionConfig.builder()
                                .readyToReceive(Set.of(ReadyToReceive.SEND))
                                .build()));
        client().awaitConnection(Connection.State.FAILED);
        server().awaitConnection(Connection.State.FAILED);
        assertThat(client().connection().cause().orElseThrow().terminateCode()).isEqualTo(0x2007);
        runUntil(
                "no connection is open",
                () -> client().rnic.snapshot().connectionsOpen() == 0
                        && server().rnic.snapshot().connectionsOpen() == 0);
    }

    /** Without the peer-to-peer model the responder's sends wait until the initiator has spoken. */
    @Test
    void aResponderWaitsForTheInitiatorInTheClientServerModel() {
        assume(ContractFixture.Feature.MPA_SETTINGS);
        client().postEmptyReceives(1, 1);
        server().postEmptyReceives(1, 1);
        server().requests().send(2).post();
        connect(ConnectionConfig.builder().peerToPeer(false).build(), DEFAULTS);
        assertThat(server().connection().info().orElseThrow().peerToPeer()).isFalse();

        client().requests().send(3).post();
        server().expect(1);
        client().expect(3);
        server().expect(2);
        client().expect(1);
    }

    @Test
    void aListenerTakesManyConnections() {
        int count = 12;
        List<Connection> active = new ArrayList<>();
        List<Connection> passive = new ArrayList<>();
        try (Listener listener = listen(server())) {
            for (int i = 0; i < count; i++) {
                active.add(client().rnic
                        .connectionManager()
                        .connect(client().another(config -> config), listener.address(), DEFAULTS));
            }
            for (int i = 0; i < count; i++) {
                passive.add(await(listener).accept(server().another(config -> config), DEFAULTS));
            }
            runUntil(
                    "all are established",
                    () -> all(active, Connection.State.ESTABLISHED) && all(passive, Connection.State.ESTABLISHED));
        }
        for (int i = 0; i < count; i++) {
            server().use(passive.get(i).queuePair())
                    .newReceiveRequests()
                    .receive(i)
                    .post();
        }
        for (Connection connection : active) {
            connection.queuePair().newSendRequests().immediate(1, 7).post();
        }
        for (Completion completion : client().next(count)) {
            assertThat(completion.isSuccess()).as("%s", completion).isTrue();
        }
        assertThat(server().next(count)).extracting(Completion::immediate).containsOnly(7L);
        assertThat(server().rnic.snapshot().connectionsOpen()).isEqualTo(count);
    }

    private static boolean all(List<Connection> connections, Connection.State state) {
        return connections.stream().allMatch(connection -> connection.state() == state);
    }

    // what can go wrong

    @Test
    void nobodyListens() {
        Connection active =
                client().rnic.connectionManager().connect(client().queuePair(), world().deadAddress(), DEFAULTS);
        client().connection(active);
        client().awaitConnection(Connection.State.FAILED);
        assertThat(active.cause()).isPresent();
        client().awaitConnectionEvent(ConnectionEvent.Failed.class);
        assertRefused(VerbsError.CONNECTION_FAILED, () -> active.awaitEstablished(Duration.ZERO));
        assertThat(client().state()).isEqualTo(QueuePairState.IDLE);
        assertThat(client().rnic.snapshot().connectionsFailed()).isEqualTo(1);
        assertThat(client().rnic.snapshot().connectionsHalfOpen()).isZero();
        connect();
        exchange(client(), server());
    }

    @Test
    void anAddressTakesOneListener() {
        Listener listener = listen(server());
        assertRefused(
                VerbsError.CONNECTION_FAILED,
                () -> server().rnic.connectionManager().listen(listener.address(), 1));
        listener.close();
        listener.close();
        assertRefused(VerbsError.CLOSED, listener::poll);
        server().rnic.connectionManager().listen(listener.address(), 1).close();
    }

    @Test
    void aPeerThatNeverDecidesIsGivenUp() {
        Listener listener = listen(server());
        client().connection(start(
                listener, ConnectionConfig.builder().timeout(SHORT).build()));
        ConnectionRequest request = await(listener);
        client().awaitConnection(Connection.State.FAILED);
        assertThat(client().state()).isEqualTo(QueuePairState.IDLE);

        runUntil("the server notices", () -> server().rnic.snapshot().connectionsHalfOpen() == 0);
        assertRefused(VerbsError.CONNECTION_FAILED, () -> request.accept(server().queuePair(), DEFAULTS));
        assertThat(server().state()).isEqualTo(QueuePairState.IDLE);
        connect();
        exchange(client(), server());
    }

    @Test
    void requestsBeyondTheBackLogAreTurnedAway() {
        Listener listener = server().rnic.connectionManager().listen(world().listenAddress(server().rnic), 2);
        List<Connection> asking = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            asking.add(client().rnic
                    .connectionManager()
                    .connect(client().another(config -> config), listener.address(), DEFAULTS));
            if (i < 2) {
                int waiting = i + 1;
                runUntil("a request waits", () -> server().connectionEvents.size() == waiting);
            }
        }
        runUntil("the third is turned away", () -> asking.get(2).state() == Connection.State.FAILED);
        assertThat(asking.get(0).state()).isEqualTo(Connection.State.CONNECTING);
        Connection first = await(listener).accept(server().another(config -> config), DEFAULTS);
        Connection second = await(listener).accept(server().another(config -> config), DEFAULTS);
        runUntil(
                "two are established",
                () -> all(List.of(asking.get(0), asking.get(1), first, second), Connection.State.ESTABLISHED));
    }

    @Test
    void connectionsInSetUpAreLimited() {
        server(settings -> settings.maxHalfOpenConnections(2));
        Listener listener = listen(server());
        List<Connection> asking = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            asking.add(client().rnic
                    .connectionManager()
                    .connect(client().another(config -> config), listener.address(), DEFAULTS));
            if (i < 2) { // only a request that waits for a decision keeps its place
                int waiting = i + 1;
                runUntil("a request waits", () -> server().connectionEvents.size() == waiting);
            }
        }
        runUntil("the third is turned away", () -> asking.get(2).state() == Connection.State.FAILED);
        Connection first = await(listener).accept(server().another(config -> config), DEFAULTS);
        runUntil("one is established", () -> first.state() == Connection.State.ESTABLISHED);
        Connection again = client().rnic
                .connectionManager()
                .connect(client().another(config -> config), listener.address(), DEFAULTS);
        await(listener).accept(server().another(config -> config), DEFAULTS);
        await(listener).accept(server().another(config -> config), DEFAULTS);
        runUntil("there is room again", () -> again.state() == Connection.State.ESTABLISHED);
    }

    @Test
    void onlyAnIdleQueuePairCanBeConnected() {
        connect();
        Listener listener = listen(server());
        assertRefused(VerbsError.INVALID_STATE, () -> start(listener, DEFAULTS));
        QueuePair other = client().another(config -> config);
        Connection second = client().rnic.connectionManager().connect(other, listener.address(), DEFAULTS);
        assertRefused(
                VerbsError.INVALID_STATE,
                () -> client().rnic.connectionManager().connect(other, listener.address(), DEFAULTS));
        ConnectionRequest request = await(listener);
        assertRefused(VerbsError.INVALID_STATE, () -> request.accept(server().queuePair(), DEFAULTS));

        Connection accepted = request.accept(server().another(config -> config), DEFAULTS);
        runUntil(
                "the request was still open",
                () -> accepted.state() == Connection.State.ESTABLISHED
                        && second.state() == Connection.State.ESTABLISHED);
        exchange(client(), server());
    }

    @Test
    void aQueuePairOfAnotherRnicIsRefused() {
        Listener listener = listen(server());
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> client().rnic.connectionManager().connect(server().queuePair(), listener.address(), DEFAULTS));
        client().connection(start(listener, DEFAULTS));
        ConnectionRequest request = await(listener);
        QueuePair elsewhere = client().another(config -> config);
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> request.accept(elsewhere, DEFAULTS));
        server().connection(request.accept(server().queuePair(), DEFAULTS));
        awaitEstablished(client(), server());
    }

    @Test
    void anAttemptCanBeCancelled() {
        Listener listener = listen(server());
        Connection first = start(listener, DEFAULTS);
        first.disconnect();
        assertThat(first.state()).isEqualTo(Connection.State.FAILED);
        assertThat(client().state()).isEqualTo(QueuePairState.IDLE);
        Connection second = start(listener, DEFAULTS);
        second.abort();
        assertThat(second.state()).isEqualTo(Connection.State.FAILED);

        client().connection(start(listener, DEFAULTS));
        ConnectionRequest request = await(listener);
        while (!request.remoteAddress().equals(client().connection().localAddress())) {
            request = await(listener); // of a cancelled attempt, if it came so far
        }
        server().connection(request.accept(server().queuePair(), DEFAULTS));
        awaitEstablished(client(), server());
        exchange(client(), server());
    }

    @Test
    void anAttemptCanBeCancelledAfterTheRequest() {
        Listener listener = listen(server());
        Connection active = start(listener, DEFAULTS);
        ConnectionRequest request = await(listener);
        active.disconnect();
        assertThat(active.state()).isEqualTo(Connection.State.FAILED);
        runUntil("the server notices", () -> server().rnic.snapshot().connectionsHalfOpen() == 0);
        assertRefused(VerbsError.CONNECTION_FAILED, () -> request.accept(server().queuePair(), DEFAULTS));
        connect();
        exchange(client(), server());
    }

    @Test
    void aClosedListenerRefusesRequestsWithoutDecision() {
        Listener listener = listen(server());
        client().connection(start(listener, DEFAULTS));
        ConnectionRequest request = await(listener);
        listener.close();
        client().awaitConnection(Connection.State.FAILED);
        assertRefused(VerbsError.CONNECTION_FAILED, () -> request.accept(server().queuePair(), DEFAULTS));
        assertThat(server().state()).isEqualTo(QueuePairState.IDLE);
        assertThat(server().rnic.snapshot().connectionsHalfOpen()).isZero();
    }

    // the end

    @Conforms("VRB-003")
    @Test
    void anOrderlyCloseMakesBothQueuePairsIdle() {
        connect();
        client().postEmptyReceives(1, 2);
        server().postEmptyReceives(3, 1);
        client().connection().disconnect();
        disconnectedInOrder();

        client().expect(1, CompletionStatus.WR_FLUSH_ERR);
        client().expect(2, CompletionStatus.WR_FLUSH_ERR);
        server().expect(3, CompletionStatus.WR_FLUSH_ERR);
        client().expectNothingMore();
        server().expectNothingMore();
    }

    private void disconnectedInOrder() {
        for (Peer peer : List.of(client(), server())) {
            peer.awaitConnection(Connection.State.DISCONNECTED);
            peer.awaitState(QueuePairState.IDLE);
            peer.awaitEvent(AsyncEvent.CloseComplete.class);
            peer.awaitConnectionEvent(ConnectionEvent.Disconnected.class);
            assertThat(peer.events).as("nothing but the close").hasSize(1);
            assertThat(peer.rnic.snapshot().connectionsOpen()).isZero();
        }
    }

    @Test
    void theResponderMayCloseToo() {
        connect();
        exchange(client(), server());
        server().connection().disconnect();
        disconnectedInOrder();
    }

    @Test
    void bothSidesMayCloseAtTheSameMoment() {
        connect();
        exchange(client(), server());
        client().connection().disconnect();
        server().connection().disconnect();
        disconnectedInOrder();
        client().connection().disconnect(); // once more does no harm
        client().connection().abort();
        assertThat(client().connection().state()).isEqualTo(Connection.State.DISCONNECTED);
    }

    @Conforms("DDP-040")
    @Test
    void whatWasPostedIsCarriedOutBeforeAnOrderlyClose() {
        int length = world().largeMessage();
        connect();
        MemoryRegion source = client().filled(length, 3);
        MemoryRegion sink = server().memory(length);
        MemoryRegion back = client().memory(length);
        server().postReceive(1, sink);

        client().requests()
                .send(1)
                .from(source, 0, length)
                .read(2, sink.stag(), 0)
                .into(back, 0, length)
                .write(3, sink.stag(), 0)
                .from(source, 0, 10)
                .post();
        client().connection().disconnect();

        client().expect(1);
        client().expect(2);
        client().expect(3);
        server().expect(1);
        assertThat(back.segment().mismatch(source.segment())).isEqualTo(-1);
        disconnectedInOrder();
    }

    @Test
    void anAbortFlushesBothSides() {
        connect();
        client().postEmptyReceives(1, 1);
        server().postEmptyReceives(2, 1);
        client().connection().abort();

        assertThat(client().connection().state()).isEqualTo(Connection.State.DISCONNECTED);
        assertThat(client().state()).isEqualTo(QueuePairState.ERROR);
        client().expect(1, CompletionStatus.WR_FLUSH_ERR);
        server().awaitConnection(Connection.State.DISCONNECTED);
        server().awaitState(QueuePairState.ERROR);
        Completion flushed = server().expect(2, CompletionStatus.WR_FLUSH_ERR);
        assertThat(flushed.cause()).isEqualTo(server().queuePair().firstCause().orElseThrow());
        server().awaitEvent(AsyncEvent.StreamLost.class);
        assertThat(server().rnic.snapshot().connectionsOpen()).isZero();
    }

    @Conforms("VRB-008")
    @Test
    void aQueuePairCanBeConnectedAgain() {
        for (int round = 0; round < 3; round++) {
            connect();
            exchange(client(), server());
            disconnect();
        }
        connect();
        server().connection().abort();
        client().awaitState(QueuePairState.ERROR);
        client().queuePair().modify(QueuePairState.IDLE);
        server().queuePair().modify(QueuePairState.IDLE);
        connect();
        exchange(client(), server());
        assertThat(client().queuePair().firstCause()).isEmpty();
    }

    @Test
    void aCloseThatWasCutShortLeavesNoTrace() {
        connect();
        client().connection().disconnect();
        client().connection().abort();
        server().awaitConnection(Connection.State.DISCONNECTED);
        for (Peer peer : List.of(client(), server())) { // the close may have been quick enough
            runUntil(
                    "the end at " + peer.rnic.name(),
                    () -> peer.state() == QueuePairState.IDLE || peer.state() == QueuePairState.ERROR);
            peer.queuePair().modify(QueuePairState.IDLE);
        }
        client().requests().send(1).post();
        server().postEmptyReceives(2, 1);
        connect();
        client().expect(1);
        server().expect(2);
    }

    @Test
    void theEndOfOneConnectionLeavesOthersAlone() {
        connect();
        QueuePair first = client().queuePair();
        Connection firstConnection = client().connection();
        client().use(client().another(config -> config));
        server().use(server().another(config -> config));
        connect();
        firstConnection.abort();
        exchange(client(), server());
        assertThat(first.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(client().state()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void closingTheRnicEndsItsConnections() {
        connect();
        server().postEmptyReceives(1, 1);
        client().rnic.close();
        server().expect(1, CompletionStatus.WR_FLUSH_ERR);
        server().awaitConnection(Connection.State.DISCONNECTED);
        client().rnic.close();
        assertRefused(VerbsError.CLOSED, () -> client().rnic.allocateProtectionDomain());
    }

    @Test
    void settingsOutOfRangeAreRefused() {
        ConnectionConfig.Builder builder = ConnectionConfig.builder();
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.mpaRevision(0));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.mpaRevision(3));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.readyToReceive(Set.of()));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.timeout(Duration.ZERO));
        Duration tooLong = Duration.ofDays(1).plusNanos(1);
        Duration negative = Duration.ofNanos(-1);
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.timeout(tooLong));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.sendProgressTimeout(tooLong));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.sendProgressTimeout(negative));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.livenessProbe(tooLong));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.livenessProbe(negative));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.nudge(tooLong));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.nudge(negative));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.segmentSize(63));
        assertRefused(VerbsError.INVALID_ARGUMENT, () -> builder.segmentSize(65_536));
        assertRefused(
                VerbsError.INVALID_ARGUMENT,
                () -> server().rnic.connectionManager().listen(world().listenAddress(server().rnic), 0));
        assertRefused(
                VerbsError.CONNECTION_FAILED,
                () -> client().rnic
                        .connectionManager()
                        .connect(
                                client().queuePair(),
                                InetSocketAddress.createUnresolved("nowhere.invalid", 1),
                                DEFAULTS));
        assertThat(client().state()).isEqualTo(QueuePairState.IDLE);
    }
}
