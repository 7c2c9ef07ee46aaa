package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.DatagramFaults;
import io.stag.simnet.Seeds;
import io.stag.simnet.StreamFaults;
import io.stag.testkit.DatagramNode.Message;
import io.stag.verbs.DatagramRefusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole RNICs send to each other over a network that loses, repeats, delays, reorders, damages and cuts datagrams. */
class DatagramSimulationTest {
    private static final int MESSAGES = 80;

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"DG-012", "DG-013", "DG-016", "DG-017", "DG-024", "DG-025", "DG-028", "DG-029", "DG-038"})
    void whatArrivesIsRightAndWhatIsRecordedIsThere(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        DatagramFaults faults = random.nextInt(8) == 0 ? DatagramFaults.none() : DatagramFaults.random(random);
        String hint = faults + ", " + Seeds.replay(seed);
        int count = 2 + random.nextInt(3);
        try (SimulatedRnics simulation = SimulatedRnics.open(seed, StreamFaults.none(), count)) {
            simulation.network().datagramFaults(faults);
            List<DatagramNode> nodes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int datagramLength = 200 + random.nextInt(1_300);
                nodes.add(new DatagramNode(i, simulation.rnic(i), simulation, datagramLength, hint));
            }
            List<Message> all = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                act(random, nodes, all);
                simulation.run(Duration.ofNanos(random.nextInt(4) == 0 ? random.nextLong(20_000_000) : 1_000));
                nodes.get(random.nextInt(count)).poll(all, nodes);
            }
            simulation.run(Duration.ofSeconds(2)); // longer than any delay and any time-out
            nodes.forEach(node -> node.poll(all, nodes));
            nodes.forEach(DatagramNode::checkAtRest);
            if (faults.equals(DatagramFaults.none())) {
                checkNothingIsLost(nodes, all, hint);
            }
        }
    }

    private static void act(SplittableRandom random, List<DatagramNode> nodes, List<Message> all) {
        int from = random.nextInt(nodes.size());
        int to = random.nextInt(nodes.size());
        DatagramNode sender = nodes.get(from);
        DatagramNode receiver = nodes.get(to);
        switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> {
                for (int row = random.nextInt(3) == 0 ? random.nextInt(12) : 0; row >= 0; row--) {
                    int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 20_000 : 3_000);
                    long offset = receiver.reserveTarget(length, random.nextInt(300));
                    if (offset >= 0) {
                        sender.add(new Message(all.size(), from, to, true, offset, length), receiver, all);
                    }
                }
                sender.post();
            }
            case 4, 5, 6 -> {
                int length = DatagramNode.HEADER + random.nextInt(DatagramNode.LONGEST_SEND - DatagramNode.HEADER);
                sender.add(new Message(all.size(), from, to, false, 0, length), receiver, all);
                sender.post();
            }
            default -> {
                int length = 1 + random.nextInt(5_000);
                boolean wrongStag = random.nextBoolean();
                sender.postForbidden(
                        receiver,
                        wrongStag ? receiver.target.stag() ^ 1 << random.nextInt(32) : receiver.target.stag(),
                        wrongStag ? 0 : DatagramNode.TARGET - length + 1 + random.nextInt(5_000),
                        length);
            }
        }
    }

    /** Without faults only what found no receive or no place may be missing. */
    private static void checkNothingIsLost(List<DatagramNode> nodes, List<Message> all, String hint) {
        long arrived =
                nodes.stream().mapToLong(node -> node.sends + node.writes).sum();
        long partial = nodes.stream().mapToLong(node -> node.partial).sum();
        long refused = nodes.stream()
                .map(node -> node.queuePair.counters())
                .mapToLong(counters -> counters.refusedInAll()
                        - counters.refused(DatagramRefusal.LATE) // which tells that a message is over, not why
                        + counters.messagesDisplaced())
                .sum();
        assertThat(all.size() - arrived + partial).as(hint).isLessThanOrEqualTo(refused);
    }
}
