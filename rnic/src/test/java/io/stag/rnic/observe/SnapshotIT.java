package io.stag.rnic.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.stag.rnic.observe.LoopbackPair.Link;
import io.stag.rnic.transport.NioTransport;
import io.stag.simnet.Conforms;
import io.stag.verbs.AgentSnapshot;
import io.stag.verbs.CompletionQueueSnapshot;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairCounters;
import io.stag.verbs.QueuePairSnapshot;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.RegionSnapshot;
import io.stag.verbs.RnicSnapshot;
import io.stag.verbs.TerminateCount;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionInfo;
import io.stag.verbs.cm.ConnectionSnapshot;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SnapshotIT {
    private static final int BAD_STAG = 0x1100; // DDP, tagged buffer, invalid STag

    private final LoopbackPair pair = new LoopbackPair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void post(Link link, long id) {
        link.client()
                .queuePair()
                .newSendRequests()
                .write(id, pair.server.region.stag(), 0)
                .from(pair.client.region, 0, 64)
                .post();
    }

    private QueuePairCounters counters(Connection connection) {
        return connection.queuePair().snapshot().counters();
    }

    private ConnectionSnapshot only(LoopbackEnd end) {
        List<ConnectionSnapshot> connections = end.rnic.snapshot().connections();
        assertThat(connections).hasSize(1);
        return connections.getFirst();
    }

    @Test
    void messagesAreCountedByTheirKind() {
        Link link = pair.link(LoopbackPair.PLAIN);
        int stag = pair.server.region.stag();
        link.server()
                .queuePair()
                .newReceiveRequests()
                .receive(1)
                .into(pair.server.region, 512, 64)
                .post();
        link.server()
                .queuePair()
                .newReceiveRequests()
                .receive(2)
                .into(pair.server.region, 512, 64)
                .post();
        link.client()
                .queuePair()
                .newSendRequests()
                .send(1)
                .from(pair.client.region, 0, 64)
                .write(2, stag, 0)
                .from(pair.client.region, 0, 64)
                .write(3, stag, 0)
                .from(pair.client.region, 0, 64)
                .writeImmediate(4, stag, 0, 77)
                .from(pair.client.region, 0, 64)
                .read(5, stag, 0)
                .into(pair.client.region, 256, 64)
                .fetchAdd(6, stag, 0, 1)
                .into(pair.client.region, 256, 8)
                .post();
        pair.runUntil(() -> counters(link.client()).completions() == 6);

        QueuePairCounters sender = counters(link.client());
        assertThat(sender.sendsSent()).isEqualTo(2);
        assertThat(sender.writesSent()).isEqualTo(3);
        assertThat(sender.readsSent()).isEqualTo(1);
        assertThat(sender.atomicsSent()).isEqualTo(1);
        assertThat(sender.messagesSent()).isEqualTo(7);
        assertThat(sender.messagesReceived()).isEqualTo(2);
        QueuePairCounters receiver = counters(link.server());
        assertThat(receiver.sendsReceived()).isEqualTo(2);
        assertThat(receiver.writesReceived()).isEqualTo(3);
        assertThat(receiver.readsServed()).isEqualTo(1);
        assertThat(receiver.atomicsServed()).isEqualTo(1);
        assertThat(receiver.messagesReceived()).isEqualTo(7);
        assertThat(receiver.octetsReceived()).isEqualTo(sender.octetsSent()).isPositive();
        assertThat(receiver.segmentsReceived()).isEqualTo(sender.segmentsSent()).isEqualTo(7);
        RegionSnapshot region = pair.server.rnic.snapshot().regions().getFirst();
        assertThat(region.stag()).isEqualTo(stag);
        assertThat(region.remoteWrites()).isEqualTo(3);
        assertThat(region.remoteReads()).isEqualTo(2);
    }

    @Test
    void totalsKeepWhatClosedQueuePairsDid() {
        Link first = pair.link(LoopbackPair.PLAIN);
        post(first, 1);
        pair.runUntil(() -> counters(first.client()).completions() == 1);
        long octets = counters(first.client()).octetsSent();
        first.client().abort();
        first.client().queuePair().close();
        Link second = pair.link(LoopbackPair.PLAIN);
        post(second, 2);
        pair.runUntil(() -> counters(second.client()).completions() == 1);

        RnicSnapshot snapshot = pair.client.rnic.snapshot();
        assertThat(snapshot.queuePairs()).extracting(QueuePairSnapshot::id).containsExactly(2);
        assertThat(snapshot.totals().writesSent()).isEqualTo(2);
        assertThat(snapshot.totals().octetsSent())
                .isEqualTo(octets + counters(second.client()).octetsSent());
    }

    @Test
    @Conforms("SEC-017")
    void idleConnectionsCanBeFoundAndEnded() {
        Link busy = pair.link(LoopbackPair.PLAIN);
        pair.pass(Duration.ofSeconds(5));
        Link idle = pair.link(LoopbackPair.PLAIN);
        pair.pass(Duration.ofMinutes(1));
        post(busy, 1);
        pair.runUntil(() -> counters(busy.client()).completions() == 1);
        pair.settle();
        pair.pass(Duration.ofSeconds(1));

        List<ConnectionSnapshot> found = pair.server.rnic.snapshot().connections();
        assertThat(found).extracting(ConnectionSnapshot::id).containsExactly(1L, 2L);
        assertThat(found)
                .extracting(ConnectionSnapshot::age)
                .containsExactly(Duration.ofSeconds(66), Duration.ofSeconds(61));
        assertThat(found)
                .extracting(ConnectionSnapshot::idle)
                .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(61));
        ConnectionSnapshot victim = found.get(1);
        assertThat(victim.queuePair()).isEqualTo(2);
        assertThat(victim.initiator()).isFalse();
        assertThat(victim.state()).isEqualTo(Connection.State.ESTABLISHED);
        assertThat(victim.localAddress()).isEqualTo(pair.listener.address());
        assertThat(victim.remoteAddress()).isEqualTo(idle.client().localAddress());
        assertThat(victim.info()).map(ConnectionInfo::crc).contains(true);

        pair.server.rnic.connectionManager().find(victim.id()).orElseThrow().disconnect();
        pair.runUntil(() -> idle.client().state() == Connection.State.DISCONNECTED
                && idle.server().state() == Connection.State.DISCONNECTED);
        assertThat(pair.server.rnic.connectionManager().find(victim.id())).isEmpty();
        assertThat(pair.server.rnic.connectionManager().connections()).containsExactly(busy.server());
        assertThat(pair.client.rnic.snapshot().connections())
                .extracting(ConnectionSnapshot::id)
                .containsExactly(busy.client().id());
    }

    @Test
    void ownSendsAreActivityEvenWithoutAnAnswer() {
        Link link = pair.link(LoopbackPair.PLAIN);
        pair.pass(Duration.ofMinutes(1));
        post(link, 1);
        for (int i = 0; i < 100; i++) {
            pair.client.rnic.progress();
        }
        pair.pass(Duration.ofSeconds(2));
        assertThat(only(pair.client).idle()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void anEndedConnectionNoLongerAges() {
        Link link = pair.link(LoopbackPair.PLAIN);
        pair.pass(Duration.ofSeconds(3));
        link.client().abort();
        pair.pass(Duration.ofSeconds(50));
        assertThat(link.client().snapshot().age()).isEqualTo(Duration.ofSeconds(3));
        assertThat(link.client().snapshot().idle()).isEqualTo(Duration.ofSeconds(3));
        assertThat(link.client().snapshot().state()).isEqualTo(Connection.State.DISCONNECTED);
    }

    @Test
    void livenessProbesAreNoActivityOnEitherSide() {
        Link link = pair.link(LoopbackPair.PLAIN.toBuilder()
                .livenessProbe(Duration.ofSeconds(1))
                .build());
        long readsBefore = counters(link.client()).readsSent();
        for (int second = 1; second <= 3; second++) {
            pair.pass(Duration.ofMillis(1_001));
            pair.settle();
        }
        // either side's probe, or its answer, may spare the other its own
        assertThat(counters(link.client()).readsSent() + counters(link.server()).readsSent())
                .isGreaterThanOrEqualTo(readsBefore + 3);
        assertThat(link.client().state()).isEqualTo(Connection.State.ESTABLISHED);
        assertThat(only(pair.client).idle()).isEqualTo(Duration.ofMillis(3_003));
        assertThat(only(pair.server).idle()).isEqualTo(Duration.ofMillis(3_003));
    }

    @Test
    void aRequestThatWaitsForADecisionIsListedWithoutQueuePairAndCanBeEnded() {
        Connection near = pair.connect(pair.client.newQueuePair(), LoopbackPair.PLAIN);
        pair.request();

        ConnectionSnapshot waiting = only(pair.server);
        assertThat(waiting.queuePair()).isZero();
        assertThat(waiting.state()).isEqualTo(Connection.State.CONNECTING);
        assertThat(waiting.info()).isEmpty();
        Connection connection =
                pair.server.rnic.connectionManager().find(waiting.id()).orElseThrow();
        assertThatThrownBy(connection::queuePair)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("waits for a decision");
        connection.abort();
        pair.runUntil(() -> near.state() == Connection.State.FAILED);
        assertThat(pair.server.rnic.snapshot().connections()).isEmpty();
        assertThat(pair.client.rnic.snapshot().connections()).isEmpty();
    }

    @Test
    void rejectedPeersAndPeersTurnedAwayAreToldApart() {
        Connection first = pair.connect(pair.client.newQueuePair(), LoopbackPair.PLAIN);
        pair.runUntil(() -> pair.server.rnic.snapshot().connectionsHalfOpen() == 1);
        pair.settle();
        Connection second = pair.connect(pair.client.newQueuePair(), LoopbackPair.PLAIN); // the back-log is 1
        pair.runUntil(() -> second.state() == Connection.State.FAILED);
        pair.request().reject(new byte[0]);
        pair.runUntil(() -> first.state() == Connection.State.REJECTED);
        pair.settle();

        RnicSnapshot server = pair.server.rnic.snapshot();
        assertThat(server.connectionsFailed()).isEqualTo(2);
        assertThat(server.connectionsTurnedAway()).isEqualTo(1);
        assertThat(server.connectionsRejected()).isEqualTo(1);
        RnicSnapshot client = pair.client.rnic.snapshot();
        assertThat(client.connectionsFailed()).isEqualTo(2);
        assertThat(client.connectionsRejected()).isEqualTo(1);
        assertThat(client.connectionsTurnedAway()).isZero();
    }

    @Test
    void aBrokenConnectionIsLostAndAClosedOneIsNot() {
        Link closed = pair.link(LoopbackPair.PLAIN);
        closed.client().disconnect();
        pair.runUntil(() -> closed.server().state() == Connection.State.DISCONNECTED
                && closed.client().state() == Connection.State.DISCONNECTED);
        assertThat(pair.server.rnic.snapshot().connectionsLost()).isZero();
        Link broken = pair.link(LoopbackPair.PLAIN);
        broken.client().abort();
        pair.runUntil(() -> broken.server().state() == Connection.State.DISCONNECTED);
        assertThat(pair.server.rnic.snapshot().connectionsLost()).isEqualTo(1);
        assertThat(pair.client.rnic.snapshot().connectionsLost()).isEqualTo(1);
    }

    @Test
    void terminatesAreCountedByTheirCode() {
        Link link = pair.link(LoopbackPair.PLAIN);
        link.client()
                .queuePair()
                .newSendRequests()
                .write(1, ~pair.server.region.stag(), 0)
                .from(pair.client.region, 0, 8)
                .read(2, pair.server.region.stag(), 0)
                .into(pair.client.region, 0, 8)
                .post();
        pair.runUntil(() -> link.client().state() == Connection.State.DISCONNECTED);

        assertThat(pair.server.rnic.snapshot().terminates()).singleElement().satisfies(count -> {
            assertThat(count.code()).isEqualTo(BAD_STAG);
            assertThat(count.meaning()).contains("STag");
            assertThat(count.sent()).isEqualTo(1);
            assertThat(count.received()).isZero();
        });
        assertThat(pair.client.rnic.snapshot().terminates())
                .extracting(TerminateCount::code, TerminateCount::sent, TerminateCount::received)
                .containsExactly(tuple(BAD_STAG, 0L, 1L));
        assertThat(pair.server.totals().terminatesSent()).isEqualTo(1);
        assertThat(pair.client.totals().terminatesReceived()).isEqualTo(1);
        assertThat(pair.client.totals().completionsFlushed())
                .isEqualTo(pair.client.totals().completionErrors());
    }

    @Test
    void aStreamThatTakesNoMoreIsASendStall() {
        Link link = pair.link(LoopbackPair.PLAIN);
        assertThat(counters(link.client()).sendStalls()).isZero();
        for (int i = 0; counters(link.client()).sendStalls() == 0; i++) {
            assertThat(i).as("the peer reads nothing").isLessThan(100_000);
            link.client()
                    .queuePair()
                    .newSendRequests()
                    .write(i, pair.server.region.stag(), 0)
                    .from(pair.client.region, 0, 1 << 16)
                    .unsignaled()
                    .post();
        }
        AgentSnapshot agent = pair.client.rnic.snapshot().agents().getFirst();
        assertThat(agent.stagingBuffers()).isEqualTo(1);
        assertThat(agent.stagingOctets()).isPositive();
        pair.runUntil(() -> link.client().queuePair().snapshot().sendQueueDepth() == 0);
        assertThat(pair.client.rnic.snapshot().agents().getFirst().stagingBuffers())
                .isZero();
    }

    @Test
    void completionQueuesShowWhatWaitsToBePolled() {
        Link link = pair.link(LoopbackPair.PLAIN);
        for (int i = 0; i < 3; i++) {
            post(link, i);
        }
        pair.runUntil(() -> counters(link.client()).completions() == 3);
        assertThat(pair.client.rnic.snapshot().completionQueues())
                .containsExactly(new CompletionQueueSnapshot(1, pair.client.completions.capacity(), 3, false));
        assertThat(pair.client.poll()).isEqualTo(3);
        assertThat(pair.client.rnic.snapshot().completionQueues().getFirst().depth())
                .isZero();
    }

    @Test
    void agentsCountTheirRounds() {
        Link link = pair.link(LoopbackPair.PLAIN);
        AgentSnapshot before = pair.client.rnic.snapshot().agents().getFirst();
        post(link, 1);
        pair.client.rnic.progress();
        pair.client.rnic.progress();
        AgentSnapshot after = pair.client.rnic.snapshot().agents().getFirst();
        assertThat(after.name()).isEqualTo("client-agent-0");
        assertThat(after.dutyCycles() - before.dutyCycles()).isEqualTo(2);
        assertThat(after.doorbells() - before.doorbells()).isEqualTo(1);
        assertThat(before.busyCycles()).isPositive().isLessThan(before.dutyCycles());
        assertThat(before.selects()).isPositive();
        assertThat(before.hotStreams()).isEqualTo(1);
    }

    @Test
    void queuePairsShowStateAndQueues() {
        QueuePair queuePair = pair.client.newQueuePair();
        queuePair.newReceiveRequests().receive(1).into(pair.client.region, 0, 8).post();
        QueuePairSnapshot snapshot = pair.client.rnic.snapshot().queuePairs().getFirst();
        assertThat(snapshot.state()).isEqualTo(QueuePairState.IDLE);
        assertThat(snapshot.receiveQueueDepth()).isEqualTo(1);
        assertThat(snapshot.sendQueueDepth()).isZero();
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aBusyAgentDoesNotHoldUpASnapshot() throws Exception {
        BlockingTransport transport = new BlockingTransport(new NioTransport());
        LoopbackEnd stuck = new LoopbackEnd("stuck", () -> transport, System::nanoTime);
        Connection connection = stuck.rnic
                .connectionManager()
                .connect(stuck.newQueuePair(), pair.listener.address(), ConnectionConfig.defaults());
        transport.block();
        Thread driver = Thread.ofPlatform().name("driver").start(() -> stuck.rnic.progress());
        transport.awaitBlocked();
        assertThat(stuck.rnic.snapshot().connections())
                .extracting(ConnectionSnapshot::id)
                .containsExactly(connection.id());
        transport.unblock();
        driver.join();
        stuck.rnic.close();
    }
}
