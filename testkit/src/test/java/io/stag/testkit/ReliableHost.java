package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.testkit.ReliableRequest.Fate;
import io.stag.testkit.ReliableRequest.Kind;
import io.stag.verbs.Access;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.ProtectionDomain;
import io.stag.verbs.ReliableQueuePairConfig;
import io.stag.verbs.Rnic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * A program of a simulated run whose queue pair is closed and made anew now and then, and its memory, which outlives them.
 * Targets of Writes are used once, so memory itself tells what was placed.
 */
final class ReliableHost {
    static final Set<Access> ALL = EnumSet.of(
            Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
    static final int TARGET = 1 << 20;
    static final int READABLE = 1 << 16;

    private static final int LOCAL = 1 << 22;
    private static final int COUNTERS = 1 << 14;
    private static final int GUARD = 128;
    private static final long DATAGRAM_LIFE_NANOS = 20_000_000; // longer than any delay of the network
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    final int index;
    final SimulatedRnics simulation;
    final Rnic rnic;
    final ProtectionDomain domain;
    final MemoryRegion target;
    final MemoryRegion readable;
    final MemoryRegion counters;

    private final MemoryRegion local;
    private final MemorySegment targetWithGuards;
    private final MemorySegment untouched = MemorySegment.ofArray(new byte[TARGET + 2 * GUARD]);
    private final Map<Integer, Long> places = new HashMap<>(); // of requests in local
    private final Map<ReliableNode, Long> counterOf = new HashMap<>();
    private final UnaryOperator<ReliableQueuePairConfig.Builder> settings;
    private final SplittableRandom random;
    private final String hint;
    private long nextTarget = 7;
    private long nextLocal;
    private long nextCounter;
    private final List<ReliableNode> lives = new ArrayList<>();
    private InetSocketAddress address;
    ReliableNode node;

    ReliableHost(
            int index,
            int machine,
            int port,
            SimulatedRnics simulation,
            SplittableRandom random,
            UnaryOperator<ReliableQueuePairConfig.Builder> settings,
            String hint) {
        this.index = index;
        this.random = random;
        this.settings = settings;
        this.hint = hint;
        this.simulation = simulation;
        rnic = simulation.rnic(machine);
        address = simulation.address(machine, port);
        domain = rnic.allocateProtectionDomain();
        targetWithGuards = Arena.ofAuto().allocate(TARGET + 2L * GUARD, 64);
        target = domain.register(targetWithGuards.asSlice(GUARD, TARGET), ALL);
        readable = domain.allocate(READABLE, ALL);
        for (int i = 0; i < READABLE; i++) {
            readable.segment().set(ValueLayout.JAVA_BYTE, i, readableOctet(i));
        }
        counters = domain.allocate(COUNTERS, ALL);
        local = domain.allocate(LOCAL, ALL);
        node = newLife();
    }

    private ReliableNode newLife() {
        ReliableNode born = new ReliableNode(this, lives.size() + 1, address, random, settings, hint);
        lives.add(born);
        return born;
    }

    /** All that there have been. */
    List<ReliableNode> lives() {
        return lives;
    }

    /** Closes the queue pair and makes another one at the same address. */
    void restart(List<ReliableRequest> all) {
        node.close(all);
        node = newLife();
    }

    /** Closes both queue pairs and makes others, each at the address of the other host. */
    void exchangeAddresses(ReliableHost other, List<ReliableRequest> all) {
        node.close(all);
        other.node.close(all);
        InetSocketAddress former = address;
        address = other.address;
        other.address = former;
        node = newLife();
        other.node = other.newLife();
    }

    /** Posts a request of any kind to another host, if there is room. */
    void act(ReliableHost peer, List<ReliableRequest> all) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        int most = random.nextInt(4) == 0 ? 30_000 : 2_000;
        int length = switch (kind) {
            case SEND -> ReliableNode.HEADER + random.nextInt(ReliableNode.LONGEST_SEND - ReliableNode.HEADER);
            case IMMEDIATE -> 0;
            case WRITE, WRITE_IMMEDIATE, READ -> random.nextInt(most);
            case FETCH_ADD -> 8;
        };
        long offset = switch (kind) {
            case SEND, IMMEDIATE -> 0;
            case WRITE, WRITE_IMMEDIATE -> peer.reserveTarget(length, random.nextInt(300));
            case READ -> random.nextInt(READABLE - length);
            case FETCH_ADD -> peer.counterOf(node);
        };
        if (offset < 0 || nextLocal + length > LOCAL) {
            return;
        }
        ReliableRequest request =
                new ReliableRequest(all.size(), kind, node, peer.node, offset, length, random.nextInt(4) != 0);
        long at = nextLocal;
        nextLocal += length;
        places.put(request.number, at);
        MemorySegment memory = local(request);
        if (kind == Kind.SEND) {
            memory.set(WORD, 0, request.number);
        }
        if (kind != Kind.READ && kind != Kind.FETCH_ADD) {
            for (int i = kind == Kind.SEND ? ReliableNode.HEADER : 0; i < length; i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, request.octet(i));
            }
        }
        all.add(request);
        node.post(request, local, at);
    }

    MemorySegment local(ReliableRequest request) {
        return local.segment().asSlice(places.get(request.number), request.length);
    }

    /** Its memory here may change: the peer needs it no more. */
    void free(ReliableRequest request) {
        local(request).fill((byte) 0xEE);
    }

    private long reserveTarget(int length, int gap) {
        long at = nextTarget;
        nextTarget += length + gap;
        return nextTarget <= TARGET ? at : -1;
    }

    private long counterOf(ReliableNode sender) {
        return counterOf.computeIfAbsent(sender, _ -> {
            nextCounter += 8;
            return nextCounter - 8;
        });
    }

    private static byte readableOctet(long at) {
        return (byte) (at * 131 + at / 251);
    }

    void checkWritten(ReliableRequest request, String why) {
        for (int i = 0; i < request.length; i++) {
            if (target.segment().get(ValueLayout.JAVA_BYTE, request.offset + i) != request.octet(i)) {
                throw new AssertionError("octet " + i + " of " + request + " is not there; " + why);
            }
        }
    }

    void clear(ReliableRequest request) {
        target.segment().asSlice(request.offset, request.length).fill((byte) 0);
    }

    void checkRead(ReliableRequest request, MemorySegment got, String why) {
        for (int i = 0; i < request.length; i++) {
            if (got.get(ValueLayout.JAVA_BYTE, i) != readableOctet(request.offset + i)) {
                throw new AssertionError("octet " + i + " of " + request + " is wrong; " + why);
            }
        }
    }

    /** At the end: Writes that are done were not done again, nothing else was written, and nothing was added twice. */
    void checkAtRest(List<ReliableRequest> all) {
        for (ReliableRequest request : all) {
            boolean write = request.kind == Kind.WRITE || request.kind == Kind.WRITE_IMMEDIATE;
            if (request.to.host == this && write) {
                if (request.fate != Fate.DONE || isRepeatedByAnotherLife(request)) {
                    clearOctetsOf(request);
                }
            }
        }
        if (targetWithGuards.mismatch(untouched) >= 0) {
            throw new AssertionError("octet " + (targetWithGuards.mismatch(untouched) - GUARD) + " of " + this
                    + " was written by nobody, or again; " + hint);
        }
        counterOf.forEach((sender, offset) -> checkCounter(sender, offset, all));
    }

    /** Datagrams that were sent before anybody answered, and are still on their way, also reach who comes next. */
    private boolean isRepeatedByAnotherLife(ReliableRequest request) {
        return lives.stream()
                .anyMatch(life -> life.mayHaveTaken(request)
                        && life != request.to
                        && life.beganNanos < request.doneNanos + DATAGRAM_LIFE_NANOS);
    }

    private void clearOctetsOf(ReliableRequest request) {
        for (int i = 0; i < request.length; i++) {
            if (target.segment().get(ValueLayout.JAVA_BYTE, request.offset + i) == request.octet(i)) {
                target.segment().set(ValueLayout.JAVA_BYTE, request.offset + i, (byte) 0);
            }
        }
    }

    private void checkCounter(ReliableNode sender, long offset, List<ReliableRequest> all) {
        List<ReliableRequest> adds = all.stream()
                .filter(r -> r.kind == Kind.FETCH_ADD && r.from == sender && r.to.host == this)
                .toList();
        long done = adds.stream().filter(r -> r.fate == Fate.DONE).count();
        long value = counters.segment().get(WORD, offset);
        assertThat(value).as("adds of %s at %s, %s", sender, this, hint).isGreaterThanOrEqualTo(done);
        if (lives.size() == 1) {
            assertThat(value).as("adds of %s at %s, %s", sender, this, hint).isLessThanOrEqualTo(adds.size());
        }
    }

    @Override
    public String toString() {
        return String.valueOf(index);
    }
}
