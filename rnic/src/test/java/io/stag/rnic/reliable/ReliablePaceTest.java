package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.reliable.ReliableWorld.Datagram;
import io.stag.rnic.reliable.ReliableWorld.Faults;
import io.stag.simnet.Conforms;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** When datagrams leave (RD-034). */
class ReliablePaceTest {
    private static final int SEGMENT = 1_408;
    private static final int WINDOW = 1_024;
    private static final int LENGTH = 16 << 20;
    private static final int LONGEST_BURST = 65_536;
    private static final long LONG_WAY = 10_000_000;
    private static final long ROUND_TRIP = 2 * LONG_WAY;

    private final ReliableWorld world = new ReliableWorld(1);
    private final ReliableNode left = world.add(node(1));
    private final ReliableNode right = world.add(node(2));

    private static ReliableNode node(int port) {
        ReliableSettings small = ReliableNode.defaults(port);
        return new ReliableNode(
                port,
                new ReliableSettings(
                        small.domain(),
                        small.queuePair(),
                        small.epoch(),
                        small.salt(),
                        SEGMENT,
                        WINDOW,
                        WINDOW,
                        small.maxPeers(),
                        small.maxReorderOctets(),
                        small.maxReads(),
                        small.rememberNanos(),
                        small.giveUpNanos(),
                        small.ackDelayNanos(),
                        true,
                        true));
    }

    /** Writes much. @return how many datagrams left at which moment */
    private NavigableMap<Long, Integer> departures(long way) {
        world.faults = new Faults(0, 0, 0, way, way);
        world.recording = true;
        SoftMemoryRegion target = right.region(LENGTH);
        left.requests
                .to(right.handle())
                .write(1, target.stag(), 0)
                .from(left.region(LENGTH), 0, LENGTH)
                .post();
        world.runUntil(() -> !left.sent.isEmpty(), 600_000_000_000L);
        assertThat(left.sent).hasSize(1);
        assertThat(left.counts.retransmissions).isZero();
        NavigableMap<Long, Integer> departures = new TreeMap<>();
        for (Datagram datagram : world.sent) {
            if (datagram.from() == left.port) {
                departures.merge(datagram.arrival() - way, 1, Integer::sum);
            }
        }
        return departures;
    }

    @Test
    @Conforms("RD-034")
    void datagramsOfALongRoundTripLeaveInShortBurstsAtThePaceOfTheWindow() {
        NavigableMap<Long, Integer> departures = departures(LONG_WAY);
        departures.pollFirstEntry(); // nothing was known of the round trip
        double leastGap = ROUND_TRIP / (1.25 * left.engine.window()); // for each datagram; it only ever grew
        assertThat(left.engine.window()).isGreaterThan(WINDOW / 2);
        assertThat(departures).hasSizeGreaterThan(100);
        List<Map.Entry<Long, Integer>> bursts = List.copyOf(departures.entrySet());
        for (int i = 0; i + 1 < bursts.size(); i++) {
            int datagrams = bursts.get(i).getValue();
            assertThat(datagrams * SEGMENT).as("burst %d", i).isLessThanOrEqualTo(LONGEST_BURST);
            if (datagrams * SEGMENT > LONGEST_BURST - SEGMENT) {
                assertThat((double) bursts.get(i + 1).getKey() - bursts.get(i).getKey())
                        .as("behind burst %d", i)
                        .isGreaterThanOrEqualTo(datagrams * leastGap - 1);
            }
        }
    }

    @Test
    @Conforms("RD-034")
    void thePaceLeavesTheWindowToBeUsed() {
        NavigableMap<Long, Integer> departures = departures(LONG_WAY);
        long end = departures.lastKey() - ROUND_TRIP;
        int inARoundTrip = departures.subMap(end - ROUND_TRIP, end).values().stream()
                .mapToInt(Integer::intValue)
                .sum();
        assertThat(inARoundTrip).isGreaterThan(WINDOW * 9 / 10);
    }

    @Test
    @Conforms("RD-034")
    void shortRoundTripsHaveNoPace() {
        NavigableMap<Long, Integer> departures = departures(100_000);
        assertThat(departures.values()).anyMatch(datagrams -> datagrams * SEGMENT > 2 * LONGEST_BURST);
    }

    @Test
    @Conforms("RD-034")
    void aDatagramThatNothingIsAheadOfLeavesAtOnceHoweverLongRoundTripsWere() {
        SoftMemoryRegion target = right.region(64);
        SoftMemoryRegion source = left.region(64);
        world.recording = true;
        for (int i = 1; i <= 20; i++) {
            long way = i <= 4 ? LONG_WAY : 20_000;
            world.faults = new Faults(0, 0, 0, way, way);
            world.sent.clear();
            long posted = world.now;
            left.requests
                    .to(right.handle())
                    .write(i, target.stag(), 0)
                    .from(source, 0, 4)
                    .post();
            int done = i;
            world.runUntil(() -> left.sent.size() == done, 1_000_000_000L);
            assertThat(left.sent).hasSize(done);
            assertThat(world.sent.getFirst().arrival() - way)
                    .as("message %d", i)
                    .isEqualTo(posted);
        }
    }
}
