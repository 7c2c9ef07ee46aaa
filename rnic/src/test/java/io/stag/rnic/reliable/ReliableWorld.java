package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramOutput;
import io.stag.wire.datagram.ReliableHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Engines on a network in virtual time that loses, repeats, delays, reorders and damages datagrams. */
final class ReliableWorld {
    /** Small, so that payload of most datagrams is sent from its place. */
    private static final int LEAST_IN_PLACE = 100;

    private static final Comparator<Datagram> ARRIVAL =
            Comparator.comparingLong(Datagram::arrival).thenComparingLong(Datagram::number);

    /** A datagram on its way. */
    record Datagram(long arrival, long number, int from, int to, byte[] octets) {
        ReliableHeader header() {
            ReliableHeader header = new ReliableHeader();
            header.wrap(MemorySegment.ofArray(octets), 0, octets.length);
            return header;
        }
    }

    /** What a network does, in thousandths, and how long it takes. */
    record Faults(int loss, int duplication, int damage, long leastDelay, long mostDelay) {
        static final Faults NONE = new Faults(0, 0, 0, 20_000, 20_000);
    }

    final Map<Integer, ReliableNode> nodes = new HashMap<>();
    final List<Datagram> sent = new ArrayList<>();
    long now = 1_000_000_000_000L;
    Faults faults = Faults.NONE;
    Predicate<Datagram> lost = _ -> false;
    boolean recording;

    private final PriorityQueue<Datagram> onTheWay = new PriorityQueue<>(ARRIVAL);
    private final SplittableRandom random;
    private long number;

    ReliableWorld(long seed) {
        random = new SplittableRandom(seed);
    }

    ReliableNode add(ReliableNode node) {
        nodes.put(node.port, node);
        return node;
    }

    ReliableNode add(int port) {
        return add(new ReliableNode(port, 0x1000 + port));
    }

    /** Runs until nothing is left to do for so long, or for good. */
    void run(long nanos) {
        runUntil(() -> false, nanos);
    }

    /** Runs until {@code done}, for so long at most. */
    void runUntil(BooleanSupplier done, long nanos) {
        long end = now + nanos;
        while (!done.getAsBoolean()) {
            nodes.values().forEach(this::pump);
            long next = onTheWay.isEmpty() ? Long.MAX_VALUE : onTheWay.peek().arrival();
            for (ReliableNode node : nodes.values()) {
                next = Math.min(next, node.engine.nextDeadline());
            }
            if (next > end) {
                now = end;
                return;
            }
            now = Math.max(now, next);
            deliver();
            for (ReliableNode node : nodes.values()) {
                if (node.engine.nextDeadline() <= now) {
                    node.engine.handleTimeout(now);
                }
            }
        }
    }

    private void deliver() {
        while (!onTheWay.isEmpty() && onTheWay.peek().arrival() <= now) {
            Datagram datagram = onTheWay.remove();
            ReliableNode target = nodes.get(datagram.to());
            if (target != null) {
                target.arrive(datagram.octets(), datagram.from(), now);
            }
        }
    }

    private void pump(ReliableNode node) {
        DatagramOutput output = node.output;
        while (node.engine.hasOutput()) {
            output.clear(1, LEAST_IN_PLACE);
            node.engine.fill(output, now);
            if (!output.fillHoles()) {
                node.engine.transmitted(output, 0);
                continue;
            }
            for (int i = 0; i < output.count(); i++) {
                byte[] octets = output.segment()
                        .asSlice(output.offset(i), output.length(i))
                        .toArray(ValueLayout.JAVA_BYTE);
                send(node.port, output.destination(i).port(), octets);
            }
            node.engine.transmitted(output, output.count());
        }
    }

    /** A datagram enters the network. */
    void send(int from, int to, byte[] octets) {
        int copies = random.nextInt(1000) < faults.duplication() ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            long delay = faults.leastDelay() == faults.mostDelay()
                    ? faults.leastDelay()
                    : random.nextLong(faults.leastDelay(), faults.mostDelay());
            byte[] copy = octets.clone();
            if (random.nextInt(1000) < faults.damage()) {
                copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Datagram datagram = new Datagram(now + delay, number++, from, to, copy);
            if (recording) {
                sent.add(datagram);
            }
            if (random.nextInt(1000) >= faults.loss() && !lost.test(datagram)) {
                onTheWay.add(datagram);
            }
        }
    }
}
