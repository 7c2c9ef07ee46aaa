package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.simnet.Conforms;
import io.stag.simnet.StreamFaults;
import io.stag.verbs.Access;
import io.stag.verbs.AsyncEvent;
import io.stag.verbs.CompletionQueue;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairConfig;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.Rnic;
import io.stag.verbs.SendRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.verbs.cm.ConnectionEvent;
import io.stag.verbs.cm.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two programs that do nothing, and one ends the connection: messages of the engines themselves are no bad end. */
class OrderlyCloseSimulationTest {
    private static final ConnectionConfig DEFAULTS = ConnectionConfig.defaults();

    private final List<AsyncEvent> events = new ArrayList<>();
    private final List<ConnectionEvent> atServer = new ArrayList<>();
    private SimulatedRnics simulation;
    private QueuePair active;
    private QueuePair passive;
    private Connection toServer;
    private Connection toClient;

    @BeforeEach
    void open() {
        simulation = SimulatedRnics.open(1, StreamFaults.none(), 2);
        simulation.rnic(0).onAsyncEvent(events::add);
        simulation.rnic(1).onAsyncEvent(events::add);
        simulation.rnic(1).connectionManager().onEvent(atServer::add);
        active = queuePair(simulation.rnic(0));
        passive = queuePair(simulation.rnic(1));
    }

    @AfterEach
    void close() {
        simulation.close();
        simulation.settle();
        assertThat(simulation.hasDeadlines()).isFalse();
        assertThat(simulation.stagingBuffersInUse()).isZero();
    }

    private static QueuePair queuePair(Rnic rnic) {
        CompletionQueue queue = rnic.createCompletionQueue(64);
        return rnic.allocateProtectionDomain()
                .createQueuePair(QueuePairConfig.builder(queue).build());
    }

    private void connect(ConnectionConfig forClient, ConnectionConfig forServer) {
        connect(forClient, forServer, _ -> {});
        simulation.runUntil("established", () -> toServer.state() == Connection.State.ESTABLISHED);
    }

    private void connect(ConnectionConfig forClient, ConnectionConfig forServer, Consumer<Connection> onceAccepted) {
        Rnic server = simulation.rnic(1);
        try (Listener listener = server.connectionManager().listen(simulation.address(1, 0), 4)) {
            toServer = simulation.rnic(0).connectionManager().connect(active, listener.address(), forClient);
            simulation.runUntil("a request", () -> {
                listener.poll().ifPresent(request -> {
                    toClient = request.accept(passive, forServer);
                    onceAccepted.accept(toClient);
                });
                return toClient != null;
            });
        }
    }

    private static ConnectionConfig.Builder readyBy(ReadyToReceive kind) {
        return ConnectionConfig.builder().readyToReceive(EnumSet.of(kind));
    }

    private static ConnectionConfig probing() {
        return ConnectionConfig.builder().livenessProbe(Duration.ofSeconds(1)).build();
    }

    private void assertBothEndInOrder() {
        simulation.runUntil(
                "the end", () -> active.state() != QueuePairState.RTS && active.state() != QueuePairState.CLOSING);
        simulation.runUntil(
                "the end", () -> passive.state() != QueuePairState.RTS && passive.state() != QueuePairState.CLOSING);
        simulation.settle();
        assertThat(events).hasSize(2).hasOnlyElementsOfType(AsyncEvent.CloseComplete.class);
        assertThat(active.state()).isEqualTo(QueuePairState.IDLE);
        assertThat(passive.state()).isEqualTo(QueuePairState.IDLE);
        assertThat(toServer.state()).isEqualTo(Connection.State.DISCONNECTED);
        assertThat(toClient.state()).isEqualTo(Connection.State.DISCONNECTED);
    }

    @Conforms("VRB-003")
    @ParameterizedTest
    @EnumSource(ReadyToReceive.class)
    void theInitiatorEndsItAsSoonAsItCan(ReadyToReceive kind) {
        connect(readyBy(kind).build(), readyBy(kind).build());
        toServer.disconnect();
        assertBothEndInOrder();
    }

    @Conforms("VRB-003")
    @ParameterizedTest
    @EnumSource(ReadyToReceive.class)
    void theInitiatorClosesItsQueuePairAsSoonAsItCan(ReadyToReceive kind) {
        connect(readyBy(kind).build(), readyBy(kind).build());
        simulation.runUntil(
                "ready to receive left", () -> active.snapshot().counters().segmentsSent() > 0);
        active.modify(QueuePairState.CLOSING);
        assertBothEndInOrder();
    }

    @Conforms("VRB-003")
    @ParameterizedTest
    @EnumSource(ReadyToReceive.class)
    void theResponderEndsItBeforeItIsEstablished(ReadyToReceive kind) {
        connect(readyBy(kind).build(), readyBy(kind).build(), Connection::disconnect);
        assertThat(toClient.state()).isEqualTo(Connection.State.CONNECTING);
        assertBothEndInOrder();
        assertThat(atServer)
                .hasExactlyElementsOfTypes(
                        ConnectionEvent.Requested.class,
                        ConnectionEvent.Established.class,
                        ConnectionEvent.Disconnected.class);
    }

    @Conforms("VRB-003")
    @ParameterizedTest
    @EnumSource(ReadyToReceive.class)
    void theResponderClosesItsQueuePairBeforeItIsEstablished(ReadyToReceive kind) {
        connect(
                readyBy(kind).build(),
                readyBy(kind).build(),
                accepted -> accepted.queuePair().modify(QueuePairState.CLOSING));
        assertBothEndInOrder();
    }

    @Conforms("DDP-039")
    @Test
    void nothingCanBePostedBetweenDisconnectAndTheEnd() {
        connect(DEFAULTS, DEFAULTS);
        MemoryRegion there = passive.protectionDomain().allocate(8, EnumSet.of(Access.LOCAL_READ, Access.REMOTE_READ));
        MemoryRegion here = active.protectionDomain().allocate(8, EnumSet.of(Access.LOCAL_WRITE));
        SendRequests requests = active.newSendRequests();
        requests.read(1, there.stag(), 0).into(here, 0, 8).post(); // what the close waits for
        toServer.disconnect();
        assertThatThrownBy(() -> requests.send(2).post())
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.error()).isEqualTo(VerbsError.INVALID_STATE))
                .hasMessageContaining("about to close");
        assertBothEndInOrder();
        assertThat(requests.send(3).post()).as("the queue pair is free again").isEqualTo(1);
    }

    @Conforms("VRB-003")
    @Test
    void aNudgeCrossesTheEnd() {
        connect(DEFAULTS, DEFAULTS);
        simulation.runUntil("a nudge left", () -> active.snapshot().counters().writesSent() > 1);
        toClient.disconnect();
        assertBothEndInOrder();
    }

    @Conforms("VRB-003")
    @Test
    void aProbeIsUnderWayWhenItsSenderEndsIt() {
        connect(probing(), DEFAULTS);
        simulation.runUntil("a probe left", () -> active.snapshot().counters().readsSent() > 0);
        toServer.disconnect();
        assertBothEndInOrder();
    }

    @Conforms("VRB-003")
    @Test
    void aProbeIsUnderWayWhenItsSenderClosesTheQueuePair() {
        connect(probing(), DEFAULTS);
        simulation.runUntil("a probe left", () -> active.snapshot().counters().readsSent() > 0);
        active.modify(QueuePairState.CLOSING);
        assertBothEndInOrder();
    }

    @Conforms("VRB-003")
    @Test
    void aProbeCrossesTheEnd() {
        connect(probing(), DEFAULTS);
        simulation.runUntil("a probe left", () -> active.snapshot().counters().readsSent() > 0);
        toClient.disconnect();
        assertBothEndInOrder();
    }
}
