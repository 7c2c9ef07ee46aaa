package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.datagram.EngineFixture.Sent;
import io.stag.rnic.datagram.EngineFixture.Written;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.verbs.CompletionStatus;
import io.stag.wire.datagram.DatagramPrefix;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Short last segments of Write-Records wait for each other, so that rows of one length are long. */
@Conforms("DG-038")
class LastSegmentsTest {
    private static final int SEGMENT = 128;
    private static final int ROW = 64;
    private static final int FLAG = DatagramPrefix.EARLIER_FOLLOW_FLAG;

    private record Segment(int id, int offset, int flags) {}

    private final EngineFixture left = new EngineFixture();
    private final EngineFixture right = new EngineFixture(EngineFixture.settings(16, 8, 1 << 16, 64));
    private final DatagramOutput output = new DatagramOutput();
    private final SoftAddressHandle to = handle("10.0.0.2");
    private final SoftAddressHandle elsewhere = handle("10.0.0.3");
    private final SoftMemoryRegion from = left.region(4_096);
    private final SoftMemoryRegion target = right.region(4_096);

    private static SoftAddressHandle handle(String address) {
        return new SoftAddressHandle(new InetSocketAddress(InetAddress.ofLiteral(address), 4791));
    }

    private void write(long id, SoftAddressHandle destination, SoftMemoryRegion source, int length) {
        left.requests.writeRecord(id, destination, target.stag(), 0).from(source, 0, length);
    }

    private void writeAll(int count, int length) {
        for (int id = 1; id <= count; id++) {
            write(id, to, from, length);
        }
        left.requests.post();
    }

    private void fill(int mostSegments) {
        output.clear(mostSegments);
        left.sender.fill(output, left.now);
    }

    /** The network takes these entries, and brings them to the right. */
    private List<Segment> take(int entries) {
        List<Segment> taken = new ArrayList<>();
        DatagramPrefix prefix = new DatagramPrefix();
        for (int i = 0; i < entries; i++) {
            int end = output.offset(i) + output.length(i);
            for (int at = output.offset(i); at < end; at += output.segmentSize(i)) {
                int length = Math.min(output.segmentSize(i), end - at);
                prefix.read(output.segment(), at, length);
                taken.add(new Segment(prefix.messageId(), prefix.offset(), prefix.flags()));
                right.arrive(output.segment().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
            }
        }
        left.sender.transmitted(output, entries);
        return taken;
    }

    private List<Segment> takeAll() {
        return take(output.count());
    }

    private long[] completed() {
        return left.sent.stream().mapToLong(Sent::id).toArray();
    }

    @Test
    void leaveTogetherBehindTheOthers() {
        writeAll(3, 300); // 128, 128, 44
        fill(ROW);
        assertThat(output.count()).isEqualTo(2);
        assertThat(takeAll())
                .containsExactly(
                        new Segment(1, 0, 0),
                        new Segment(1, 128, 0),
                        new Segment(2, 0, FLAG),
                        new Segment(2, 128, FLAG),
                        new Segment(3, 0, FLAG),
                        new Segment(3, 128, FLAG),
                        new Segment(1, 256, 0),
                        new Segment(2, 256, 0),
                        new Segment(3, 256, 0));
        assertThat(completed()).containsExactly(1, 2, 3);
        assertThat(right.written).hasSize(3).allMatch(Written::complete);
        assertThat(left.sender.hasWork()).isFalse();
    }

    @Test
    void areMadeAgainIfTheNetworkDidNotTakeThem() {
        writeAll(3, 300);
        fill(ROW);
        take(1);
        assertThat(completed()).containsExactly(1);
        fill(ROW);
        assertThat(takeAll()).containsExactly(new Segment(2, 256, 0), new Segment(3, 256, 0));
        assertThat(completed()).containsExactly(1, 2, 3);
        assertThat(right.written).hasSize(3).allMatch(Written::complete);
    }

    @Test
    void waitForEightMessagesAtMost() {
        writeAll(20, 300);
        fill(ROW);
        takeAll();
        assertThat(right.written).hasSize(20).allMatch(Written::complete);
        assertThat(right.counts.messagesDisplaced).isZero();
        assertThat(output.count()).isEqualTo(6); // three times a row of long ones, and of short ones
    }

    @Test
    void takeNoRoomButTheirOwn() {
        int length = 3_000; // in 24 segments
        int count = DatagramOutput.CAPACITY / (length + 24 * (DatagramSender.OVERHEAD - 4));
        writeAll(count, length);
        fill(ROW);
        takeAll();
        assertThat(completed()).hasSize(count);
    }

    @ParameterizedTest
    @CsvSource({"64, 3000", "3, 3000", "2, 3000", "2, 3100", "2, 300", "2, 500", "2, 1100"})
    void haveRoomWithTheirOthers(int mostSegments, int length) {
        int count = 100;
        writeAll(count, length);
        while (left.sender.hasWork()) {
            fill(mostSegments);
            takeAll();
            assertThat(right.receiver.openMessages())
                    .as("only the one that did not fit")
                    .isLessThanOrEqualTo(1);
        }
        assertThat(right.written).hasSize(count).allMatch(Written::complete);
    }

    @Test
    void doNotWaitWhereRowsAreNotJoined() {
        writeAll(2, 300);
        fill(1);
        assertThat(takeAll()).extracting(Segment::id).containsExactly(1, 1, 1, 2, 2, 2);
    }

    @Test
    void ofSendsDoNotWait() {
        left.requests.send(1, to).from(from, 0, 300);
        left.requests.send(2, to).from(from, 0, 300).post();
        fill(ROW);
        assertThat(takeAll()).extracting(Segment::id).containsExactly(1, 1, 1, 2, 2, 2);
    }

    @Test
    void waitForNothingThatMakesNoLongerRow() {
        write(1, to, from, 300);
        write(2, to, from, 100); // one segment, and a short one
        write(3, to, from, 300);
        write(4, elsewhere, from, 300);
        write(5, elsewhere, from, 300);
        left.requests.send(6, elsewhere).from(from, 0, 300).post();
        fill(ROW);
        assertThat(takeAll()).extracting(Segment::id).containsExactly(1, 1, 1, 2, 3, 3, 3, 4, 4, 5, 5, 4, 5, 6, 6, 6);
        assertThat(completed()).containsExactly(1, 2, 3, 4, 5, 6);
    }

    @Test
    void areNoneOfMessagesThatFillTheirSegments() {
        write(1, to, from, 300);
        write(2, to, from, 256);
        write(3, to, from, 300);
        write(4, to, from, 256);
        left.requests.post();
        fill(ROW);
        assertThat(takeAll()).extracting(Segment::id).containsExactly(1, 1, 2, 2, 3, 3, 4, 4, 1, 3);
        assertThat(completed()).containsExactly(1, 2, 3, 4);
        assertThat(right.written).hasSize(4).allMatch(Written::complete);
    }

    @Test
    void ofMemoryThatIsGoneFailTheirRequestAlone() {
        SoftMemoryRegion gone = left.region(300);
        write(1, to, gone, 300);
        write(2, to, from, 256);
        write(3, to, from, 300);
        left.requests.post();
        fill(ROW);
        assertThat(output.count()).isEqualTo(2);
        take(0);
        fill(ROW);
        gone.close();
        take(0);
        fill(ROW);
        takeAll();
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.LOC_PROT_ERR, CompletionStatus.SUCCESS, CompletionStatus.SUCCESS);
        assertThat(left.sender.hasWork()).isFalse();
    }

    @Test
    void thatAreAllThatIsMissingMayFailAsWell() {
        SoftMemoryRegion gone = left.region(300);
        write(1, to, from, 300);
        write(2, to, gone, 300);
        write(3, to, from, 256);
        left.requests.post();
        fill(ROW);
        take(1); // the last segment of 1 is in it, that of 2 is not
        assertThat(completed()).containsExactly(1);
        gone.close();
        fill(ROW);
        assertThat(output.count()).isZero();
        take(0);
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.LOC_PROT_ERR, CompletionStatus.SUCCESS);
        assertThat(left.sender.hasWork()).isFalse();
        writeAll(1, 300);
        fill(ROW);
        assertThat(takeAll()).extracting(Segment::offset).containsExactly(0, 128, 256);
    }

    @Test
    void thatTheSystemRefusesFailTheirRequests() {
        writeAll(3, 300);
        write(4, elsewhere, from, 300);
        left.requests.post();
        fill(ROW);
        output.refuse(new IOException("no route"));
        take(1);
        assertThat(left.sent)
                .extracting(Sent::status)
                .containsExactly(CompletionStatus.SUCCESS, CompletionStatus.GENERAL_ERR, CompletionStatus.GENERAL_ERR);
        fill(ROW);
        assertThat(takeAll()).extracting(Segment::id).containsExactly(4, 4, 4);
        assertThat(left.sent.getLast().status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    /** Whatever is posted and however little the network takes: what is complete has left, all of it and once. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void everyOctetLeavesOnce(long seed) {
        String hint = Seeds.replay(seed);
        Random random = new Random(seed);
        int count = 1 + random.nextInt(40);
        Map<Integer, Integer> lengths = new HashMap<>();
        Set<Segment> gone = new HashSet<>();
        int posted = 0;
        int complete = 0;
        while (complete < count) {
            for (int batch = random.nextInt(12); batch > 0 && posted < count; batch--) {
                lengths.put(++posted, post(posted, random));
            }
            left.requests.post();
            fill(random.nextBoolean() ? ROW : 1 + random.nextInt(4));
            for (Segment segment : take(random.nextInt(output.count() + 1))) {
                assertThat(gone.add(new Segment(segment.id, segment.offset, 0)))
                        .as("%s left once, %s", segment, hint)
                        .isTrue();
            }
            assertThat(completed())
                    .as(hint)
                    .isEqualTo(LongStream.rangeClosed(1, left.sent.size()).toArray());
            complete = left.sent.size();
            assertCompleteHaveLeft(complete, lengths, gone, hint);
        }
        assertThat(left.sender.hasWork()).as(hint).isFalse();
        assertThat(right.written).as(hint).allMatch(Written::complete);
    }

    private int post(int id, Random random) {
        SoftAddressHandle destination = random.nextInt(6) == 0 ? elsewhere : to;
        int length = random.nextInt(3) == 0 ? SEGMENT * random.nextInt(4) : random.nextInt(600);
        if (random.nextInt(6) == 0) {
            left.requests.send(id, destination).from(from, 0, length);
            right.post(id, 600);
        } else {
            write(id, destination, from, length);
        }
        return length;
    }

    private static void assertCompleteHaveLeft(
            int complete, Map<Integer, Integer> lengths, Set<Segment> gone, String hint) {
        for (int id = 1; id <= complete; id++) {
            int length = lengths.get(id);
            int offset = 0;
            do {
                assertThat(gone).as(hint).contains(new Segment(id, offset, 0));
                offset += SEGMENT;
            } while (offset < length);
        }
    }
}
