package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.verbs.DatagramRefusal;
import io.stag.wire.datagram.DatagramPrefix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A sender with a flow window waits for its receivers, but not for ever. */
@Conforms("DG-035")
class FlowTest {
    private static final int WINDOW = 16;
    private static final int SEGMENT = 128;

    private final EngineFixture left = new EngineFixture(EngineFixture.settings(16, 4, 1 << 16, 64, WINDOW));
    private final EngineFixture right = new EngineFixture();
    private final DatagramOutput output = new DatagramOutput();
    private final DatagramOutput back = new DatagramOutput();
    private final SoftAddressHandle to =
            new SoftAddressHandle(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 4791));
    private final SoftMemoryRegion from = left.region(100 * SEGMENT);
    private final SoftMemoryRegion target = right.region(100 * SEGMENT);

    private int fill() {
        output.clear(1);
        left.sender.fill(output, left.now);
        return output.count();
    }

    private void deliver(EngineFixture receiver, DatagramOutput what, int entry, long host, int port) {
        receiver.input.clear();
        MemorySegment.copy(what.segment(), what.offset(entry), receiver.input.segment(), 0, what.length(entry));
        receiver.input.add(what.length(entry), what.length(entry), 0, DatagramAddress.ipv4Low((int) host), port, 0);
        receiver.receiver.handle(receiver.input, receiver.clock);
    }

    private void deliverToTheRight(int first, int end) {
        for (int i = first; i < end; i++) {
            deliver(right, output, i, 0x0A00_0001, 1000);
        }
    }

    private int deliverReports() {
        back.clear(1);
        right.receiver.fillReports(back);
        for (int i = 0; i < back.count(); i++) {
            deliver(left, back, i, 0x0A00_0002, 4791);
        }
        return back.count();
    }

    private void post(SoftAddressHandle destination, int segments) {
        left.requests
                .writeRecord(1, destination, target.stag(), 0)
                .from(from, 0, (long) segments * SEGMENT)
                .post();
    }

    @Test
    void aDatagramThatIsNotMadeTakesNoNumber() {
        SoftMemoryRegion closed = left.region(SEGMENT);
        left.requests.writeRecord(1, to, target.stag(), 0).from(from, 0, SEGMENT);
        left.requests
                .writeRecord(2, to, target.stag(), 0)
                .from(from, 0, SEGMENT)
                .from(closed, 0, SEGMENT);
        left.requests
                .writeRecord(3, to, target.stag(), 0)
                .from(from, 0, SEGMENT)
                .post();
        output.clear(1);
        left.sender.fill(output, left.now);
        left.sender.transmitted(output, 1); // the second has begun
        closed.close();
        assertThat(fill()).isEqualTo(2);
        DatagramPrefix prefix = new DatagramPrefix();
        for (int i = 0; i < 2; i++) {
            prefix.read(output.segment(), output.offset(i), output.length(i));
            assertThat(prefix.flow()).isEqualTo(1 + i);
        }
        left.sender.transmitted(output, 2);
        assertThat(left.sent).hasSize(3);
    }

    @Test
    void aSenderGoesOnWhenReportsCome() {
        post(to, 40);
        int sent = 0;
        int rounds = 0;
        while (left.sender.hasWork()) {
            int count = fill();
            assertThat(count).isBetween(1, WINDOW);
            left.sender.transmitted(output, count);
            deliverToTheRight(0, count);
            sent += count;
            rounds++;
            deliverReports();
        }
        assertThat(sent).isEqualTo(40);
        assertThat(rounds).isGreaterThan(2);
        assertThat(right.written).singleElement().matches(EngineFixture.Written::complete);
    }

    @Test
    void itWaitsForAReportOrUntilItsDatagramsCountAsGone() {
        post(to, 40);
        left.sender.transmitted(output, fill());
        assertThat(left.sender.isHeldBack()).isTrue();
        assertThat(fill()).isZero();
        left.sender.transmitted(output, 0);
        assertThat(left.sender.nextDeadline()).isEqualTo(left.now + 10 * EngineFixture.MILLISECOND);
        left.now += 10 * EngineFixture.MILLISECOND;
        assertThat(fill()).isEqualTo(WINDOW);
        assertThat(left.sender.isHeldBack()).isTrue();
    }

    @Test
    void whatThePortDidNotTakeIsNotOnItsWay() {
        post(to, 40);
        assertThat(fill()).isEqualTo(WINDOW);
        left.sender.transmitted(output, 5);
        assertThat(fill()).isEqualTo(WINDOW - 5);
        left.sender.transmitted(output, 0);
        assertThat(fill()).isEqualTo(WINDOW - 5);
    }

    @Test
    void aReportTellsOfItsOwnReceiverOnly() {
        SoftAddressHandle dead = new SoftAddressHandle(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.9"), 9));
        post(dead, 4);
        post(to, 40);
        assertThat(fill()).isEqualTo(WINDOW);
        left.sender.transmitted(output, WINDOW);
        deliverToTheRight(4, WINDOW);
        assertThat(deliverReports()).isEqualTo(1);
        assertThat(fill()).as("four are still on their way to nowhere").isEqualTo(WINDOW - 4);
    }

    @Test
    void aLossDoesNotNarrowTheWindow() {
        post(to, 40);
        assertThat(fill()).isEqualTo(WINDOW);
        left.sender.transmitted(output, WINDOW);
        deliverToTheRight(0, 1); // the source must be known
        deliverToTheRight(4, WINDOW);
        deliverReports();
        assertThat(fill()).isEqualTo(WINDOW);
    }

    @Test
    void multicastsAreNotHeldBackAndAskForNoReport() {
        SoftAddressHandle group =
                new SoftAddressHandle(new InetSocketAddress(InetAddress.ofLiteral("239.1.2.3"), 4791));
        post(group, 40);
        assertThat(fill()).isEqualTo(40);
        left.sender.transmitted(output, 40);
        deliverToTheRight(0, 40);
        assertThat(deliverReports()).isZero();
    }

    @Test
    void broadcastsAreNotHeldBackAndAskForNoReport() {
        post(new SoftAddressHandle(new InetSocketAddress(InetAddress.ofLiteral("255.255.255.255"), 4791)), 40);
        assertThat(fill()).isEqualTo(40);
        left.sender.transmitted(output, 40);
        deliverToTheRight(0, 40);
        assertThat(deliverReports()).isZero();
    }

    @Test
    void aReportTellsTheNewestNumberAlsoIfAnOlderOneCameLast() {
        post(to, 40);
        assertThat(fill()).isEqualTo(WINDOW);
        left.sender.transmitted(output, WINDOW);
        deliverToTheRight(0, 1); // the source must be known
        deliverToTheRight(2, 9);
        deliverToTheRight(1, 2);
        assertThat(deliverReports()).isEqualTo(1);
        assertThat(fill()).as("all up to the ninth are released").isEqualTo(9);
    }

    @Test
    void aReportTellsTheNewestNumberHoweverManyWentElsewhereMeanwhile() {
        Source source = new Source();
        FlowReports reports = new FlowReports(right.settings);
        DatagramPrefix prefix = new DatagramPrefix();
        int number = 0;
        for (int jump : new int[] {1, 10_000, 20_000, 30_000, 32_768, 40_000, 65_535}) {
            number += jump;
            for (int i = 0; i < 8; i++) {
                reports.note(source, (number + (i ^ 1)) & 0xFFFF);
            }
            back.clear(1);
            reports.fill(back);
            prefix.read(back.segment(), back.offset(0), back.length(0));
            assertThat(prefix.offset()).isEqualTo((number + 7) & 0xFFFF);
        }
    }

    @Test
    void aReportForAnotherEpochIsIgnored() {
        post(to, 40);
        left.sender.transmitted(output, fill());
        deliverToTheRight(0, WINDOW);
        back.clear(1);
        right.receiver.fillReports(back);
        byte[] report = back.segment().asSlice(0, back.length(0)).toArray(ValueLayout.JAVA_BYTE);
        report[8] ^= 1;
        left.arrive(RawDatagram.withCrc(report));
        assertThat(fill()).isZero();
        left.arrive(RawDatagram.withCrc(Arrays.copyOf(report, 30)));
        assertThat(left.refused(DatagramRefusal.LAYOUT)).isEqualTo(1);
    }
}
