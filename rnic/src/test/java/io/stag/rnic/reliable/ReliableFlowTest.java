package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.reliable.ReliableWorld.Datagram;
import io.stag.simnet.Conforms;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much is sent before an answer, and when answers are sent. */
class ReliableFlowTest {
    private static final long SECOND = 1_000_000_000L;

    private final ReliableWorld world = new ReliableWorld(1);
    private final ReliableNode left = world.add(1);
    private final ReliableNode right = world.add(2);

    /** Datagrams of {@code left} to {@code right} with one immediate each. */
    private List<Datagram> sent(int messages) {
        world.recording = true;
        world.lost = datagram -> true;
        for (int i = 0; i < messages; i++) {
            left.requests.to(right.handle()).immediate(i, i);
        }
        left.requests.post();
        world.run(1_000);
        world.recording = false;
        return List.copyOf(world.sent);
    }

    private void arrive(Datagram datagram) {
        right.arrive(datagram.octets(), left.port, world.now);
    }

    @Test
    @Conforms("RD-035")
    void tenDatagramsLeaveBeforeThePeerGaveCredit() {
        List<Datagram> datagrams = sent(30);
        assertThat(datagrams).hasSize(10);
        assertThat(datagrams.stream().map(datagram -> datagram.header().psn()))
                .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        assertThat(datagrams.getLast().header().flags() & ReliableHeader.ACK_WANTED_FLAG)
                .as("who may not go on asks for an answer")
                .isNotZero();
    }

    @Test
    @Conforms("RD-026")
    void anAcknowledgementWaitsForCompanyButNotForLong() {
        List<Datagram> datagrams = sent(3);
        right.post(1, 10);
        right.post(2, 10);
        right.engine.fill(right.output, world.now);
        arrive(datagrams.get(0));
        assertThat(right.engine.hasOutput()).isFalse();
        assertThat(right.engine.nextDeadline()).isLessThanOrEqualTo(world.now + right.settings.ackDelayNanos());
        assertThat(right.engine.acknowledge()).as("nothing else to do").isTrue();
        assertThat(answer().ackedPsn()).isEqualTo(1);
    }

    @Test
    @Conforms("RD-026")
    void gapsAndDuplicatesAreAcknowledgedAtOnce() {
        List<Datagram> datagrams = sent(3);
        right.post(1, 10);
        right.engine.fill(right.output, world.now);
        arrive(datagrams.get(1));
        ReliableHeader gap = answer();
        assertThat(gap.ackedPsn()).isZero();
        assertThat(gap.word(0)).as("PSN 2 is here, 1 is not").isEqualTo(0b10);
        arrive(datagrams.get(1));
        assertThat(answer().word(0)).isEqualTo(0b10);
    }

    @Test
    @Conforms("RD-033")
    void theWindowDoesNotGrowBeyondWhatMayBeOnItsWay() {
        SoftMemoryRegion source = left.region(1_000_000);
        SoftMemoryRegion target = right.region(1_000_000);
        left.requests.to(right.handle());
        left.requests.write(1, target.stag(), 0).from(source, 0, 1_000_000).post();
        world.runUntil(() -> !left.sent.isEmpty(), SECOND);
        assertThat(left.engine.window()).isEqualTo(left.settings.maxWindow());
        int[] datagrams = {0};
        int[] least = {left.engine.window()};
        world.lost = datagram -> datagram.from() == left.port && datagrams[0]++ % 4 == 0;
        left.requests.write(2, target.stag(), 0).from(source, 0, 100_000).post();
        world.runUntil(
                () -> {
                    least[0] = Math.min(least[0], left.engine.window());
                    return left.sent.size() == 2;
                },
                100 * SECOND);
        assertThat(least[0]).as("every fourth datagram is lost").isLessThan(left.settings.maxWindow() / 2);
    }

    /** Datagrams come; which of them are acknowledged without waiting for company. */
    private List<Integer> acknowledgedAtOnce(ReliableNode node, List<Datagram> datagrams) {
        for (int i = 0; i < datagrams.size(); i++) {
            node.post(i, 0);
        }
        node.engine.fill(node.output, world.now);
        List<Integer> atOnce = new ArrayList<>();
        for (Datagram datagram : datagrams) {
            node.arrive(datagram.octets(), left.port, world.now);
            if (node.engine.hasOutput()) {
                atOnce.add(answer(node).ackedPsn());
            }
        }
        return atOnce;
    }

    @Test
    @Conforms("RD-026")
    void eightDatagramsAndWishesAreAcknowledgedAtOnce() {
        List<Datagram> datagrams = sent(30); // ten leave, of which the last wants an answer
        assertThat(acknowledgedAtOnce(right, datagrams)).containsExactly(8, 10);
    }

    @Test
    @Conforms("RD-026")
    void aQuarterOfTheCreditIsAcknowledgedAtOnce() {
        ReliableNode narrow = new ReliableNode(right.port, ReliableNode.settings(0x1003, 12, 64));
        assertThat(acknowledgedAtOnce(narrow, sent(7))).containsExactly(3, 6);
    }

    @Test
    @Conforms("RD-032")
    void silenceLeadsToAProbeAndThenToTimeOutsThatDouble() {
        right.post(0, 0);
        left.requests.to(right.handle()).immediate(0, 0).post();
        world.run(SECOND);
        long begin = world.now;
        int last = sent(3).getLast().header().psn();
        world.sent.clear();
        world.recording = true;
        world.runUntil(() -> left.counts.timeouts == 1, SECOND);
        assertThat(world.sent).hasSize(1);
        Datagram probe = world.sent.getFirst();
        assertThat(probe.header().psn()).isEqualTo(last);
        assertThat(probe.header().flags() & ReliableHeader.ACK_WANTED_FLAG).isNotZero();
        long probed = probe.arrival() - world.faults.leastDelay();
        assertThat(probed - begin)
                .as("two round trips, and a millisecond for clocks")
                .isEqualTo(2 * left.engine.roundTripNanos() + 1_000_000);

        assertThat(world.now - probed).isEqualTo(5_000_000);
        for (long timeout = 10_000_000; timeout < SECOND; timeout *= 2) {
            long before = world.now;
            long timeouts = left.counts.timeouts;
            world.runUntil(() -> left.counts.timeouts > timeouts, 2 * SECOND);
            assertThat(world.now - before).isEqualTo(timeout);
        }
    }

    private ReliableHeader answer() {
        return answer(right);
    }

    private ReliableHeader answer(ReliableNode node) {
        assertThat(node.engine.hasOutput()).isTrue();
        node.output.clear(1);
        node.engine.fill(node.output, world.now);
        assertThat(node.output.count()).isEqualTo(1);
        ReliableHeader header = new ReliableHeader();
        header.wrap(node.output.segment(), node.output.offset(0), node.output.length(0));
        assertThat(header.kind()).isEqualTo(DatagramPrefix.ACKNOWLEDGEMENT);
        node.engine.transmitted(node.output, 1);
        return header;
    }
}
