package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.datagram.EngineFixture.Sent;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.ddp.UntaggedHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests become datagrams. The engine's own receiver takes them. */
class DatagramSenderTest {
    private static final int SEGMENT = 128;

    private final EngineFixture left = new EngineFixture();
    private final EngineFixture right = new EngineFixture();
    private final DatagramOutput output = new DatagramOutput();
    private final SoftAddressHandle to =
            new SoftAddressHandle(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 4791));
    private final SoftAddressHandle elsewhere =
            new SoftAddressHandle(new InetSocketAddress(InetAddress.ofLiteral("fd00::3"), 4791));

    private SoftMemoryRegion filled(int length, int id) {
        SoftMemoryRegion region = left.region(length);
        for (int i = 0; i < length; i++) {
            region.segment().set(ValueLayout.JAVA_BYTE, i, RawDatagram.pattern(id, i));
        }
        return region;
    }

    private void fill(int mostSegments) {
        output.clear(mostSegments);
        left.sender.fill(output, left.now);
    }

    private List<byte[]> datagrams(int entries) {
        List<byte[]> result = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            int end = output.offset(i) + output.length(i);
            for (int at = output.offset(i); at < end; at += output.segmentSize(i)) {
                int length = Math.min(output.segmentSize(i), end - at);
                result.add(output.segment().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
            }
        }
        return result;
    }

    @Test
    @Conforms({"DG-003", "DG-020", "DG-022"})
    void cutsAtMultiplesOfABlockAndCountsMessages() {
        left.requests.send(1, to).from(filled(300, 1), 0, 300);
        left.requests.writeRecord(2, elsewhere, 5, 7).from(filled(10, 2), 0, 10);
        left.requests.send(3, to).post();
        fill(1);
        assertThat(output.count()).isEqualTo(5);
        long[][] expected = {{1, 300, 0}, {1, 300, 128}, {1, 300, 256}, {2, 10, 0}, {3, 0, 0}};
        DatagramPrefix prefix = new DatagramPrefix();
        for (int i = 0; i < 5; i++) {
            prefix.read(output.segment(), output.offset(i), output.length(i));
            assertThat(new long[] {prefix.messageId(), prefix.messageLength(), prefix.offset()})
                    .isEqualTo(expected[i]);
            assertThat(prefix.epoch()).isEqualTo(left.settings.epoch());
            assertThat(output.length(i)).isLessThanOrEqualTo(SEGMENT + DatagramSender.OVERHEAD);
        }
        assertThat(output.destination(3).isSame(elsewhere.numbers())).isTrue();
        UntaggedHeader header = new UntaggedHeader();
        header.wrap(output.segment(), output.offset(1) + DatagramPrefix.LENGTH);
        assertThat(header.msn()).isEqualTo(1);
        assertThat(header.messageOffset()).isEqualTo(128);
    }

    @Test
    void whatItMakesIsWhatAReceiverTakes() {
        SoftMemoryRegion buffer = right.post(9, 1_000);
        SoftMemoryRegion target = right.region(1_000);
        left.requests
                .send(1, to)
                .from(filled(600, 1), 0, 200)
                .from(filled(500, 1), 200, 300)
                .solicited();
        left.requests
                .writeRecord(2, to, target.stag(), 77)
                .from(filled(900, 2), 0, 900)
                .solicited()
                .post();
        fill(4);
        datagrams(output.count()).forEach(right::arrive);
        left.sender.transmitted(output, output.count());
        assertThat(left.sent)
                .containsExactly(
                        new Sent(1, Operation.SEND, true, CompletionStatus.SUCCESS, null),
                        new Sent(2, Operation.RDMA_WRITE, true, CompletionStatus.SUCCESS, null));
        assertThat(right.received).singleElement().matches(r -> r.length() == 500 && r.flags() == 1);
        assertThat(right.written).singleElement().matches(r -> r.complete() && r.flags() == 1);
        assertThat(EngineFixture.octets(buffer, 0, 500)).isEqualTo(RawDatagram.octets(1, 0, 500));
        assertThat(EngineFixture.octets(target, 77, 900)).isEqualTo(RawDatagram.octets(2, 0, 900));
    }

    @Test
    void longPayloadThatStaysWhereItIsLeavesAsTheSameOctets() {
        SoftMemoryRegion from = filled(1_000, 1);
        left.requests.send(1, to).from(from, 0, 0).from(from, 3, 300); // 128, 128, 44
        left.requests.send(2, to).from(from, 0, 100).from(from, 500, 156); // 128 of two buffers, 128
        left.requests.writeRecord(3, elsewhere, 5, 7).from(from, 64, 640).post();
        fill(4);
        List<byte[]> copied = datagrams(output.count());
        left.sender.transmitted(output, 0);
        output.segment().fill((byte) 0x55);
        output.clear(4, 100);
        left.sender.fill(output, left.now);
        assertThat(output.pieces().count()).isEqualTo(2 + 1 + 5);
        assertThat(datagrams(output.count())).as("there are holes").isNotEqualTo(copied);
        assertThat(output.fillHoles()).isTrue();
        assertThat(datagrams(output.count())).containsExactlyElementsOf(copied);
        assertThat(output.pieces().count()).isZero();
        left.sender.transmitted(output, output.count());
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS, CompletionStatus.SUCCESS);
    }

    @Test
    void payloadThatIsGoneWhenItIsToBeSentFailsItsRequest() {
        Arena arena = Arena.ofShared();
        SoftMemoryRegion gone = left.register(arena.allocate(128), Rights.LOCAL_READ);
        left.requests.send(1, to).from(filled(128, 1), 0, 128);
        left.requests.send(2, to).from(gone, 0, 128).post();
        output.clear(4, 100);
        left.sender.fill(output, left.now);
        assertThat(output.pieces().count()).isEqualTo(2);
        arena.close();
        assertThat(output.pieces().firstGone()).isEqualTo(1);
        assertThat(output.fillHoles()).isFalse();
        left.sender.transmitted(output, 0);
        output.clear(4, 100);
        left.sender.fill(output, left.now);
        assertThat(output.count()).isEqualTo(1);
        assertThat(output.pieces().count()).isEqualTo(1);
        left.sender.transmitted(output, 1);
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void joinsDatagramsOfOneLengthToOnePlace() {
        SoftMemoryRegion from = filled(1_000, 1);
        left.requests.send(1, to).from(from, 0, 300); // 128, 128, 44
        left.requests.send(2, to).from(from, 0, 128);
        left.requests.send(3, to).from(from, 0, 128);
        left.requests.send(4, elsewhere).from(from, 0, 128);
        left.requests.send(5, elsewhere).from(from, 0, 640).post(); // five more
        fill(4);
        assertThat(output.count()).isEqualTo(4);
        assertThat(new int[] {output.segments(0), output.segments(1), output.segments(2), output.segments(3)})
                .containsExactly(3, 2, 4, 2);
        assertThat(datagrams(4)).hasSize(11);
    }

    @Test
    @Conforms("DG-030")
    void aRequestIsCompleteWhenThePortTookAllOfIt() {
        SoftMemoryRegion from = filled(1_000, 1);
        left.requests.send(1, to).from(from, 0, 300).unsignaled();
        left.requests.send(2, elsewhere).from(from, 0, 300).post();
        fill(1);
        left.sender.transmitted(output, 2);
        assertThat(left.sent).isEmpty();
        fill(1);
        assertThat(output.count()).as("what was not taken is made again").isEqualTo(4);
        assertThat(datagrams(1).getFirst()[19]).as("from where it stopped").isZero();
        DatagramPrefix prefix = new DatagramPrefix();
        prefix.read(output.segment(), 0, 100);
        assertThat(prefix.offset()).isEqualTo(256);
        left.sender.transmitted(output, 3);
        assertThat(left.sent).containsExactly(new Sent(1, Operation.SEND, false, CompletionStatus.SUCCESS, null));
        fill(1);
        left.sender.transmitted(output, output.count());
        assertThat(left.sent).hasSize(2);
        assertThat(left.sender.hasWork()).isFalse();
        assertThat(left.sendQueue.size()).isZero();
    }

    @Test
    @Conforms({"DG-029", "DG-030"})
    void whatTheSystemRefusesFailsThatRequestAlone() {
        SoftMemoryRegion from = filled(1_000, 1);
        left.requests.send(1, to).from(from, 0, 10);
        left.requests.send(2, elsewhere).from(from, 0, 300);
        left.requests.send(3, to).from(from, 0, 10).post();
        fill(1);
        output.refuse(new IOException("no route"));
        left.sender.transmitted(output, 2); // one datagram of request 2 is gone
        assertThat(left.sent).extracting(Sent::id).containsExactly(1L, 2L);
        assertThat(left.sent.getLast().status()).isEqualTo(CompletionStatus.GENERAL_ERR);
        assertThat(String.valueOf(left.sent.getLast().detail()))
                .contains("no route")
                .contains("4791");
        fill(1);
        assertThat(output.count()).isEqualTo(1);
        left.sender.transmitted(output, 1);
        assertThat(left.sent.getLast()).isEqualTo(new Sent(3, Operation.SEND, true, CompletionStatus.SUCCESS, null));
        assertThat(left.counts.sendFailures).isEqualTo(1);
        assertThat(left.counts.messagesSent).isEqualTo(2);
    }

    @Test
    void memoryThatCannotBeReadFailsItsRequestInItsTurn() {
        SoftMemoryRegion from = filled(1_000, 1);
        SoftMemoryRegion hidden = left.region(100, Rights.LOCAL_WRITE);
        SoftMemoryRegion gone = filled(100, 1);
        left.requests.send(1, to).from(gone, 0, 100);
        left.requests.send(2, to).from(from, 0, 10);
        left.requests.send(3, to).from(hidden, 0, 10);
        left.requests.send(4, to).from(from, 0, 10);
        left.requests.send(5, to).from(from, 0, 200).from(gone, 0, 10).unsignaled();
        gone.close();
        left.requests.post();
        fill(1);
        left.sender.transmitted(output, output.count());
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(
                        CompletionStatus.LOC_PROT_ERR,
                        CompletionStatus.SUCCESS,
                        CompletionStatus.LOC_ACCESS_ERR,
                        CompletionStatus.SUCCESS,
                        CompletionStatus.LOC_PROT_ERR);
        assertThat(left.sendQueue.size()).isZero();
        fill(1);
        assertThat(output.count()).isZero();
    }

    @Test
    void aLongMessageTakesSeveralRounds() {
        int length = 1 << 20;
        SoftMemoryRegion target = right.region(length);
        left.requests
                .writeRecord(1, to, target.stag(), 0)
                .from(filled(length, 3), 0, length)
                .post();
        int rounds = 0;
        while (left.sender.hasWork()) {
            fill(64);
            datagrams(output.count()).forEach(right::arrive);
            left.sender.transmitted(output, output.count());
            rounds++;
        }
        assertThat(rounds).isGreaterThan(4);
        assertThat(right.written).singleElement().matches(EngineFixture.Written::complete);
        assertThat(EngineFixture.octets(target, 0, length)).isEqualTo(RawDatagram.octets(3, 0, length));
    }
}
