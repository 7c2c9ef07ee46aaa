package io.stag.simnet;

import static io.stag.simnet.StreamPair.counting;
import static io.stag.simnet.StreamPair.octets;
import static io.stag.simnet.StreamPair.read;
import static io.stag.simnet.StreamPair.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamFaultsTest {
    /** Lengths of the reads that empty the stream, as many as possible after each event. */
    private static List<Integer> readLengths(StreamPair pair) throws IOException {
        List<Integer> lengths = new ArrayList<>();
        while (pair.network().step()) {
            while (pair.server().octetsRead() < pair.client().octetsDelivered()) {
                lengths.add(read(pair.server()).length);
            }
        }
        return lengths;
    }

    private static int total(List<Integer> lengths) {
        return lengths.stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void aPerfectStreamCutsNothing() throws IOException {
        StreamPair pair = StreamPair.connect();
        write(pair.client(), counting(100));
        write(pair.client(), counting(50));
        pair.settle();
        assertThat(read(pair.server())).hasSize(150);
    }

    @Test
    void everyOctetMayArriveAlone() throws IOException {
        StreamPair pair =
                StreamPair.connect(StreamFaults.builder().cuts(1, 1, 1).build());
        write(pair.client(), counting(100));
        assertThat(readLengths(pair)).hasSize(100).containsOnly(1);
        assertThat(pair.client().injected(Fault.CUT)).isEqualTo(99);
    }

    @Test
    void noReadPassesACutEvenWhenAllHasArrived() throws IOException {
        StreamPair pair =
                StreamPair.connect(StreamFaults.builder().cuts(1, 3, 3).build());
        write(pair.client(), counting(7));
        pair.settle();
        assertThat(read(pair.server())).containsExactly(0, 1, 2);
        assertThat(pair.server().read(MemorySegment.ofArray(new byte[2]), 0, 2)).isEqualTo(2);
        assertThat(read(pair.server())).containsExactly(5);
        assertThat(read(pair.server())).containsExactly(6);
        assertThat(pair.server().readable()).isFalse();
    }

    @Test
    void cutsHaveManySizes() throws IOException {
        StreamPair pair =
                StreamPair.connect(StreamFaults.builder().cuts(1, 1, 1000).build());
        write(pair.client(), counting(60_000));
        List<Integer> lengths = readLengths(pair);
        assertThat(total(lengths)).isEqualTo(60_000);
        assertThat(lengths).contains(1).anyMatch(n -> n > 500).anyMatch(n -> n > 1 && n < 20);
        assertThat(new TreeSet<>(lengths).size()).isGreaterThan(50);
    }

    @Test
    void writesMayArriveTogether() throws IOException {
        StreamPair pair = StreamPair.connect(
                StreamFaults.builder().cuts(1, 10, 10).coalescing(1).build());
        write(pair.client(), counting(25));
        write(pair.client(), counting(25));
        assertThat(readLengths(pair)).containsExactly(50);
        assertThat(pair.client().injected(Fault.COALESCING)).isEqualTo(5);
    }

    @Test
    void writesMayTakeLessThanThereIsRoomFor() throws IOException {
        StreamPair pair =
                StreamPair.connect(StreamFaults.builder().shortWrites(1).build());
        Set<Integer> taken = new TreeSet<>();
        for (int i = 0; i < 100; i++) {
            taken.add(write(pair.client(), counting(10)));
        }
        assertThat(taken)
                .containsExactlyElementsOf(IntStream.range(1, 10).boxed().toList());
        assertThat(write(pair.client(), octets(1)))
                .as("a write never takes nothing by chance")
                .isEqualTo(1);
    }

    @Test
    void delaysAreWithinTheirBounds() throws IOException {
        StreamPair pair =
                StreamPair.connect(StreamFaults.builder().delay(1_000, 9_000).build());
        Set<Long> seen = new TreeSet<>();
        for (int i = 0; i < 200; i++) {
            long sent = pair.network().clock().nanoTime();
            write(pair.client(), octets(1));
            pair.network().step();
            seen.add(pair.network().clock().nanoTime() - sent);
            read(pair.server());
            pair.settle();
        }
        assertThat(seen).allMatch(n -> n >= 1_000 && n <= 9_000);
        assertThat(seen).anyMatch(n -> n < 2_000).anyMatch(n -> n > 8_000);
    }

    @Test
    void aStallHoldsBackEverythingBehindIt() throws IOException {
        StreamPair pair = StreamPair.connect();
        pair.client()
                .outgoingFaults(StreamFaults.builder().stalls(1, 1_000_000_000L).build());
        write(pair.client(), octets(1));
        pair.client().outgoingFaults(StreamFaults.none());
        write(pair.client(), octets(2));
        long sent = pair.network().clock().nanoTime();
        pair.network().step();
        assertThat(pair.network().clock().nanoTime() - sent).isGreaterThan(10_000);
        pair.settle();
        assertThat(read(pair.server())).containsExactly(1, 2);
        assertThat(pair.client().injected(Fault.STALL)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 99})
    void resetsBothEndsAtAnyOctet(int octet) throws IOException {
        StreamPair pair = StreamPair.connect();
        pair.client().outgoingFaults(StreamFaults.builder().resetAt(octet).build());
        write(pair.client(), counting(40));
        write(pair.client(), counting(60));
        assertThat(total(readLengths(pair))).isEqualTo(octet);
        assertThatThrownBy(() -> read(pair.server())).hasMessage("connection reset");
        assertThatThrownBy(() -> write(pair.client(), octets(1))).hasMessage("connection reset");
        assertThat(pair.network().injected(Fault.RESET)).isEqualTo(1);
    }

    @Test
    void aFaultBehindTheLastOctetDoesNotHappen() throws IOException {
        StreamPair pair = StreamPair.connect();
        pair.client().outgoingFaults(StreamFaults.builder().resetAt(100).build());
        write(pair.client(), counting(100));
        assertThat(total(readLengths(pair))).isEqualTo(100);
        assertThat(pair.client().failed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 99})
    void endsADirectionAtAnyOctet(int octet) throws IOException {
        StreamPair pair = StreamPair.connect();
        pair.client().outgoingFaults(StreamFaults.builder().halfCloseAt(octet).build());
        assertThat(write(pair.client(), counting(100))).isEqualTo(100);
        assertThat(total(readLengths(pair))).isEqualTo(octet);
        assertThat(pair.server().read(MemorySegment.ofArray(new byte[1]), 0, 1)).isEqualTo(-1);
        assertThat(write(pair.client(), counting(100))).as("lost, not refused").isEqualTo(100);
        write(pair.server(), octets(5));
        pair.client().shutdownOutput();
        pair.settle();
        assertThat(read(pair.client())).as("the other direction lives").containsExactly(5);
        assertThat(pair.client().injected(Fault.HALF_CLOSE)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 99})
    void corruptsOneBitOfAnyOctet(int octet) throws IOException {
        StreamPair pair = StreamPair.connect();
        pair.client().outgoingFaults(StreamFaults.builder().corruptAt(octet).build());
        write(pair.client(), counting(60));
        write(pair.client(), counting(100).asSlice(60));
        pair.settle();
        byte[] octets = read(pair.server());
        for (int i = 0; i < 100; i++) {
            assertThat(Integer.bitCount((octets[i] ^ i) & 0xff))
                    .as("octet %d", i)
                    .isEqualTo(i == octet ? 1 : 0);
        }
        assertThat(pair.client().injected(Fault.CORRUPTION)).isEqualTo(1);
    }

    @Test
    void corruptsOctetsWithAboutTheGivenProbability() throws IOException {
        StreamPair pair =
                StreamPair.connect(StreamFaults.builder().corruption(0.01).build());
        int wrong = 0;
        for (int round = 0; round < 10; round++) {
            write(pair.client(), counting(10_000));
            pair.settle();
            byte[] octets = read(pair.server());
            for (int i = 0; i < octets.length; i++) {
                wrong += octets[i] == (byte) i ? 0 : 1;
            }
            pair.settle();
        }
        assertThat(wrong).isBetween(800, 1200);
        assertThat(pair.client().injected(Fault.CORRUPTION)).isEqualTo(wrong);
    }

    @Test
    void everyOctetCanBeCorrupted() throws IOException {
        StreamPair pair =
                StreamPair.connect(StreamFaults.builder().corruption(1).build());
        write(pair.client(), counting(100));
        assertThat(pair.client().injected(Fault.CORRUPTION)).isEqualTo(100);
    }

    @Test
    void silenceTakesOctetsUntilTheWindowIsFullAndDeliversNothing() throws IOException {
        StreamPair pair = StreamPair.connect();
        pair.client()
                .outgoingFaults(StreamFaults.builder().window(100).silenceAt(30).build());
        assertThat(write(pair.client(), counting(80))).isEqualTo(80);
        assertThat(total(readLengths(pair))).isEqualTo(30);
        assertThat(write(pair.client(), counting(80))).as("30 were read").isEqualTo(50);
        assertThat(pair.client().writable()).isFalse();
        pair.client().reset();
        pair.settle();
        assertThat(pair.server().isConnected()).as("looks alive").isTrue();
        assertThat(pair.server().readable()).isFalse();
        assertThat(pair.network().injected(Fault.SILENCE)).isEqualTo(1);
    }

    @Test
    void silenceSwallowsTheEndToo() throws IOException {
        StreamPair pair = StreamPair.connect();
        pair.client().outgoingFaults(StreamFaults.builder().silenceAt(0).build());
        write(pair.client(), octets(1));
        pair.client().close();
        pair.settle();
        assertThat(pair.server().readable()).isFalse();
    }

    @Test
    void aWindowMayGrowWhileOctetsAreInIt() throws IOException {
        StreamPair pair = StreamPair.connect(StreamFaults.builder().window(10).build());
        write(pair.client(), counting(7));
        pair.settle();
        pair.server().read(MemorySegment.ofArray(new byte[5]), 0, 5);
        pair.settle();
        write(pair.client(), counting(13).asSlice(7));
        pair.client().outgoingFaults(StreamFaults.builder().window(21).build());
        write(pair.client(), counting(26).asSlice(13));
        pair.settle();
        assertThat(read(pair.server())).isEqualTo(counting(26).asSlice(5).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void theRandomMixHoldsEveryFault() {
        Set<Fault> seen = EnumSet.noneOf(Fault.class);
        int broken = 0;
        for (long seed = 0; seed < 1000; seed++) {
            StreamFaults mix = StreamFaults.random(new SplittableRandom(seed));
            assertThat(mix).isEqualTo(StreamFaults.random(new SplittableRandom(seed)));
            Set<Fault> breaking = breaking(mix);
            broken += breaking.isEmpty() ? 0 : 1;
            seen.addAll(breaking);
            addIf(seen, Fault.CUT, mix.cutProbability() > 0);
            addIf(seen, Fault.COALESCING, mix.coalesceProbability() > 0);
            addIf(seen, Fault.SHORT_WRITE, mix.shortWriteProbability() > 0);
            addIf(seen, Fault.STALL, mix.stallProbability() > 0 && mix.maxStallNanos() > 0);
            assertThat(breaking(StreamFaults.randomBenign(new SplittableRandom(seed))))
                    .isEmpty();
        }
        assertThat(seen).containsExactlyInAnyOrderElementsOf(EnumSet.range(Fault.CUT, Fault.CORRUPTION));
        assertThat(broken).isBetween(400, 600);
    }

    private static Set<Fault> breaking(StreamFaults mix) {
        Set<Fault> faults = EnumSet.noneOf(Fault.class);
        addIf(faults, Fault.RESET, mix.resetAtOctet() != StreamFaults.NEVER);
        addIf(faults, Fault.HALF_CLOSE, mix.halfCloseAtOctet() != StreamFaults.NEVER);
        addIf(faults, Fault.SILENCE, mix.silenceAtOctet() != StreamFaults.NEVER);
        addIf(faults, Fault.CORRUPTION, mix.corruptAtOctet() != StreamFaults.NEVER || mix.corruptionProbability() > 0);
        return faults;
    }

    private static void addIf(Set<Fault> faults, Fault fault, boolean condition) {
        if (condition) {
            faults.add(fault);
        }
    }

    @Test
    void refusesSettingsOutOfRange() {
        assertThatThrownBy(() -> StreamFaults.builder().cuts(1.1, 1, 1).build()).hasMessageContaining("cutProbability");
        assertThatThrownBy(() -> StreamFaults.builder().cuts(1, 2, 1).build()).hasMessageContaining("maxCutOctets");
        assertThatThrownBy(() -> StreamFaults.builder().window(0).build()).hasMessageContaining("windowOctets");
        assertThatThrownBy(() -> StreamFaults.builder().delay(2, 1).build()).hasMessageContaining("maxDelayNanos");
        assertThatThrownBy(() -> StreamFaults.builder().corruption(Double.NaN).build())
                .isInstanceOf(IllegalArgumentException.class);
    }
}
