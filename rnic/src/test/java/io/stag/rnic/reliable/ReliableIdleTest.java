package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.reliable.ReliableNode.Received;
import io.stag.rnic.reliable.ReliableNode.Sent;
import io.stag.rnic.work.Deadlines;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import org.junit.jupiter.api.Test;

/** What is left of peers that said something and fell silent. */
class ReliableIdleTest {
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000 * MILLISECOND;
    private static final int PEERS = 50;

    private final ReliableWorld world = new ReliableWorld(1);
    private final ReliableNode server = world.add(1);

    private ReliableNode newPeerThatSpeaks(int port, int epoch) {
        ReliableNode peer = world.add(new ReliableNode(port, epoch));
        server.post(port, 0);
        peer.requests.to(server.handle()).immediate(port, port).post();
        world.run(MILLISECOND);
        return peer;
    }

    @Test
    void timersAreForAllThatFellSilentAtAboutTheSameTime() {
        for (int i = 0; i < PEERS; i++) {
            newPeerThatSpeaks(100 + i, 100 + i);
        }
        assertThat(server.engine.peers()).isEqualTo(PEERS);
        assertThat(server.engine.activePeers()).isEqualTo(PEERS);
        int timers = 0;
        long now = world.now;
        for (long due = server.engine.settledDeadline(now);
                due != Deadlines.NEVER;
                due = server.engine.settledDeadline(now)) {
            now = due;
            server.engine.handleTimeout(now);
            server.output.clear(1);
            server.engine.fill(server.output, now);
            assertThat(server.output.count()).as("nothing is left to say").isZero();
            timers++;
        }
        assertThat(server.engine.peers()).isZero();
        assertThat(now - world.now).isGreaterThan(60 * SECOND).isLessThan(63 * SECOND);
        assertThat(timers).isLessThan(10);
    }

    @Test
    void whatWasAcknowledgedNeedsNoTimer() {
        newPeerThatSpeaks(100, 100);
        assertThat(server.counts.acknowledgementsSent).isEqualTo(1);
        assertThat(server.engine.settledDeadline(world.now) - world.now).isGreaterThan(50 * MILLISECOND);
    }

    @Test
    @Conforms("RD-011")
    void aPeerThatWasMadeAnewIsAnsweredWhileAnswersToItsFormerSelfAreOnTheirWay() {
        SoftMemoryRegion source = server.region(100);
        ReliableNode peer = world.add(new ReliableNode(100, 100));
        peer.requests.to(server.handle());
        peer.requests.read(1, source.stag(), 0).into(peer.region(100), 0, 100).post();
        world.runUntil(() -> server.counts.messagesReceived == 1, SECOND);
        ReliableNode successor = world.add(new ReliableNode(100, 200));
        successor.requests.to(server.handle());
        successor
                .requests
                .read(2, source.stag(), 0)
                .into(successor.region(100), 0, 100)
                .post();
        world.run(SECOND);
        assertThat(successor.sent).extracting(Sent::status).containsExactly(CompletionStatus.SUCCESS);
        assertThat(server.engine.activePeers()).isZero();
    }

    @Test
    @Conforms("RD-011")
    void anIdleStreamIsNotUsedForAPeerThatWasMadeAnew() {
        ReliableNode peer = newPeerThatSpeaks(100, 100);
        peer.post(1, 0);
        server.requests.to(peer.handle()).immediate(1, 1).post();
        world.run(MILLISECOND);
        ReliableNode successor = newPeerThatSpeaks(100, 200);
        successor.post(1, 0);
        server.requests.to(successor.handle()).immediate(2, 2).post();
        world.run(SECOND);
        assertThat(server.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS);
        assertThat(peer.received).extracting(Received::immediate).containsExactly(1L);
        assertThat(successor.received).extracting(Received::immediate).containsExactly(2L);
    }
}
