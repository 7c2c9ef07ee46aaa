package io.stag.simnet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SimNetworkPropertyTest {
    private static final int OCTETS = 20_000;
    private static final int MOST_EVENTS = 1_000_000;

    /** Writes random octets on one side and reads on the other. */
    private static final class Transfer {
        private final SimStream from;
        private final SimStream to;
        private final byte[] sent = new byte[OCTETS];
        private final byte[] received = new byte[OCTETS + 1];
        private final SplittableRandom random;
        private int written;
        private int read;
        private boolean ended;

        Transfer(SimStream from, SimStream to, SplittableRandom random) {
            this.from = from;
            this.to = to;
            this.random = random;
            random.nextBytes(sent);
        }

        int doWork() throws IOException {
            int work = 0;
            if (written < OCTETS) {
                int length = 1 + random.nextInt(Math.min(5000, OCTETS - written));
                boolean writable = from.writable();
                int taken = from.write(MemorySegment.ofArray(sent), written, length);
                assertThat(taken > 0).isEqualTo(writable);
                written += taken;
                work += taken;
                if (written == OCTETS) {
                    from.shutdownOutput();
                }
            }
            if (!ended && to.readable()) {
                int count = to.read(MemorySegment.ofArray(received), read, received.length - read);
                assertThat(count).isNotZero();
                ended = count < 0;
                read += Math.max(0, count);
                work++;
            }
            return work;
        }

        void check(String hint) {
            assertThat(ended).as(hint).isTrue();
            assertThat(Arrays.copyOf(received, read)).as(hint).isEqualTo(sent);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void octetsArriveOnceAndInOrderWhateverTheCutsDelaysAndStalls(long seed) throws IOException {
        var random = new SplittableRandom(seed);
        StreamFaults faults = StreamFaults.randomBenign(random);
        var network = new SimNetwork(new VirtualClock(), seed, faults, DatagramFaults.none());
        StreamPair pair = StreamPair.connect(network);
        var there = new Transfer(pair.client(), pair.server(), random.split());
        var back = new Transfer(pair.server(), pair.client(), random.split());
        int events = 0;
        do {
            while (there.doWork() + back.doWork() > 0) {
                // all that can be done now
            }
        } while (network.step() && events++ < MOST_EVENTS);
        there.check(Seeds.replay(seed) + ", " + faults);
        back.check(Seeds.replay(seed) + ", " + faults);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void aRunIsAFunctionOfItsSeed(long seed) throws IOException {
        assertThat(traceOfAMixedRun(seed)).as(Seeds.replay(seed)).isEqualTo(traceOfAMixedRun(seed));
    }

    @Test
    void otherSeedsGiveOtherRunsOfTheSameFaults() throws IOException {
        StreamFaults faults = StreamFaults.randomBenign(new SplittableRandom(1));
        assertThat(instantsOfADialogue(1, faults)).isEqualTo(instantsOfADialogue(1, faults));
        assertThat(instantsOfADialogue(1, faults)).isNotEqualTo(instantsOfADialogue(2, faults));
    }

    private static List<Long> instantsOfADialogue(long seed, StreamFaults faults) throws IOException {
        var network = new SimNetwork(new VirtualClock(), seed, faults, DatagramFaults.none());
        StreamPair pair = StreamPair.connect(network);
        List<Long> instants = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            StreamPair.write(pair.client(), StreamPair.counting(100));
            network.step();
            instants.add(network.clock().nanoTime());
        }
        return instants;
    }

    /** Streams that may break and datagrams to one another and to a group, all from the seed. */
    private static List<String> traceOfAMixedRun(long seed) throws IOException {
        List<String> trace = new ArrayList<>();
        var random = new SplittableRandom(seed);
        var network =
                new SimNetwork(new VirtualClock(), seed, StreamFaults.random(random), DatagramFaults.random(random));
        network.trace((nanos, where, what) -> trace.add(nanos + " " + where + " " + what));
        StreamPair pair = StreamPair.connect(network);
        List<SimDatagramSocket> sockets = new ArrayList<>();
        var group = new InetSocketAddress(InetAddress.ofLiteral("239.1.2.3"), 5000);
        for (int host = 1; host <= 4; host++) {
            SimDatagramSocket socket = network.bind(SimNetwork.address(host, 5000));
            socket.join(group.getAddress());
            sockets.add(socket);
        }
        byte[] octets = new byte[2000];
        random.nextBytes(octets);
        MemorySegment memory = MemorySegment.ofArray(octets);
        for (int i = 0; i < 100; i++) {
            for (SimStream stream : List.of(pair.client(), pair.server())) {
                try {
                    trace.add("write " + stream.write(memory, 0, 1 + random.nextInt(2000)));
                    trace.add("read " + stream.read(memory, 0, 2000) + " " + Arrays.hashCode(octets));
                } catch (IOException e) {
                    trace.add(e.toString());
                }
            }
            for (SimDatagramSocket socket : sockets) {
                trace.add(socket.receive(memory, 0, 2000) + " " + Arrays.hashCode(octets));
                socket.send(
                        memory,
                        0,
                        random.nextInt(2000),
                        random.nextInt(2) == 0
                                ? group
                                : sockets.get(random.nextInt(4)).localAddress());
            }
            network.step();
        }
        return trace;
    }
}
