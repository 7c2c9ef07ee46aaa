package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.reliable.ReliableNode.Received;
import io.stag.rnic.reliable.ReliableNode.Sent;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramRefusal;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Peers that lie, flood, or never answer: bounded memory, and others do not notice. */
class ReliableHostileTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int STRANGER = 9;
    private static final int STRANGERS_EPOCH = 0xBAD;

    private final ReliableWorld world = new ReliableWorld(1);
    private final ReliableNode left = world.add(1);
    private final ReliableNode right = world.add(2);
    private final MemorySegment buffer = MemorySegment.ofArray(new byte[2_000]);
    private final ReliableHeader header = new ReliableHeader();

    /** What a hostile peer says of our stream. */
    private record Claim(int stream, int psn, int credit) {
        static final Claim NONE = new Claim(0, 0, 0);
    }

    private byte[] send(int epoch, int stream, int psn, int msn, int payload, Claim claim) {
        header.wrap(buffer, 0, 2_000);
        header.put(DatagramPrefix.DATA, 0, psn, epoch, stream, 0, psn, claim.stream, claim.psn, 0, claim.credit);
        UntaggedHeader untagged = new UntaggedHeader();
        untagged.wrap(buffer, ReliableHeader.LENGTH);
        untagged.put(true, DdpControl.rdmap(RdmapOpcode.SEND), 0, 0, msn, 0);
        return finish(ReliableHeader.LENGTH + UntaggedHeader.LENGTH + payload);
    }

    private byte[] write(int epoch, int stream, int psn, int stag, long offset, int payload) {
        header.wrap(buffer, 0, 2_000);
        header.put(DatagramPrefix.DATA, 0, psn, epoch, stream, 0, psn, 0, 0, 0, 0);
        TaggedHeader tagged = new TaggedHeader();
        tagged.wrap(buffer, ReliableHeader.LENGTH);
        tagged.put(true, DdpControl.rdmap(RdmapOpcode.RDMA_WRITE), stag, offset);
        return finish(ReliableHeader.LENGTH + TaggedHeader.LENGTH + payload);
    }

    private byte[] acknowledgement(int epoch, int peerEpoch, int stream, int psn, long word) {
        header.wrap(buffer, 0, 2_000);
        header.put(DatagramPrefix.ACKNOWLEDGEMENT, 0, 0, epoch, 0, peerEpoch, 0, stream, psn, 0, 60_000);
        int length = header.putAcknowledgement(0, 1);
        header.putWord(0, word);
        return finish(length);
    }

    private byte[] finish(int length) {
        Crc32c crc = new Crc32c();
        crc.update(buffer, 0, length);
        Crc32c.putWire(buffer, length, crc.value());
        return Arrays.copyOf((byte[]) buffer.heapBase().orElseThrow(), length + Crc32c.LENGTH);
    }

    private void exchange(int count) {
        int before = right.received.size();
        for (int i = 0; i < count; i++) {
            right.post(i, 10);
            left.requests.to(right.handle()).immediate(i, before + i).post();
        }
        world.run(SECOND);
        assertThat(right.received.subList(before, right.received.size()))
                .extracting(Received::port)
                .hasSize(count)
                .containsOnly(left.port);
        assertThat(left.failures).isEmpty();
    }

    @Test
    void forgedSourcesCostBoundedMemoryAndSpareThoseThatAreKnown() {
        exchange(5);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 100_000; i++) {
            int psn = 2 + random.nextInt(40);
            right.arrive(
                    send(random.nextInt() | 1, 1, psn, psn, 100, Claim.NONE),
                    10_000 + random.nextInt(50_000),
                    world.now);
        }
        assertThat(right.engine.peers()).isLessThanOrEqualTo(right.settings.maxPeers());
        exchange(5);
        world.run(200 * SECOND);
        assertThat(right.engine.peers()).isZero();
    }

    /** What nobody takes anything of: a duplicate, a message too early, one without receive, one that is refused. */
    private byte[] withoutEffect(int kind) {
        return switch (kind % 4) {
            case 0 -> send(STRANGERS_EPOCH, 1, -5, 1, 1, Claim.NONE);
            case 1 -> send(STRANGERS_EPOCH, 1, 2, 2, 1, Claim.NONE);
            case 2 -> send(STRANGERS_EPOCH, 1, 1, 1, 1, Claim.NONE);
            default -> write(STRANGERS_EPOCH, 1, 1, 0x1234, 0, 64);
        };
    }

    @Test
    @Conforms("RD-015")
    void strangersGiveWayToWhoeverIsToBeKnown() {
        for (int i = 0; i < 9; i++) {
            ReliableNode peer = world.add(new ReliableNode(100 + i, 100 + i));
            right.post(i, 0);
            peer.requests.to(right.handle()).immediate(i, i).post();
        }
        world.run(SECOND);
        for (int i = 0; i < 1_000; i++) {
            right.arrive(withoutEffect(i), 1_000 + i, world.now);
            world.run(1_000);
        }
        assertThat(right.engine.peers()).isEqualTo(right.settings.maxPeers());
        exchange(1);
        ReliableNode another = world.add(new ReliableNode(300, 300));
        another.post(1, 0);
        right.requests.to(another.handle()).immediate(1, 1).post();
        world.run(SECOND);
        assertThat(right.failures).isEmpty();
        assertThat(right.sent).extracting(Sent::status).containsExactly(CompletionStatus.SUCCESS);
        world.run(200 * SECOND);
        assertThat(right.engine.peers()).isZero();
        assertThat(right.engine.activePeers()).isZero();
    }

    @Test
    @Conforms("RD-015")
    void whoeverIsKnownGivesWayToNobody() {
        for (int i = 0; i < right.settings.maxPeers(); i++) {
            right.post(i, 0);
            ReliableNode peer = world.add(new ReliableNode(100 + i, 100 + i));
            peer.requests.to(right.handle()).immediate(i, i).post();
        }
        world.run(SECOND);
        right.arrive(withoutEffect(2), STRANGER, world.now);
        assertThat(right.counts.refusals(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(1);
        assertThat(right.engine.peers()).isEqualTo(right.settings.maxPeers());
    }

    @Test
    @Conforms("RD-015")
    void livesThatNothingWasTakenFromGiveWayToAnother() {
        for (int epoch = 1; epoch <= 20; epoch++) {
            right.arrive(send(epoch, 1, 2, 2, 1, Claim.NONE), STRANGER, world.now);
        }
        right.post(1, 10);
        right.arrive(send(STRANGERS_EPOCH, 1, 1, 1, 1, Claim.NONE), STRANGER, world.now);
        assertThat(right.received).hasSize(1);
    }

    @Test
    @Conforms("RD-015")
    void livesThatSomethingWasTakenFromGiveWayToNobody() {
        for (int epoch = 1; epoch <= 9; epoch++) {
            right.post(epoch, 10);
            right.arrive(send(epoch, 1, 1, 1, 1, Claim.NONE), STRANGER, world.now);
        }
        assertThat(right.received).hasSize(8);
        assertThat(right.counts.refusals(DatagramRefusal.TOO_MANY_SOURCES)).isEqualTo(1);
    }

    @Test
    void earlyMessagesOfOnePeerFillTheirMemoryAndNoMore() {
        for (int psn = 2; psn < 64; psn++) {
            right.arrive(send(STRANGERS_EPOCH, 1, psn, psn, 1_900, Claim.NONE), STRANGER, world.now);
        }
        assertThat(right.counts.notKept).isPositive();
        assertThat(right.counts.outOfOrder - right.counts.notKept)
                .isLessThanOrEqualTo(right.settings.maxReorderOctets() / 1_900);
        exchange(20);
        world.run(100 * SECOND); // the stranger is forgotten, and its memory free
        right.arrive(send(STRANGERS_EPOCH + 1, 1, 2, 2, 1_900, Claim.NONE), STRANGER, world.now);
        long notKept = right.counts.notKept;
        right.arrive(send(STRANGERS_EPOCH + 1, 1, 3, 3, 1_900, Claim.NONE), STRANGER, world.now);
        assertThat(right.counts.notKept).isEqualTo(notKept);
    }

    @Test
    @Conforms("RD-020")
    void epochZeroAndStreamZeroAreRefusedAndReported() {
        right.post(1, 100);
        right.arrive(send(0, 1, 1, 1, 10, Claim.NONE), STRANGER, world.now);
        right.arrive(send(STRANGERS_EPOCH, 0, 1, 1, 10, Claim.NONE), STRANGER, world.now);
        assertThat(right.counts.refusals(DatagramRefusal.HEADER)).isEqualTo(2);
        assertThat(right.refusals).hasSize(2).allMatch(refusal -> refusal.startsWith("HEADER from " + STRANGER));
        assertThat(right.engine.peers()).isZero();
        assertThat(right.received).isEmpty();
    }

    @Test
    @Conforms("RD-020")
    void malformedHeadersAreRefusedAndReported() {
        header.wrap(buffer, 0, 2_000);
        header.put(DatagramPrefix.ACKNOWLEDGEMENT, 0, 0, STRANGERS_EPOCH, 0, 0, 0, 1, 1, 0, 1);
        right.arrive(finish(header.putAcknowledgement(0, 1) + Long.BYTES), STRANGER, world.now);
        header.put(DatagramPrefix.DATA, 0, 1, STRANGERS_EPOCH, 1, 0, 1, 0, 0, 0, 0);
        right.arrive(finish(ReliableHeader.LENGTH + TaggedHeader.LENGTH - 1), STRANGER, world.now);
        assertThat(right.counts.refusals(DatagramRefusal.LAYOUT)).isEqualTo(2);
        assertThat(right.refusals).hasSize(2).allMatch(refusal -> refusal.startsWith("LAYOUT from " + STRANGER));
    }

    @Test
    @Conforms("RD-021")
    void numberZeroIsBeforeTheFirst() {
        right.post(1, 100);
        right.arrive(send(STRANGERS_EPOCH, 1, 0, 1, 10, Claim.NONE), STRANGER, world.now);
        assertThat(right.counts.duplicates).isEqualTo(1);
        assertThat(right.received).isEmpty();
        right.arrive(send(STRANGERS_EPOCH, 1, 1, 1, 10, Claim.NONE), STRANGER, world.now);
        assertThat(right.received).hasSize(1);
    }

    @Test
    @Conforms("RD-022")
    void numbersBeyondTheCreditAreRefused() {
        right.arrive(send(STRANGERS_EPOCH, 1, 65, 65, 10, Claim.NONE), STRANGER, world.now);
        right.arrive(send(STRANGERS_EPOCH, 1, Integer.MIN_VALUE + 5, 1, 10, Claim.NONE), STRANGER, world.now);
        assertThat(right.counts.refusals(DatagramRefusal.BEYOND_CREDIT)).isEqualTo(1);
        assertThat(right.counts.duplicates).as("half the numbers are old ones").isEqualTo(1);
        assertThat(right.received).isEmpty();
    }

    @Test
    @Conforms("RD-025")
    void aBadMessageThatWasPutOffTakesOneReceive() {
        right.arrive(send(STRANGERS_EPOCH, 1, 2, 2, 100, Claim.NONE), STRANGER, world.now);
        right.post(1, 100);
        right.arrive(send(STRANGERS_EPOCH, 1, 1, 1, 100, Claim.NONE), STRANGER, world.now);
        assertThat(right.received).extracting(Received::status).containsExactly(CompletionStatus.SUCCESS);
        right.post(2, 10);
        right.post(3, 10);
        right.arrive(send(STRANGERS_EPOCH, 1, 2, 2, 100, Claim.NONE), STRANGER, world.now);
        assertThat(right.received)
                .extracting(Received::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.LOC_LEN_ERR);
        assertThat(right.peerFailures).hasSize(1);
    }

    @Test
    @Conforms("DG-029")
    void errorsThatFindNoRoomAreCounted() {
        for (int i = 0; i < 150; i++) {
            right.arrive(send(STRANGERS_EPOCH, 1, 65, 65, 10, Claim.NONE), STRANGER, world.now);
        }
        assertThat(right.refusals).hasSize(100);
        assertThat(right.counts.errorsDropped).isEqualTo(50);
    }

    @Test
    @Conforms("RD-027")
    void nonsenseIsNoAcknowledgement() {
        world.lost = datagram -> datagram.to() == right.port;
        left.requests.to(right.handle()).immediate(1, 1).post();
        world.run(1_000_000);
        int epoch = left.settings.epoch();
        left.arrive(acknowledgement(right.settings.epoch(), epoch, 1, 2, 0), right.port, world.now);
        left.arrive(acknowledgement(right.settings.epoch(), epoch, 2, 1, 0), right.port, world.now);
        left.arrive(acknowledgement(right.settings.epoch(), 0, 1, 1, 0), right.port, world.now);
        left.arrive(acknowledgement(right.settings.epoch(), epoch, 1, 0, 0b10), right.port, world.now);
        left.arrive(send(right.settings.epoch(), 1, 1, 1, 1, new Claim(1, 1, 50)), right.port, world.now);
        assertThat(left.counts.badAcknowledgements).isEqualTo(5);
        assertThat(left.sent).isEmpty();
        world.lost = _ -> false;
        right.post(1, 10);
        world.run(SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.SUCCESS);
    }

    /** A machine with two addresses that receives at both and answers from the other one. */
    @Test
    @Conforms("RD-014")
    void answersFromElsewhereAreNoAnswersButNamed() {
        world.lost = datagram -> datagram.to() == right.port;
        left.requests.to(right.handle()).immediate(1, 1).post();
        world.run(SECOND);
        left.arriveFrom(
                0x0A00_0002,
                acknowledgement(right.settings.epoch(), left.settings.epoch(), 1, 1, 0),
                right.port,
                world.now);
        world.run(20 * SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.RESP_TIMEOUT_ERR);
        assertThat(left.failures)
                .singleElement()
                .asString()
                .contains("10.0.0.2")
                .contains("one of its addresses");
    }

    private byte[] refusal(int peerEpoch, int stream) {
        header.wrap(buffer, 0, 2_000);
        header.put(DatagramPrefix.REFUSAL, 0, 1, right.settings.epoch(), stream, peerEpoch, 0, 0, 0, 0, 0);
        return finish(ReliableHeader.LENGTH);
    }

    @Test
    @Conforms("RD-013")
    void aRefusalThatNamesAnotherEpochOrStreamOrComesBeforeTheStreamIsBoundIsNone() {
        int epoch = left.settings.epoch();
        world.lost = datagram -> datagram.to() == right.port;
        left.requests.to(right.handle()).immediate(1, 1).post();
        world.run(1_000);
        left.arrive(refusal(epoch, 1), right.port, world.now);
        assertThat(left.sent).as("not bound").isEmpty();
        left.arrive(acknowledgement(right.settings.epoch(), epoch, 1, 0, 0), right.port, world.now); // binds it
        left.arrive(refusal(0, 1), right.port, world.now);
        left.arrive(refusal(epoch + 1, 1), right.port, world.now);
        left.arrive(refusal(epoch, 2), right.port, world.now);
        assertThat(left.sent).isEmpty();
        left.arrive(refusal(epoch, 1), right.port, world.now);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.REM_OP_ERR);
    }

    @Test
    void badStreamAfterBadStreamPilesUpNothing() {
        for (int stream = 1; stream < 50_000; stream++) {
            right.arrive(write(STRANGERS_EPOCH, stream, 1, 0x1234, 0, 64), STRANGER, world.now);
        }
        assertThat(right.engine.peers()).isEqualTo(1);
        world.recording = true;
        exchange(3);
        assertThat(world.sent)
                .as("Terminates wait for acknowledgements that never come")
                .filteredOn(datagram -> datagram.to() == STRANGER)
                .hasSizeLessThan(30);
    }

    @Test
    @Conforms("RD-042")
    void aForgedDatagramDoesNotStopWhoReads() {
        SoftMemoryRegion source = right.region(10_000);
        SoftMemoryRegion sink = left.region(10_000);
        left.requests.to(right.handle());
        int[] posted = {0};
        boolean[] forged = {false};
        world.runUntil(
                () -> {
                    while (posted[0] < left.sent.size() + 4 && left.failures.isEmpty()) {
                        left.requests
                                .read(posted[0]++, source.stag(), 0)
                                .into(sink, 0, 10_000)
                                .post();
                    }
                    if (left.sent.size() == 100 && !forged[0]) {
                        forged[0] = true;
                        right.arrive(write(STRANGERS_EPOCH, 1, 1, 0x1234, 0, 64), left.port, world.now);
                    }
                    return left.sent.size() == 400;
                },
                20 * SECOND);
        assertThat(left.failures).isEmpty();
        assertThat(right.failures).isEmpty();
        assertThat(left.sent).hasSize(400).extracting(Sent::status).containsOnly(CompletionStatus.SUCCESS);
    }

    @Test
    @Conforms("RD-042")
    void answersOutliveAForgedDatagramThatCameAfterTheirRequests() {
        SoftMemoryRegion source = right.region(10_000);
        SoftMemoryRegion sink = left.region(10_000);
        left.requests.to(right.handle());
        for (int i = 0; i < 4; i++) {
            left.requests.read(i, source.stag(), 0).into(sink, 0, 10_000);
        }
        left.requests.post();
        world.runUntil(() -> right.counts.messagesReceived == 1, SECOND);
        right.arrive(write(STRANGERS_EPOCH, 1, 1, 0x1234, 0, 64), left.port, world.now);
        world.run(SECOND);
        assertThat(left.sent).hasSize(4).extracting(Sent::status).containsOnly(CompletionStatus.SUCCESS);
    }

    @Test
    @Conforms("RD-042")
    void whoeverSpokeLastIsNotTakenForTheLifeAtAnAddressBeforeItAcknowledged() {
        SoftMemoryRegion source = right.region(100);
        left.post(1, 0);
        left.requests.to(right.handle());
        left.requests.read(1, source.stag(), 0).into(left.region(100), 0, 100).post();
        right.arrive(write(STRANGERS_EPOCH, 1, 1, 0x1234, 0, 64), left.port, world.now);
        world.runUntil(() -> right.counts.messagesReceived == 1, SECOND);
        right.arrive(write(STRANGERS_EPOCH, 1, 1, 0x1234, 0, 64), left.port, world.now + 1);
        right.requests.to(left.handle()).immediate(2, 2).post();
        world.run(SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.SUCCESS);
        assertThat(right.sent).extracting(Sent::status).containsExactly(CompletionStatus.SUCCESS);
    }

    @Test
    @Conforms("RD-042")
    void aForgedDatagramDoesNotStopItsTarget() {
        left.post(1, 0);
        left.post(2, 0);
        right.requests.to(left.handle()).immediate(1, 1).post();
        world.run(SECOND);
        right.arrive(write(STRANGERS_EPOCH, 1, 1, 0x1234, 0, 64), left.port, world.now);
        world.run(0);
        right.requests.immediate(2, 2).post();
        world.run(SECOND);
        assertThat(right.failures).isEmpty();
        assertThat(right.sent).hasSize(2).extracting(Sent::status).containsOnly(CompletionStatus.SUCCESS);
    }

    @Test
    void badLifeAfterBadLifePilesUpNothing() {
        world.recording = true;
        for (int epoch = 1; epoch <= 10_000; epoch++) {
            right.arrive(write(epoch, 1, 1, 0x1234, 0, 64), STRANGER, world.now);
        }
        world.run(300 * SECOND);
        assertThat(world.sent)
                .as("Terminates to eight lives of one address, each for ten seconds")
                .hasSizeLessThan(8 * 30);
        assertThat(right.engine.peers()).isZero();
    }

    @Test
    void streamsThatArePutOffAndGivenUpLeaveNothingBehind() {
        for (int stream = 1; stream <= 10_000; stream++) {
            right.arrive(send(STRANGERS_EPOCH, stream, 1, 1, 1, Claim.NONE), STRANGER, world.now);
        }
        assertThat(right.engine.putOff()).isEqualTo(1);
        for (int epoch = 1; epoch <= 10_000; epoch++) {
            right.arrive(send(epoch, 1, 1, 1, 1, Claim.NONE), STRANGER, world.now);
        }
        assertThat(right.engine.putOff()).as("lives of one address").isEqualTo(8);
        world.run(200 * SECOND);
        assertThat(right.engine.putOff()).isZero();
    }

    @Test
    void aPeerThatNeverAcknowledgesDisturbsNobody() {
        SoftMemoryRegion source = left.region(100_000);
        world.lost = datagram -> datagram.to() == STRANGER;
        left.requests.to(new ReliableNode(STRANGER, 1).handle());
        left.requests.write(100, 1, 0).from(source, 0, 100_000).post();
        exchange(20);
        world.run(20 * SECOND);
        assertThat(left.failures).hasSize(1);
        assertThat(left.sent.getLast()).extracting(Sent::status).isEqualTo(CompletionStatus.RESP_TIMEOUT_ERR);
    }

    /** Ten datagrams of a Write have left; the peer takes them, and no more. */
    private void writeWithoutCredit() {
        world.lost = _ -> true;
        left.requests.to(right.handle());
        left.requests.write(1, 1, 0).from(left.region(10_000), 0, 10_000).post();
        world.run(1_000);
        takeTen(0);
    }

    private void takeTen(int credit) {
        header.wrap(buffer, 0, 2_000);
        header.put(
                DatagramPrefix.ACKNOWLEDGEMENT,
                0,
                0,
                right.settings.epoch(),
                0,
                left.settings.epoch(),
                0,
                1,
                10,
                0,
                credit);
        left.arrive(finish(header.putAcknowledgement(0, 0)), right.port, world.now);
    }

    @Test
    @Conforms("RD-036")
    void aPeerThatGivesNoCreditAndSaysNothingIsGivenUp() {
        writeWithoutCredit();
        world.run(8 * SECOND);
        assertThat(left.sent).isEmpty();
        assertThat(left.stalls).isBetween(5, 8);
        world.run(4 * SECOND);
        assertThat(left.sent).extracting(Sent::status).containsExactly(CompletionStatus.RESP_TIMEOUT_ERR);
    }

    @Test
    @Conforms({"RD-035", "RD-036"})
    void aPeerThatGivesNoCreditIsAskedForIt() {
        writeWithoutCredit();
        world.recording = true;
        for (int i = 0; i < 10; i++) {
            world.run(5 * SECOND);
            takeTen(0); // it is there
        }
        assertThat(left.sent).isEmpty();
        assertThat(world.sent)
                .isNotEmpty()
                .allMatch(datagram -> datagram.header().kind() == DatagramPrefix.ACKNOWLEDGEMENT
                        && (datagram.header().flags() & ReliableHeader.ACK_WANTED_FLAG) != 0);
        world.sent.clear();
        takeTen(5);
        world.run(1_000);
        assertThat(world.sent)
                .filteredOn(datagram -> datagram.header().kind() == DatagramPrefix.DATA)
                .hasSize(5);
    }

    @Test
    void truncatedAndDamagedDatagramsHaveNoEffect() {
        byte[] good = send(STRANGERS_EPOCH, 1, 1, 1, 10, Claim.NONE);
        right.post(1, 100);
        for (int length = 0; length < good.length; length++) {
            right.arrive(Arrays.copyOf(good, length), STRANGER, world.now);
        }
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] damaged = good.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            right.arrive(damaged, STRANGER, world.now);
        }
        assertThat(right.received).isEmpty();
        assertThat(right.engine.peers()).isZero();
        right.arrive(good, STRANGER, world.now);
        assertThat(right.received).hasSize(1);
    }
}
