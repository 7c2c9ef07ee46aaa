package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stag.simnet.Conforms;
import org.junit.jupiter.api.Test;

/** How many datagrams may be on their way (RD-033). */
class CongestionWindowTest {
    private static final long ROUND_TRIP = 100_000_000;
    private static final double ROUND_TRIP_SECONDS = 0.1;
    private static final long SECOND = 1_000_000_000;

    private static final int MOST = 500;

    private final CongestionWindow window = new CongestionWindow(MOST);
    private final RoundTrip times = new RoundTrip();
    private int acked;
    private long now = SECOND;

    /** So many datagrams are acknowledged, one by one, while the window is all that keeps the sender. */
    private void acknowledge(int count) {
        for (int i = 0; i < count; i++) {
            window.acknowledged(1, ++acked, true, times, now);
        }
    }

    private void growTo(int datagrams) {
        times.sample(ROUND_TRIP);
        acknowledge(datagrams - window.datagrams());
        assertThat(window.datagrams()).isEqualTo(datagrams);
    }

    /** A datagram on its way is lost while {@code onTheWay} are. */
    private void lose(int which, int onTheWay, boolean queue) {
        window.lost(acked + which, acked + onTheWay + 1, queue);
    }

    /** What is on its way comes round trip by round trip, for so many seconds. */
    private void runFor(double seconds) {
        for (int i = 0; i < Math.round(seconds / ROUND_TRIP_SECONDS); i++) {
            now += ROUND_TRIP;
            acknowledge(window.datagrams());
        }
    }

    @Test
    @Conforms("RD-033")
    void itGrowsByWhatIsAcknowledgedUntilSomethingIsLost() {
        assertThat(window.datagrams()).isEqualTo(10);
        times.sample(ROUND_TRIP);
        acknowledge(10);
        assertThat(window.datagrams()).isEqualTo(20);
        acknowledge(20);
        assertThat(window.datagrams()).isEqualTo(40);
    }

    @Test
    @Conforms("RD-033")
    void itDoesNotGrowWhileItIsNotNeeded() {
        times.sample(ROUND_TRIP);
        window.acknowledged(10, 10, false, times, now);
        assertThat(window.datagrams()).isEqualTo(10);
    }

    @Test
    @Conforms("RD-033")
    void itDoesNotGrowBeyondWhatMayBeOnItsWaySoThatLossesAreFelt() {
        times.sample(ROUND_TRIP);
        acknowledge(10 * MOST);
        assertThat(window.datagrams()).isEqualTo(MOST);
        lose(1, MOST, true);
        assertThat(window.datagrams()).isEqualTo(350);
        acked += MOST;
        runFor(60);
        assertThat(window.datagrams()).isEqualTo(MOST);
    }

    @Test
    @Conforms("RD-033")
    void recoveryEndsWithItsStream() {
        acked = 100_000;
        growTo(100);
        lose(1, 100, true);
        assertThat(window.datagrams()).isEqualTo(70);
        window.streamEnded();
        acked = 0;
        runFor(ROUND_TRIP_SECONDS);
        int grown = window.datagrams();
        assertThat(grown).as("low numbers are no part of that recovery").isGreaterThan(70);
        lose(1, grown, true);
        assertThat(window.datagrams()).isEqualTo((int) (grown * 0.7));
    }

    @Test
    @Conforms("RD-033")
    void aQueueEndsTheSteepGrowth() {
        growTo(100);
        times.sample(2 * ROUND_TRIP);
        acknowledge(100);
        assertThat(window.datagrams()).isLessThan(110);
    }

    @Test
    @Conforms("RD-033")
    void aLossWithAQueueCostsThirtyPercentOncePerRoundTrip() {
        growTo(100);
        lose(1, 100, true);
        assertThat(window.datagrams()).isEqualTo(70);
        for (int psn = 2; psn <= 100; psn++) {
            lose(psn, 100, true);
        }
        assertThat(window.datagrams()).isEqualTo(70);
        lose(101, 170, true); // sent after the window had shrunk
        assertThat(window.datagrams()).isEqualTo(49);
    }

    @Test
    @Conforms("RD-033")
    void aLossWithoutQueueCostsTwoPercentOncePerRoundTrip() {
        growTo(100);
        lose(1, 100, false);
        assertThat(window.datagrams()).isEqualTo(98);
        lose(2, 100, false);
        lose(3, 100, false);
        assertThat(window.datagrams()).isEqualTo(98);
        lose(101, 200, false);
        assertThat(window.datagrams()).isEqualTo(96);
    }

    @Test
    @Conforms("RD-033")
    void moreLossThanATenthIsNoDamage() {
        growTo(100);
        for (int psn = 1; psn <= 10; psn++) {
            lose(psn, 100, false);
        }
        assertThat(window.datagrams()).isEqualTo(98);
        lose(11, 100, false);
        assertThat(window.datagrams())
                .as("as if there were a queue, from the beginning")
                .isEqualTo(70);
    }

    @Test
    @Conforms("RD-033")
    void afterALossItFollowsTheCubicFunction() {
        growTo(100);
        lose(1, 100, true);
        acked += 100;
        double plateau = Math.cbrt((100 - 70) / 0.4); // K of RFC 9438, section 4.2, in seconds
        runFor(plateau / 2);
        assertThat((double) window.datagrams()).isCloseTo(100 - 0.4 * Math.pow(plateau / 2, 3), within(2.0));
        runFor(plateau / 2);
        assertThat((double) window.datagrams()).isCloseTo(100, within(2.0));
        runFor(plateau);
        assertThat((double) window.datagrams()).isCloseTo(100 + 0.4 * Math.pow(plateau, 3), within(5.0));
    }

    @Test
    @Conforms("RD-033")
    void whileThereIsAQueueItGrowsByAFifthOfADatagramPerRoundTrip() {
        growTo(100);
        lose(1, 100, true);
        acked += 100;
        times.sample(2 * ROUND_TRIP);
        runFor(10 * ROUND_TRIP_SECONDS);
        assertThat(window.datagrams()).isEqualTo(71); // not quite 72; without a queue it would be 86
    }

    @Test
    @Conforms("RD-032")
    void silenceLeavesOneDatagramAndGrowthIsSteepUpToSeventyPercent() {
        growTo(100);
        window.timedOut();
        assertThat(window.datagrams()).isEqualTo(1);
        acknowledge(69);
        assertThat(window.datagrams()).isEqualTo(70);
        acknowledge(70);
        assertThat(window.datagrams()).isLessThan(80);
    }
}
