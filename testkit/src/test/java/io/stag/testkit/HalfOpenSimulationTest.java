package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.SimNetwork;
import io.stag.simnet.SimStream;
import io.stag.simnet.StreamFaults;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.Rnic;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** More peers than places for connections in set-up. */
class HalfOpenSimulationTest {
    private static final int PLACES = 3;
    /** Longer than any of this takes: what ends, ends for another reason. */
    private static final Duration LONG = Duration.ofMinutes(10);
    /** A whole Request of revision 1: no markers, CRC, no private data. */
    private static final byte[] REQUEST = "MPA ID Req Frame@\1\0\0".getBytes(StandardCharsets.US_ASCII);

    private static SimulatedRnics open(long seed, StreamFaults faults) {
        return SimulatedRnics.open(
                seed,
                faults,
                2,
                settings -> settings.maxHalfOpenConnections(PLACES).startupTimeout(LONG));
    }

    private static Listener listen(SimulatedRnics simulation) {
        return simulation.rnic(1).connectionManager().listen(simulation.address(1, 0), PLACES + 1);
    }

    private static QueuePair queuePair(Rnic rnic) {
        CompletionQueue queue = rnic.createCompletionQueue(16);
        return rnic.allocateProtectionDomain()
                .createQueuePair(QueuePairConfig.builder(queue).build());
    }

    private static SimStream dial(SimulatedRnics simulation, Listener listener) {
        return simulation.network().connect(SimNetwork.address(99, 0), listener.address());
    }

    /** Peers that connect, one after the other. */
    private static List<RawStream> strangers(SimulatedRnics simulation, Listener listener) {
        List<RawStream> strangers = new ArrayList<>();
        for (int i = 1; i <= PLACES; i++) {
            strangers.add(new RawStream(simulation, dial(simulation, listener)));
            int begun = i;
            simulation.runUntil(
                    "its set-up begins", () -> simulation.rnic(1).snapshot().connectionsHalfOpen() == begun);
        }
        return strangers;
    }

    private static boolean isClosed(RawStream peer) {
        peer.read(0);
        return peer.isOver();
    }

    /** They keep their places for minutes if nobody else comes; a few octets of a Request do not help. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void silentPeersKeepNobodyOut(long seed) {
        try (SimulatedRnics simulation = open(seed, StreamFaults.randomBenign(new SplittableRandom(seed)))) {
            Rnic server = simulation.rnic(1);
            Listener listener = listen(simulation);
            List<RawStream> strangers = strangers(simulation, listener);
            strangers.getFirst().write("MPA ID".getBytes(StandardCharsets.US_ASCII));

            Connection client = simulation
                    .rnic(0)
                    .connectionManager()
                    .connect(
                            queuePair(simulation.rnic(0)),
                            listener.address(),
                            ConnectionConfig.builder().timeout(LONG).build());
            QueuePair accepting = queuePair(server);
            simulation.runUntil("the good client is in", () -> {
                listener.poll().ifPresent(request -> request.accept(accepting, ConnectionConfig.defaults()));
                return client.state() == Connection.State.ESTABLISHED;
            });

            assertThat(strangers.getFirst().readToEnd()).isEmpty();
            assertThat(strangers).map(HalfOpenSimulationTest::isClosed).containsExactly(true, false, false);
            assertThat(server.snapshot().connectionsTurnedAway()).isEqualTo(1);
            assertThat(server.snapshot().connectionsFailed()).isEqualTo(1);
            assertThat(server.snapshot().connectionsHalfOpen()).isEqualTo(PLACES - 1);
        }
    }

    @Test
    void requestsThatWaitForADecisionKeepTheirPlaces() {
        try (SimulatedRnics simulation = open(1, StreamFaults.none())) {
            Rnic server = simulation.rnic(1);
            Listener listener = listen(simulation);
            List<RawStream> waiting = strangers(simulation, listener);
            waiting.forEach(peer -> peer.write(REQUEST));
            List<ConnectionRequest> requests = new ArrayList<>();
            simulation.runUntil("the Requests", () -> {
                listener.poll().ifPresent(requests::add);
                return requests.size() == PLACES;
            });

            RawStream late = new RawStream(simulation, dial(simulation, listener));
            assertThat(late.readToEnd()).isEmpty();
            assertThat(server.snapshot().connectionsTurnedAway()).isEqualTo(1);
            assertThat(waiting).map(HalfOpenSimulationTest::isClosed).containsOnly(false);
            requests.forEach(request -> request.accept(queuePair(server), ConnectionConfig.defaults()));
            waiting.forEach(peer -> assertThat(peer.read(REQUEST.length)).startsWith('M', 'P', 'A'));
        }
    }

    /** The listener takes several peers in a row, and may find their Requests unread. */
    @Test
    void aRequestThatHasArrivedIsReadBeforeItsPlaceIsGivenAway() throws IOException {
        try (SimulatedRnics simulation = open(1, StreamFaults.none())) {
            Rnic server = simulation.rnic(1);
            Listener listener = listen(simulation);
            List<SimStream> streams = new ArrayList<>();
            for (int i = 0; i <= PLACES; i++) {
                streams.add(dial(simulation, listener));
                runNetworkOnly(simulation);
            }
            for (SimStream stream : streams) {
                assertThat(stream.write(MemorySegment.ofArray(REQUEST), 0, REQUEST.length))
                        .isEqualTo(REQUEST.length);
            }
            runNetworkOnly(simulation);
            assertThat(server.snapshot().connectionsHalfOpen())
                    .as("nobody looked")
                    .isZero();

            List<ConnectionRequest> requests = new ArrayList<>();
            simulation.runUntil("one is turned away", () -> {
                Optional<ConnectionRequest> next = listener.poll();
                next.ifPresent(requests::add);
                return next.isEmpty() && server.snapshot().connectionsTurnedAway() > 0;
            });
            assertThat(requests)
                    .extracting(ConnectionRequest::remoteAddress)
                    .isEqualTo(streams.subList(0, PLACES).stream()
                            .map(SimStream::localAddress)
                            .toList());
        }
    }

    private static void runNetworkOnly(SimulatedRnics simulation) {
        boolean more = true;
        while (more) {
            more = simulation.network().step();
        }
    }
}
