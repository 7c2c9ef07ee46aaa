package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.reliable.ReliableWorld.Faults;
import io.stag.simnet.Conforms;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** How round trips are measured and what follows from them (RD-030). */
class RoundTripTest {
    private static final long MILLISECOND = 1_000_000;
    private static final long ROUND_TRIP = 10 * MILLISECOND;

    private final ReliableWorld world = new ReliableWorld(1);
    private final ReliableNode left = world.add(1);
    private final ReliableNode right = world.add(2);

    private void send(ReliableNode from, ReliableNode to) {
        to.post(1, 0);
        from.requests.to(to.handle()).immediate(1, 1).post();
    }

    private void wayTakes(long nanos) {
        world.faults = new Faults(0, 0, 0, nanos, nanos);
    }

    @Test
    @Conforms("RD-030")
    void samplesAreSmoothedAndTheLeastIsKept() {
        RoundTrip times = new RoundTrip();
        assertThat(times.timeout()).as("nothing is known").isEqualTo(100 * MILLISECOND);
        times.sample(80 * MILLISECOND);
        assertThat(times.smoothed()).isEqualTo(80 * MILLISECOND);
        assertThat(times.timeout()).as("SRTT + 4 * SRTT / 2").isEqualTo(240 * MILLISECOND);
        times.sample(160 * MILLISECOND);
        assertThat(times.smoothed()).as("7/8 SRTT + 1/8 R").isEqualTo(90 * MILLISECOND);
        assertThat(times.timeout()).as("RTTVAR is 3/4 of 40 + 1/4 of 80").isEqualTo((90 + 4 * 50) * MILLISECOND);
        assertThat(times.least()).isEqualTo(80 * MILLISECOND);
        assertThat(times.latest()).isEqualTo(160 * MILLISECOND);
        times.sample(10 * MILLISECOND);
        assertThat(times.least()).isEqualTo(10 * MILLISECOND);
    }

    @Test
    @Conforms("RD-032")
    void theTimeOutHasBoundsAndDoubles() {
        RoundTrip times = new RoundTrip();
        times.sample(10_000);
        assertThat(times.timeout()).isEqualTo(5 * MILLISECOND);
        assertThat(times.timeout(1)).isEqualTo(10 * MILLISECOND);
        assertThat(times.timeout(3)).isEqualTo(40 * MILLISECOND);
        assertThat(times.timeout(100)).isEqualTo(1_000 * MILLISECOND);
        times.sample(100_000 * MILLISECOND);
        assertThat(times.timeout()).isEqualTo(1_000 * MILLISECOND);
    }

    @Test
    @Conforms("RD-030")
    void theEchoOfARepeatedDatagramMeasuresTheRepetition() {
        wayTakes(ROUND_TRIP / 2);
        boolean[] first = {true};
        world.lost = _ -> {
            boolean lost = first[0];
            first[0] = false;
            return lost;
        };
        send(left, right);
        world.runUntil(() -> !left.sent.isEmpty(), 1_000 * MILLISECOND);
        assertThat(left.counts.retransmissions).isEqualTo(1);
        assertThat(left.engine.roundTripNanos()).isEqualTo(ROUND_TRIP);
    }

    @Test
    @Conforms("RD-030")
    void theEchoOfADatagramThatWasRepeatedInVainMeasuresTheFirst() {
        long slow = 100 * MILLISECOND;
        wayTakes(slow);
        int[] data = {0};
        world.lost = datagram -> datagram.from() == left.port && data[0]++ > 0; // the repetition
        send(left, right);
        world.runUntil(() -> !left.sent.isEmpty(), 1_000 * MILLISECOND);
        assertThat(left.counts.retransmissions).isPositive();
        assertThat(left.engine.roundTripNanos()).isEqualTo(2 * slow);
    }

    @Test
    @Conforms("RD-030")
    void anEchoThatComesAgainMeasuresNothing() {
        wayTakes(ROUND_TRIP / 2);
        send(left, right);
        world.run(60 * MILLISECOND);
        for (int i = 0; i < 5; i++) { // each repeats the echo of what left has sent
            send(right, left);
            world.run(60 * MILLISECOND);
        }
        send(left, right);
        world.run(60 * MILLISECOND);
        assertThat(left.sent).hasSize(2);
        assertThat(left.engine.roundTripNanos()).isBetween(ROUND_TRIP, ROUND_TRIP + MILLISECOND);
        assertThat(right.engine.roundTripNanos()).isBetween(ROUND_TRIP, ROUND_TRIP + MILLISECOND);
    }

    @Test
    @Conforms("RD-030")
    void anEchoThatComesLateWithDataMeasuresNothing() {
        wayTakes(ROUND_TRIP / 2);
        send(right, left);
        world.run(60 * MILLISECOND);
        send(left, right);
        world.run(60 * MILLISECOND);
        world.lost = datagram -> datagram.from() == right.port; // what acknowledges the second one
        send(left, right);
        world.run(ROUND_TRIP);
        world.lost = datagram -> datagram.from() == left.port; // and what would bring another echo
        world.run(60 * MILLISECOND);
        world.lost = _ -> false;
        send(right, left);
        world.run(ROUND_TRIP);
        assertThat(left.sent).hasSize(2);
        send(left, right);
        world.run(60 * MILLISECOND);
        assertThat(left.engine.roundTripNanos()).isBetween(ROUND_TRIP, ROUND_TRIP + MILLISECOND);
    }

    @Test
    @Conforms("RD-030")
    void anAnswerThatWaitedLongerThanItCanSayMeasuresNothing() {
        world.recording = true;
        world.lost = _ -> true;
        send(left, right);
        world.run(0);
        right.engine.fill(right.output, world.now);
        right.arrive(world.sent.getFirst().octets(), left.port, world.now);
        assertThat(right.engine.acknowledge()).isTrue();
        long later = world.now + 300 * MILLISECOND;
        right.output.clear(1);
        right.engine.fill(right.output, later);
        byte[] answer = right.output
                .segment()
                .asSlice(right.output.offset(0), right.output.length(0))
                .toArray(ValueLayout.JAVA_BYTE);
        left.arrive(answer, right.port, later);
        assertThat(left.sent).hasSize(1);
        assertThat(left.engine.roundTripNanos()).isZero();
    }
}
