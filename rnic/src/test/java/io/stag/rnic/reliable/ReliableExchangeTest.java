package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.reliable.ReliableNode.Received;
import io.stag.rnic.reliable.ReliableNode.Sent;
import io.stag.rnic.reliable.ReliableWorld.Faults;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two engines and a network that does what it is told. */
class ReliableExchangeTest {
    private static final long SECOND = 1_000_000_000L;

    private final ReliableWorld world = new ReliableWorld(1);
    private final ReliableNode left = world.add(1);
    private final ReliableNode right = world.add(2);

    private static byte[] pattern(int length, int seed) {
        byte[] octets = new byte[length];
        new SplittableRandom(seed).nextBytes(octets);
        return octets;
    }

    private static SoftMemoryRegion filled(ReliableNode node, byte[] octets) {
        SoftMemoryRegion region = node.region(Math.max(1, octets.length));
        MemorySegment.copy(octets, 0, region.segment(), ValueLayout.JAVA_BYTE, 0, octets.length);
        return region;
    }

    private static byte[] octets(SoftMemoryRegion region, long length) {
        return region.segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 129, 1_000, 10_000})
    void aSendArrivesAndIsComplete(int length) {
        byte[] payload = pattern(length, length);
        SoftMemoryRegion target = right.post(7, 10_000);
        left.requests
                .to(right.handle())
                .send(5)
                .from(filled(left, payload), 0, length)
                .post();
        world.run(SECOND);
        assertThat(right.received)
                .containsExactly(new Received(7, Operation.RECEIVE, CompletionStatus.SUCCESS, length, 0, 0, left.port));
        assertThat(octets(target, length)).isEqualTo(payload);
        assertThat(left.sent).containsExactly(new Sent(5, Operation.SEND, CompletionStatus.SUCCESS, null));
        assertThat(left.counts.retransmissions).isZero();
    }

    @Test
    void payloadThatIsGoneWhenItIsToBeSentFailsItsRequest() {
        Arena arena = Arena.ofShared();
        SoftMemoryRegion gone = left.register(arena.allocate(128), Rights.LOCAL_READ);
        SoftMemoryRegion target = right.region(128);
        left.requests.to(right.handle());
        left.requests.write(1, target.stag(), 0).from(gone, 0, 128).post();
        left.output.clear(1, 100);
        left.engine.fill(left.output, world.now);
        assertThat(left.output.pieces().count()).isEqualTo(1);
        arena.close();
        left.engine.transmitted(left.output, 0); // as a port that finds it gone
        world.run(SECOND);
        assertThat(left.sent).singleElement().matches(sent -> sent.status() == CompletionStatus.LOC_PROT_ERR);
        assertThat(octets(target, 128)).containsOnly(0);
    }

    @Test
    void payloadInSeveralBuffersIsCopied() {
        byte[] payload = pattern(1_000, 3);
        SoftMemoryRegion source = filled(left, payload);
        SoftMemoryRegion target = right.region(1_000);
        left.requests.to(right.handle());
        left.requests
                .write(1, target.stag(), 0)
                .from(source, 0, 70)
                .from(source, 70, 0)
                .from(source, 70, 930)
                .post();
        left.output.clear(1, 100);
        left.engine.fill(left.output, world.now);
        assertThat(left.output.count()).isEqualTo(8);
        assertThat(left.output.pieces().count()).as("of all but the first").isEqualTo(7);
        left.engine.transmitted(left.output, 0);
        world.run(SECOND);
        assertThat(octets(target, 1_000)).isEqualTo(payload);
        assertThat(left.sent).containsExactly(new Sent(1, Operation.RDMA_WRITE, CompletionStatus.SUCCESS, null));
    }

    @Test
    void allOperationsWork() {
        byte[] payload = pattern(3_000, 1);
        SoftMemoryRegion source = filled(left, payload);
        SoftMemoryRegion target = right.region(3_000);
        SoftMemoryRegion back = left.region(3_000);
        SoftMemoryRegion value = left.region(8);
        right.post(1, 0);
        right.post(2, 0);
        left.requests.to(right.handle());
        left.requests.write(10, target.stag(), 0).from(source, 0, 3_000);
        left.requests.read(11, target.stag(), 0).into(back, 0, 1_000).into(back, 1_000, 2_000);
        left.requests
                .writeImmediate(12, target.stag(), 8, 77)
                .from(source, 8, 8)
                .readFence()
                .unsignaled();
        left.requests.immediate(13, 99);
        left.requests.fetchAdd(14, target.stag(), 0, 5).into(value, 0, 8);
        left.requests.compareSwap(15, target.stag(), 16, 1, 2).into(value, 0, 8);
        left.requests.write(16, 0, 0);
        left.requests.post();
        world.run(SECOND);
        assertThat(left.sent).extracting(Sent::id).containsExactly(10L, 11L, 13L, 14L, 15L, 16L);
        assertThat(left.sent).extracting(Sent::status).containsOnly(CompletionStatus.SUCCESS);
        assertThat(octets(back, 3_000)).isEqualTo(payload);
        assertThat(right.received).extracting(Received::immediate).containsExactly(77L, 99L);
        long before = MemorySegment.ofArray(payload).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        assertThat(target.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(before + 5);
    }

    @Test
    void withoutReceiveASenderWaitsUntilOneIsPosted() {
        left.requests
                .to(right.handle())
                .send(1)
                .inline(MemorySegment.ofArray(new byte[] {1}))
                .post();
        world.run(20 * SECOND);
        assertThat(left.sent).isEmpty();
        assertThat(left.failures).isEmpty();
        assertThat(left.counts.peerNotReady).isBetween(5L, 400L);
        right.post(3, 10);
        long posted = world.now;
        world.runUntil(() -> !left.sent.isEmpty(), SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.SUCCESS);
        assertThat(world.now - posted).as("told, not found by trying").isLessThan(1_000_000);
    }

    @Test
    void forbiddenMemoryFailsTheRequestAndSparesTheTarget() {
        SoftMemoryRegion target = right.region(100);
        SoftMemoryRegion source = filled(left, pattern(200, 3));
        left.requests.to(right.handle());
        left.requests.write(1, target.stag(), 0).from(source, 0, 100);
        left.requests.write(2, target.stag(), 50).from(source, 0, 100);
        left.requests.write(3, target.stag(), 0).from(source, 100, 100);
        left.requests.post();
        world.run(SECOND);
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(
                        CompletionStatus.SUCCESS, CompletionStatus.REM_ACCESS_ERR, CompletionStatus.WR_FLUSH_ERR);
        assertThat(octets(target, 100)).isEqualTo(octets(source, 100));
        assertThat(left.engine.isFailed()).isTrue();
        assertThat(right.engine.isFailed()).isFalse();
        assertThat(right.peerFailures).hasSize(1);
        left.requests.write(4, target.stag(), 0).from(source, 100, 100).post();
        world.run(SECOND);
        assertThat(left.sent.getLast().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        left.engine.reset();
        left.requests.write(5, target.stag(), 0).from(source, 100, 100).post();
        world.run(SECOND);
        assertThat(left.sent.getLast().status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    @Test
    void anAtomicOperationThatFailedUsesUpNoNumberOfThoseBehindIt() {
        SoftMemoryRegion gone = right.region(8);
        SoftMemoryRegion counter = right.region(8);
        SoftMemoryRegion sink = left.region(1_000);
        left.requests.to(right.handle());
        left.requests.read(1, right.region(1_000).stag(), 0).into(sink, 0, 1_000);
        left.requests.fetchAdd(2, gone.stag(), 0, 1).into(sink, 0, 8);
        left.requests.post();
        // the atomic operation waits until the answer to the Read is acknowledged
        world.lost = datagram -> datagram.from() == left.port && right.counts.messagesReceived == 2;
        world.runUntil(() -> right.counts.messagesReceived == 2, SECOND);
        gone.close();
        world.lost = _ -> false;
        world.run(SECOND);
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.REM_ACCESS_ERR);
        left.engine.reset();
        left.requests.fetchAdd(3, counter.stag(), 0, 1).into(sink, 0, 8).post();
        world.run(SECOND);
        assertThat(left.sent.getLast().status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(counter.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
    }

    @Test
    @Conforms("RD-025")
    void memoryOfACompleteReadMayGoBeforeTheLastAcknowledgementCame() {
        SoftMemoryRegion source = right.region(100);
        left.requests.to(right.handle());
        left.requests.read(1, source.stag(), 0).into(left.region(100), 0, 100).post();
        world.runUntil(() -> !left.sent.isEmpty(), SECOND);
        world.lost = datagram -> datagram.from() == left.port;
        world.run(1_000);
        source.close();
        world.runUntil(() -> right.counts.retransmissions > 0, SECOND);
        world.lost = _ -> false;
        right.post(1, 0);
        left.requests.immediate(2, 2).post();
        world.run(SECOND);
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS);
        assertThat(right.peerFailures).isEmpty();
    }

    @Test
    @Conforms("RD-025")
    void aReadWhoseLastDatagramIsLostFailsIfItsMemoryGoes() {
        SoftMemoryRegion source = right.region(200);
        left.requests.to(right.handle());
        left.requests.read(1, source.stag(), 0).into(left.region(200), 0, 200).post();
        world.lost =
                datagram -> datagram.from() == right.port && datagram.header().psn() == 2;
        world.runUntil(() -> right.counts.datagramsSent > 1, SECOND);
        source.close();
        world.lost = _ -> false;
        world.run(SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    @Conforms("RD-025")
    void aLongReadFailsIfItsMemoryGoesWhenAllThatWasSentHasArrived() {
        SoftMemoryRegion source = right.region(100_000);
        left.requests.to(right.handle());
        left.requests
                .read(1, source.stag(), 0)
                .into(left.region(100_000), 0, 100_000)
                .post();
        world.runUntil(() -> right.counts.datagramsSent > 1, SECOND);
        world.run(1_000);
        world.lost = datagram -> datagram.from() == left.port;
        world.run(100_000); // what was sent arrives, but nothing tells so, and the window is used up
        long sent = right.counts.datagramsSent;
        source.close();
        world.runUntil(() -> right.counts.retransmissions > 0, SECOND);
        assertThat(right.counts.datagramsSent).isGreaterThan(sent);
        world.lost = _ -> false;
        world.run(SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.REM_ACCESS_ERR);
        assertThat(right.peerFailures).hasSize(1);
    }

    @Test
    @Conforms("RD-025")
    void aPeerIsToldWhatItDidWrongAlsoIfOurOwnStreamFails() {
        SoftMemoryRegion own = right.region(100_000);
        right.requests.to(left.handle());
        right.requests
                .write(1, left.region(100_000).stag(), 0)
                .from(own, 0, 100_000)
                .post();
        world.runUntil(() -> left.counts.datagramsReceived > 1, SECOND);
        left.requests.to(right.handle());
        left.requests.write(2, 0x1234, 0).from(left.region(100), 0, 100).post();
        world.runUntil(() -> !right.peerFailures.isEmpty(), SECOND);
        own.close();
        world.run(SECOND);
        assertThat(right.sent).extracting(Sent::status).containsExactly(CompletionStatus.LOC_PROT_ERR);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    @Conforms("RD-041")
    void whatHadNotBegunIsFlushedWhomeverItIsFor() {
        SoftMemoryRegion source = right.region(64);
        SoftMemoryRegion sink = left.region(64);
        ReliableNode other = world.add(3);
        world.lost = datagram -> datagram.from() == right.port; // answers to the Reads
        left.requests.to(right.handle());
        for (int i = 1; i <= left.settings.maxReads() + 1; i++) {
            left.requests.read(i, source.stag(), 0).into(sink, 0, 8);
        }
        left.requests.to(other.handle()).write(9, 0x1234, 0).from(sink, 0, 8).post();
        world.runUntil(() -> !left.failures.isEmpty(), SECOND);
        assertThat(left.sent).extracting(Sent::id).containsExactly(9L);
        world.lost = _ -> false;
        world.run(SECOND);
        assertThat(left.sent).extracting(Sent::id).containsExactly(9L, 1L, 2L, 3L, 4L, 5L);
        assertThat(left.sent.subList(1, 5)).extracting(Sent::status).containsOnly(CompletionStatus.SUCCESS);
        assertThat(left.sent.getLast().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    @Conforms("RD-041")
    void whatWasPostedBeforeAResetIsFlushed() {
        left.requests.to(right.handle());
        left.requests.write(1, 0x1234, 0).from(left.region(10), 0, 10).post();
        world.recording = true;
        world.lost = datagram -> datagram.from() == right.port;
        world.runUntil(() -> !right.peerFailures.isEmpty(), SECOND);
        left.requests.immediate(2, 2).post(); // the port is full: nobody takes it
        world.nodes.remove(left.port);
        world.run(SECOND / 1_000);
        world.sent.stream()
                .filter(datagram -> datagram.from() == right.port)
                .forEach(datagram -> left.arrive(datagram.octets(), right.port, world.now));
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.REM_ACCESS_ERR);
        left.engine.reset();
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.REM_ACCESS_ERR, CompletionStatus.WR_FLUSH_ERR);
        assertThat(left.engine.isFailed()).isFalse();
    }

    @Test
    @Conforms("RD-001")
    void aReceiveWaitsForAnAtomicOperationInFrontOfItIfItHasAReadFence() {
        SoftMemoryRegion counter = right.region(8);
        SoftMemoryRegion sink = left.region(1_000);
        right.post(1, 0);
        left.requests.to(right.handle());
        left.requests.read(1, right.region(1_000).stag(), 0).into(sink, 0, 1_000); // keeps the next waiting
        left.requests.fetchAdd(2, counter.stag(), 0, 1).into(sink, 0, 8);
        left.requests.immediate(3, 3).readFence();
        left.requests.post();
        world.runUntil(() -> !right.received.isEmpty(), SECOND);
        assertThat(counter.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
    }

    @Test
    void aSilentPeerIsGivenUp() {
        world.lost = datagram -> datagram.to() == right.port;
        left.requests.to(right.handle()).immediate(1, 1).post();
        world.run(9 * SECOND);
        assertThat(left.sent).isEmpty();
        world.run(3 * SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.RESP_TIMEOUT_ERR);
        assertThat(left.failures).singleElement().asString().contains("RD-014");
    }

    @Test
    void aPeerThatWasMadeAnewIsNotTakenForItsFormerSelf() {
        right.post(1, 10);
        left.requests.to(right.handle()).immediate(1, 1).post();
        world.run(SECOND);
        ReliableNode successor = world.add(new ReliableNode(2, 0x7777));
        successor.post(1, 10);
        successor.post(2, 10);
        left.requests.to(right.handle()).immediate(2, 2).post();
        world.run(SECOND);
        assertThat(successor.received).isEmpty();
        assertThat(left.sent).extracting(Sent::status).endsWith(CompletionStatus.REM_OP_ERR);
        left.engine.reset();
        left.requests.to(right.handle()).immediate(3, 3).post();
        world.run(SECOND);
        assertThat(successor.received).extracting(Received::immediate).containsExactly(3L);
    }

    @Test
    void anAnswerToAFormerLifeKeepsNobodyWaiting() {
        SoftMemoryRegion memory = left.region(8);
        world.recording = true;
        world.lost = datagram -> datagram.from() == right.port;
        right.requests
                .to(left.handle())
                .read(1, memory.stag(), 0)
                .into(right.region(8), 0, 8)
                .post();
        world.run(0);
        byte[] question = world.sent.getFirst().octets();
        world.lost = _ -> false;

        ReliableNode successor = world.add(new ReliableNode(2, 0x7777));
        successor.post(1, 0);
        left.requests.to(successor.handle()).immediate(1, 1).post();
        world.run(SECOND);
        left.requests.immediate(2, 2).post();
        world.run(SECOND); // it waits for a receive, so the stream is not at rest
        left.arrive(question, right.port, world.now);
        left.post(3, 0);
        successor.requests.to(left.handle()).immediate(3, 3).post();
        successor.post(2, 0);
        world.run(SECOND);
        assertThat(left.sent).hasSize(2);

        successor
                .requests
                .fetchAdd(4, memory.stag(), 0, 5)
                .into(successor.region(8), 0, 8)
                .post();
        world.run(SECOND);
        assertThat(successor.sent)
                .extracting(Sent::status)
                .containsOnly(CompletionStatus.SUCCESS)
                .hasSize(2);
        assertThat(left.engine.activePeers()).isZero();
    }

    @Test
    void halfASendOfAFormerLifeKeepsItsReceiveForAWhileOnly() {
        SoftMemoryRegion source = filled(left, pattern(10_000, 1));
        int[] sent = {0};
        world.lost = datagram -> datagram.from() == left.port && sent[0]++ > 5;
        right.post(1, 10_000);
        left.requests.to(right.handle()).send(1).from(source, 0, 10_000).post();
        world.run(SECOND);
        world.lost = _ -> false;
        ReliableNode successor = world.add(new ReliableNode(1, 0x7777));
        successor.requests.to(right.handle()).immediate(1, 1).post();
        world.run(30 * SECOND);
        assertThat(successor.sent).as("the only receive is taken").isEmpty();
        world.run(40 * SECOND);
        assertThat(successor.sent).extracting(Sent::status).containsExactly(CompletionStatus.SUCCESS);
    }

    @Test
    void theReceiveOfHalfASendGoesBackToItsQueueWhenTheQueuePairIsClosed() {
        SoftMemoryRegion source = filled(left, pattern(10_000, 1));
        int[] sent = {0};
        world.lost = datagram -> datagram.from() == left.port && sent[0]++ > 5;
        right.post(1, 10_000);
        left.requests.to(right.handle()).send(1).from(source, 0, 10_000).post();
        world.run(SECOND);
        assertThat(right.receiveQueue.size()).isZero();
        right.engine.close();
        assertThat(right.receiveQueue.size()).isEqualTo(1);
    }

    @Test
    void everythingIsForgottenAndBeginsAgain() {
        right.post(1, 10);
        right.post(2, 10);
        left.requests.to(right.handle()).immediate(1, 1).post();
        world.run(200 * SECOND);
        assertThat(left.engine.peers()).isZero();
        assertThat(right.engine.peers()).isZero();
        assertThat(right.engine.activePeers()).isZero();
        left.requests.immediate(2, 2).post();
        world.run(SECOND);
        assertThat(right.received).extracting(Received::immediate).containsExactly(1L, 2L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 10, 30})
    void bulkGoesThroughLossAtNoGreatCost(int lossInHundredths) {
        world.faults = new Faults(lossInHundredths * 10, 0, 0, 1_000_000, 1_000_001);
        byte[] payload = pattern(200_000, 9);
        SoftMemoryRegion target = right.region(200_000);
        left.requests
                .to(right.handle())
                .write(1, target.stag(), 0)
                .from(filled(left, payload), 0, 200_000)
                .post();
        world.runUntil(() -> !left.sent.isEmpty(), 600 * SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.SUCCESS);
        assertThat(octets(target, 200_000)).isEqualTo(payload);
        if (lossInHundredths <= 3) {
            assertThat(left.counts.timeouts).isLessThan(20);
            assertThat(left.counts.retransmissions).isLessThan(200);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void messagesOfManyKindsKeepTheirOrder(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ReliableWorld rough = new ReliableWorld(seed);
        ReliableNode from = rough.add(1);
        ReliableNode to = rough.add(2);
        rough.faults = new Faults(100, 50, 50, 10_000, 2_000_000);
        SoftMemoryRegion counter = to.region(8);
        SoftMemoryRegion value = from.region(8);
        List<Long> expected = new ArrayList<>();
        from.requests.to(to.handle());
        for (int i = 0; i < 300; i++) {
            if (random.nextInt(3) == 0) {
                from.requests.fetchAdd(i, counter.stag(), 0, 1).into(value, 0, 8);
            } else {
                from.requests.immediate(i, i);
                expected.add((long) i);
                to.post(i, 0);
            }
            from.requests.post();
            if (random.nextInt(10) == 0) {
                rough.run(random.nextLong(3_000_000));
            }
        }
        rough.runUntil(() -> from.sent.size() == 300, 100 * SECOND);
        assertThat(from.sent).hasSize(300).extracting(Sent::status).containsOnly(CompletionStatus.SUCCESS);
        assertThat(from.sent).extracting(Sent::id).isSorted();
        assertThat(to.received).extracting(Received::immediate).isEqualTo(expected);
        assertThat(counter.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(300 - expected.size());
    }
}
