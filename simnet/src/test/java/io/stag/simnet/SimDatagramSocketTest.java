package io.stag.simnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SimDatagramSocketTest {
    private static final int COUNT = 10_000;
    private static final int LENGTH = 100;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final SimNetwork network =
            new SimNetwork(new VirtualClock(), 1, StreamFaults.none(), DatagramFaults.none());

    private void settle() {
        while (network.step()) {
            // until nothing is under way
        }
    }

    private static void send(SimDatagramSocket from, int length, InetSocketAddress to) throws IOException {
        from.send(StreamPair.counting(length), 0, length, to);
    }

    private static List<byte[]> receiveAll(SimDatagramSocket socket) throws IOException {
        List<byte[]> all = new ArrayList<>();
        byte[] memory = new byte[DatagramFaults.MAX_PAYLOAD];
        while (socket.readable()) {
            int length = socket.receive(MemorySegment.ofArray(memory), 0, memory.length)
                    .orElseThrow()
                    .length();
            all.add(Arrays.copyOf(memory, length));
        }
        return all;
    }

    /** Sends numbered datagrams through a network with faults, 100 nanoseconds apart. */
    private List<byte[]> exchange(DatagramFaults faults) throws IOException {
        network.datagramFaults(faults);
        SimDatagramSocket sender = network.bind(SimNetwork.address(1, 0));
        SimDatagramSocket receiver = network.bind(SimNetwork.address(2, 0));
        receiver.receiveBuffer(Integer.MAX_VALUE);
        MemorySegment datagram = MemorySegment.ofArray(new byte[LENGTH]);
        for (int i = 0; i < COUNT; i++) {
            datagram.set(U32, 0, i);
            sender.send(datagram, 0, LENGTH, receiver.localAddress());
            network.advanceTo(network.clock().nanoTime() + 100);
        }
        settle();
        return receiveAll(receiver);
    }

    private static List<Integer> numbers(List<byte[]> datagrams) {
        return datagrams.stream().map(d -> MemorySegment.ofArray(d).get(U32, 0)).toList();
    }

    private static boolean isInOrder(List<Integer> numbers) {
        List<Integer> sorted = new ArrayList<>(numbers);
        Collections.sort(sorted);
        return sorted.equals(numbers);
    }

    @Test
    void aDatagramArrivesWithItsAddresses() throws IOException {
        SimDatagramSocket a = network.bind(SimNetwork.address(1, 5000));
        SimDatagramSocket b = network.bind(SimNetwork.address(2, 5000));
        MemorySegment memory = MemorySegment.ofArray(new byte[8]);
        a.send(StreamPair.octets(1, 2, 3, 4), 1, 2, b.localAddress());
        assertThat(b.receive(memory, 0, 8)).as("nothing arrives without time").isEmpty();
        settle();
        assertThat(b.receive(memory, 3, 5)).contains(new ReceivedDatagram(2, 2, a.localAddress(), b.localAddress()));
        assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 0, 0, 2, 3, 0, 0, 0);
        assertThat(b.readable()).isFalse();
    }

    @Test
    void anEmptyDatagramArrivesToo() throws IOException {
        SimDatagramSocket a = network.bind(SimNetwork.address(1, 0));
        send(a, 0, a.localAddress());
        settle();
        assertThat(receiveAll(a)).containsExactly(new byte[0]);
    }

    @Test
    void whatDoesNotFitTheMemoryIsLost() throws IOException {
        SimDatagramSocket a = network.bind(SimNetwork.address(1, 0));
        send(a, 10, a.localAddress());
        settle();
        ReceivedDatagram received =
                a.receive(MemorySegment.ofArray(new byte[4]), 0, 4).orElseThrow();
        assertThat(received.length()).isEqualTo(4);
        assertThat(received.datagramLength()).isEqualTo(10);
        assertThat(a.readable()).isFalse();
    }

    @Test
    void addressesAreUniqueAndFreeAgainAfterClose() throws IOException {
        SimDatagramSocket a = network.bind(SimNetwork.address(1, 0));
        assertThatThrownBy(() -> network.bind(a.localAddress())).isInstanceOf(BindException.class);
        SimDatagramSocket sender = network.bind(SimNetwork.address(2, 0));
        send(sender, 1, a.localAddress());
        a.close();
        settle();
        assertThat(a.readable()).isFalse();
        assertThatThrownBy(() -> send(a, 1, a.localAddress())).hasMessage("closed");
        assertThatThrownBy(() -> a.receive(MemorySegment.ofArray(new byte[1]), 0, 1))
                .hasMessage("closed");
        assertThat(network.bind(a.localAddress()).readable()).isFalse();
    }

    @Test
    void aGroupHearsWhoeverJoined() throws IOException {
        InetAddress group = InetAddress.ofLiteral("239.1.2.3");
        InetSocketAddress destination = new InetSocketAddress(group, 5000);
        SimDatagramSocket a = network.bind(SimNetwork.address(1, 5000));
        SimDatagramSocket b = network.bind(SimNetwork.address(2, 5000));
        SimDatagramSocket stranger = network.bind(SimNetwork.address(3, 5000));
        SimDatagramSocket otherPort = network.bind(SimNetwork.address(2, 5001));
        a.join(group);
        b.join(group);
        otherPort.join(group);
        send(a, 3, destination);
        settle();
        assertThat(a.readable()).isTrue();
        assertThat(b.receive(MemorySegment.ofArray(new byte[9]), 0, 9))
                .contains(new ReceivedDatagram(3, 3, a.localAddress(), destination));
        assertThat(stranger.readable()).isFalse();
        assertThat(otherPort.readable()).isFalse();
        b.leave(group);
        send(a, 3, destination);
        settle();
        assertThat(b.readable()).isFalse();
        assertThatThrownBy(() -> a.join(InetAddress.ofLiteral("10.0.0.9")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void everyCopyOfADatagramHasItsOwnDamage() throws IOException {
        network.datagramFaults(DatagramFaults.builder().corruption(1).build());
        InetAddress group = InetAddress.ofLiteral("239.1.2.3");
        for (int host = 1; host <= 3; host++) {
            network.bind(SimNetwork.address(host, 5000)).join(group);
        }
        SimDatagramSocket last = network.bind(SimNetwork.address(4, 5000));
        last.join(group);
        byte[] sent = new byte[LENGTH];
        last.send(MemorySegment.ofArray(sent), 0, LENGTH, new InetSocketAddress(group, 5000));
        settle();
        int bits = 0;
        for (byte octet : receiveAll(last).getFirst()) {
            bits += Integer.bitCount(octet & 0xff);
        }
        assertThat(bits).isEqualTo(1);
        assertThat(sent).containsOnly(0);
    }

    @Test
    void aFullReceiveBufferDropsDatagrams() throws IOException {
        SimDatagramSocket a = network.bind(SimNetwork.address(1, 0));
        a.receiveBuffer(25);
        for (int i = 0; i < 3; i++) {
            send(a, 10, a.localAddress());
        }
        settle();
        assertThat(receiveAll(a)).hasSize(2);
        assertThat(a.injected(Fault.OVERFLOW)).isEqualTo(1);
        send(a, 25, a.localAddress());
        settle();
        assertThat(a.readable()).isTrue();
    }

    @Test
    void withoutFaultsEveryDatagramArrivesOnceInOrder() throws IOException {
        List<Integer> numbers = numbers(
                exchange(DatagramFaults.builder().delay(1_000, 1_000_000).build()));
        assertThat(numbers).hasSize(COUNT).doesNotHaveDuplicates();
        assertThat(isInOrder(numbers)).isTrue();
    }

    @Test
    void losesAboutTheGivenShare() throws IOException {
        assertThat(exchange(DatagramFaults.builder().loss(0.1).build())).hasSizeBetween(8_800, 9_200);
        assertThat(network.injected(Fault.LOSS)).isBetween(800L, 1_200L);
    }

    @Test
    void repeatsAboutTheGivenShare() throws IOException {
        List<Integer> numbers =
                numbers(exchange(DatagramFaults.builder().duplication(0.1).build()));
        assertThat(numbers).hasSizeBetween(10_800, 11_200);
        assertThat(numbers.stream().distinct()).hasSize(COUNT);
    }

    @Test
    void reordersAboutTheGivenShare() throws IOException {
        List<Integer> numbers = numbers(
                exchange(DatagramFaults.builder().reordering(0.1, 1_000_000).build()));
        assertThat(numbers).hasSize(COUNT).doesNotHaveDuplicates();
        int steps = 0;
        for (int i = 1; i < COUNT; i++) {
            steps += numbers.get(i) < numbers.get(i - 1) ? 1 : 0;
        }
        assertThat(steps).isBetween(500, 1_200);
    }

    @Test
    void corruptsOneBitOfAboutTheGivenShare() throws IOException {
        int corrupted = 0;
        int number = 0;
        for (byte[] datagram : exchange(DatagramFaults.builder().corruption(0.1).build())) {
            MemorySegment expected = MemorySegment.ofArray(new byte[LENGTH]);
            expected.set(U32, 0, number++);
            int bits = 0;
            for (int i = 0; i < LENGTH; i++) {
                bits += Integer.bitCount((datagram[i] ^ expected.get(ValueLayout.JAVA_BYTE, i)) & 0xff);
            }
            assertThat(bits).isLessThanOrEqualTo(1);
            corrupted += bits;
        }
        assertThat(corrupted).isBetween(800, 1_200);
    }

    @Test
    void truncatesAboutTheGivenShare() throws IOException {
        List<byte[]> datagrams =
                exchange(DatagramFaults.builder().truncation(0.1).build());
        assertThat(datagrams).hasSize(COUNT);
        assertThat(datagrams.stream().filter(d -> d.length < LENGTH).count()).isBetween(800L, 1_200L);
        assertThat(datagrams.stream().mapToInt(d -> d.length).distinct().count())
                .as("every length from 0")
                .isEqualTo(LENGTH + 1);
    }

    @Test
    void dropsWhatThePathDoesNotCarry() throws IOException {
        network.datagramFaults(DatagramFaults.builder().mtu(1000, false).build());
        SimDatagramSocket a = network.bind(SimNetwork.address(1, 0));
        send(a, 1000, a.localAddress());
        send(a, 1001, a.localAddress());
        settle();
        assertThat(receiveAll(a)).hasSize(1);
        assertThat(a.injected(Fault.OVERSIZE)).isEqualTo(1);
        assertThatThrownBy(() -> send(a, DatagramFaults.MAX_PAYLOAD + 1, a.localAddress()))
                .hasMessageContaining("too long");
    }

    @Test
    void aFragmentedDatagramIsLostWithAnyOfItsFragments() throws IOException {
        List<byte[]> datagrams = exchange(
                DatagramFaults.builder().mtu(LENGTH / 10, true).loss(0.1).build());
        // 0.9 to the power of 10 is 0.35
        assertThat(datagrams).hasSizeBetween(3_300, 3_700).allMatch(d -> d.length == LENGTH);
    }

    @Test
    void theRandomMixHoldsEveryFault() {
        Set<Fault> seen = EnumSet.noneOf(Fault.class);
        for (long seed = 0; seed < 100; seed++) {
            DatagramFaults mix = DatagramFaults.random(new SplittableRandom(seed));
            assertThat(mix).isEqualTo(DatagramFaults.random(new SplittableRandom(seed)));
            if (mix.lossProbability() > 0) {
                seen.add(Fault.LOSS);
            }
            if (mix.duplicationProbability() > 0) {
                seen.add(Fault.DUPLICATION);
            }
            if (mix.reorderProbability() > 0) {
                seen.add(Fault.REORDERING);
            }
            if (mix.corruptionProbability() > 0) {
                seen.add(Fault.CORRUPTION);
            }
            if (mix.truncationProbability() > 0) {
                seen.add(Fault.TRUNCATION);
            }
            if (mix.mtuOctets() < DatagramFaults.MAX_PAYLOAD) {
                seen.add(Fault.OVERSIZE);
            }
        }
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        Fault.LOSS,
                        Fault.DUPLICATION,
                        Fault.REORDERING,
                        Fault.CORRUPTION,
                        Fault.TRUNCATION,
                        Fault.OVERSIZE);
    }
}
