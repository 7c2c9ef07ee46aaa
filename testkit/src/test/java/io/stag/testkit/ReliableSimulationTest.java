package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.DatagramFaults;
import io.stag.simnet.Seeds;
import io.stag.simnet.StreamFaults;
import io.stag.testkit.ReliableRequest.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole RNICs talk to each other through reliable datagram queue pairs over a network that loses, repeats, delays, reorders,
 * damages and cuts datagrams, while all of them or one pause now and then, are made anew at the same address, or exchange
 * their addresses.
 */
class ReliableSimulationTest {
    private static final int ACTIONS = 60;
    private static final int PORT = 5_000;

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"RD-001", "RD-002", "RD-010", "RD-021", "RD-023", "RD-031", "RD-032", "RD-035"})
    void everythingTakesEffectOnceAndInOrder(long seed) {
        new Run(seed, false).run();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"RD-003", "RD-011", "RD-012", "RD-013", "RD-014"})
    void nobodyIsTakenForItsFormerSelf(long seed) {
        new Run(seed, true).run();
    }

    private static final class Run {
        private final SplittableRandom random;
        private final boolean restarts;
        private final DatagramFaults faults;
        private final String hint;
        private final SimulatedRnics simulation;
        private final List<ReliableHost> hosts = new ArrayList<>();
        private final List<ReliableRequest> all = new ArrayList<>();

        Run(long seed, boolean restarts) {
            this.restarts = restarts;
            random = new SplittableRandom(seed);
            faults = random.nextInt(8) == 0 ? DatagramFaults.none() : faults(random);
            hint = faults + ", " + Seeds.replay(seed);
            int count = 2 + random.nextInt(3);
            simulation = SimulatedRnics.open(seed, StreamFaults.none(), count);
            simulation.network().datagramFaults(faults);
            for (int i = 0; i < count; i++) {
                addHost(i, PORT);
            }
            if (restarts) {
                addHost(0, PORT + 1);
            }
        }

        private void addHost(int rnic, int port) {
            hosts.add(new ReliableHost(hosts.size(), rnic, port, simulation, random, settings -> settings, hint));
        }

        /** Everything that {@link DatagramFaults#random} does but for a path that is too narrow for ever. */
        private static DatagramFaults faults(SplittableRandom random) {
            long delay = random.nextLong(2_000_000);
            DatagramFaults.Builder mix = DatagramFaults.builder().delay(delay, delay + random.nextLong(1_000_000));
            if (random.nextInt(4) != 0) {
                mix.loss((random.nextInt(4) == 0 ? 0.2 : 0.06) * random.nextDouble());
            }
            if (random.nextInt(2) == 0) {
                mix.duplication(0.3 * random.nextDouble());
            }
            if (random.nextInt(2) == 0) {
                mix.reordering(0.5 * random.nextDouble(), (1 + random.nextLong(10)) * 1_000_000);
            }
            if (random.nextInt(3) == 0) {
                mix.corruption(0.05 * random.nextDouble());
            }
            if (random.nextInt(4) == 0) {
                mix.truncation(0.05 * random.nextDouble());
            }
            return mix.build();
        }

        void run() {
            try (simulation) {
                for (int i = 0; i < ACTIONS; i++) {
                    act();
                    pass();
                    look(hosts.get(random.nextInt(hosts.size())));
                }
                simulation.runUntil("everything is complete, " + hint, this::isAtRest);
                // longer than an answer is repeated, and than anybody remembers half a message of a former life
                simulation.run(Duration.ofSeconds(restarts ? 200 : 20));
                hosts.forEach(host -> host.node.poll(all));
                check();
            }
        }

        private void act() {
            ReliableHost from = hosts.get(random.nextInt(hosts.size()));
            ReliableHost to = hosts.get(random.nextInt(hosts.size()));
            if (restarts && random.nextInt(20) == 0) {
                look(from);
                from.restart(all);
            }
            if (restarts && random.nextInt(40) == 0) {
                hosts.getFirst().exchangeAddresses(hosts.getLast(), all); // they are neighbours
            }
            if (from.node.isReady()) {
                int burst = random.nextInt(4) == 0 ? 10 : 1;
                for (int i = 0; i < burst && from.node.isReady(); i++) {
                    from.act(to, all);
                }
            }
        }

        private void pass() {
            switch (random.nextInt(24)) {
                case 0, 1, 2, 3, 4 -> simulation.run(Duration.ofNanos(random.nextLong(20_000_000)));
                case 5 -> // nobody looks
                    simulation.network().advanceTo(simulation.nanoTime() + random.nextLong(100_000_000));
                case 6 -> { // the network is gone for a while
                    simulation
                            .network()
                            .datagramFaults(DatagramFaults.builder().loss(1).build());
                    simulation.run(Duration.ofNanos(random.nextLong(300_000_000)));
                    simulation.network().datagramFaults(faults);
                }
                case 7 -> { // one of them does not look
                    int halted = random.nextInt(simulation.count());
                    simulation.halt(halted, true);
                    simulation.run(Duration.ofNanos(random.nextLong(restarts ? 15_000_000_000L : 1_000_000_000)));
                    simulation.halt(halted, false);
                }
                case 8 -> {
                    if (random.nextInt(4) == 0) {
                        simulation.run(Duration.ofSeconds(random.nextInt(100))); // streams end, peers are forgotten
                    }
                }
                default -> simulation.run(Duration.ofNanos(1_000));
            }
        }

        private void look(ReliableHost host) {
            host.node.poll(all);
            if (random.nextInt(3) != 0) {
                host.node.postReceives();
            }
            if (!host.node.isReady() && random.nextInt(3) == 0) {
                host.node.dealWithErrors();
            }
        }

        private boolean isAtRest() {
            boolean rest = true;
            for (ReliableHost host : hosts) {
                host.node.poll(all);
                host.node.postReceives();
                rest &= host.node.outstanding() == 0;
            }
            return rest;
        }

        private void check() {
            for (ReliableRequest request : all) {
                boolean done = request.fate == Fate.DONE;
                if (request.kind.isTold()) {
                    assertThat(request.deliveries)
                            .as("%s, %s", request, hint)
                            .isBetween(done ? 1 : 0, mayHaveTaken(request));
                }
                if (!restarts) {
                    assertThat(request.fate).as("%s, %s", request, hint).isEqualTo(Fate.DONE);
                }
            }
            hosts.forEach(host -> host.checkAtRest(all));
            hosts.forEach(host -> host.node.checkAtRest());
        }

        /** Each life takes a message once at most; several do if its sender did not know yet which one it talks to. */
        private int mayHaveTaken(ReliableRequest request) {
            return (int) hosts.stream()
                    .flatMap(host -> host.lives().stream())
                    .filter(life -> life.mayHaveTaken(request))
                    .count();
        }
    }
}
