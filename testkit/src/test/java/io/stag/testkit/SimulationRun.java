package io.stag.testkit;

import static io.stag.testkit.SimMemory.check;

import io.stag.simnet.Seeds;
import io.stag.simnet.StreamFaults;
import io.stag.verbs.RnicSnapshot;
import io.stag.verbs.cm.ConnectionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** A world of some RNICs and connections that do everything at once, drawn from a seed and checked all the time. */
final class SimulationRun implements AutoCloseable {
    private static final long STEP_LIMIT = 300_000;

    private final long seed;
    private final SplittableRandom random;
    private final SimulatedRnics simulation;
    private final SimMemory memory = new SimMemory();
    private final List<SimNode> nodes = new ArrayList<>();
    private final List<SimLink> links = new ArrayList<>();
    private final List<ConnectionRequest> undecided = new ArrayList<>();
    private final int nodeThatCloses;
    private int ticks;

    SimulationRun(long seed) {
        this.seed = seed;
        random = new SplittableRandom(seed ^ 0x5eed);
        int count = 1 + random.nextInt(3);
        simulation = SimulatedRnics.open(seed, StreamFaults.none(), count);
        simulation.stepLimit(STEP_LIMIT);
        for (int i = 0; i < count; i++) {
            nodes.add(new SimNode(simulation.rnic(i), simulation.address(i, 0), memory, random.nextInt(3) == 0));
        }
        nodeThatCloses = random.nextInt(10) == 0 ? random.nextInt(count) : -1;
        int connections = 1 + random.nextInt(4);
        for (int i = 0; i < connections; i++) {
            links.add(
                    new SimLink(i, nodes.get(random.nextInt(count)), nodes.get(random.nextInt(count)), random.split()));
        }
    }

    SimulatedRnics simulation() {
        return simulation;
    }

    void run() {
        try {
            for (SimLink link : links) {
                link.connect(simulation);
            }
            simulation.runUntil("the end of all connections", this::tick);
            simulation.settle();
            finish();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    e.getMessage() + System.lineSeparator() + Seeds.replay(seed) + System.lineSeparator() + this, e);
        }
    }

    private boolean tick() {
        ticks++;
        nodes.forEach(SimNode::poll);
        boolean forced = simulation.network().nextEventNanos() == Long.MAX_VALUE;
        decide(forced);
        if (nodeThatCloses >= 0 && ticks == 300) {
            closeNode(nodes.get(nodeThatCloses));
        }
        boolean over = true;
        for (SimLink link : links) {
            link.tick(simulation, forced);
            over &= link.isOverForGood();
        }
        return over;
    }

    private void decide(boolean forced) {
        for (SimNode node : nodes) {
            Optional<ConnectionRequest> request = node.closed ? Optional.empty() : node.listener.poll();
            request.ifPresent(undecided::add);
        }
        // some programs take their time
        undecided.removeIf(request -> {
            if (!forced && random.nextInt(3) == 0) {
                return false;
            }
            links.stream().filter(link -> link.asked(request)).findFirst().ifPresent(link -> link.decide(request));
            return true;
        });
    }

    private void closeNode(SimNode node) {
        for (SimLink link : links) {
            for (SimEnd end : List.of(link.client, link.server)) {
                if (end.node == node) {
                    link.client.mayFail = true;
                    link.server.mayFail = true;
                }
            }
        }
        node.close();
        for (SimLink link : links) {
            for (SimEnd end : List.of(link.client, link.server)) {
                if (end.node == node) {
                    end.nodeClosed();
                }
            }
        }
    }

    private void finish() {
        nodes.forEach(SimNode::poll);
        links.forEach(SimLink::flush);
        nodes.forEach(SimNode::poll);
        links.forEach(SimLink::checkAtEnd);
        nodes.forEach(SimNode::checkCounters);
        memory.checkGuards();
        for (SimLink link : links) {
            for (SimEnd end : List.of(link.client, link.server)) {
                if (!end.node.closed) {
                    end.release();
                }
            }
        }
        nodes.stream().filter(node -> !node.closed).forEach(node -> node.listener.close());
        simulation.settle();
        for (SimNode node : nodes) {
            RnicSnapshot snapshot = node.rnic.snapshot();
            check(snapshot.connectionsOpen() == 0, "connections left open: " + snapshot);
            check(snapshot.connectionsHalfOpen() == 0, "connections left in set-up: " + snapshot);
            check(snapshot.queuePairs().isEmpty(), "queue pairs left: " + snapshot);
            check(snapshot.completionQueueOverflows() == 0, "completions were lost: " + snapshot);
        }
        check(simulation.stagingBuffersInUse() == 0, simulation.stagingBuffersInUse() + " staging buffers leaked");
        check(!simulation.hasDeadlines(), "a timer is left");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("tick " + ticks + System.lineSeparator());
        for (SimLink link : links) {
            text.append(link).append(System.lineSeparator());
        }
        return text.append(simulation.dump()).toString();
    }

    @Override
    public void close() {
        simulation.close();
        memory.checkGuards();
        memory.close();
    }
}
