package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.transport.TransportFixture.Handler;
import io.stag.simnet.AllocationMeter;
import io.stag.simnet.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LinuxDatagramPortIT extends DatagramPortContract {
    private static final int ROUNDS = 2_000;

    @Override
    Transport newTransport() throws IOException {
        return LinuxTests.open();
    }

    @Test
    void nothingIsAllocatedWhateverTheSource() throws IOException {
        DatagramPort hub = open();
        DatagramPort[] spokes = {open(), open(), open()};
        DatagramAddress to = new DatagramAddress(hub.localAddress());
        long octets = new AllocationMeter().octetsAllocatedOnceWarm(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                exchange(spokes[i % spokes.length], hub, to, 1 + i % 3);
            }
        });
        assertThat(octets).isZero();
    }

    private void exchange(DatagramPort from, DatagramPort to, DatagramAddress address, int count) {
        try {
            output.clear(from.mostSegments());
            for (int i = 0; i < count; i++) {
                output.append(100, address);
            }
            from.send(output);
            int received = 0;
            while (received < 100 * count) {
                input.clear();
                to.receive(input);
                for (int slot = 0; slot < input.count(); slot++) {
                    received += input.length(slot);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theKernelCutsAndJoinsUnlessToldNotTo() throws IOException {
        assertThat(open().mostSegments()).isGreaterThan(1);
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        assertThat(open(anywhere, 0, false).mostSegments()).isEqualTo(1);
    }

    @Test
    void aPolledPortIsReportedForOutputOnlyAndForInputAtOnceWhenPollingEnds() throws IOException {
        long seed = Seeds.all().findFirst().orElseThrow();
        SplittableRandom random = new SplittableRandom(seed);
        Handler ready = new Handler();
        DatagramPort port = open(ready);
        sendOne(open(), port);
        boolean polled = false;
        boolean writable = false;
        for (int i = 0; i < 200; i++) { // the datagram waits all the time
            if (random.nextBoolean()) {
                polled = random.nextBoolean();
                port.pollsInput(polled);
            } else {
                writable = random.nextBoolean();
                port.awaitWritable(writable);
            }
            int before = ready.calls;
            drive();
            assertThat(ready.calls - before)
                    .as("polled %s, output awaited %s, %s", polled, writable, Seeds.replay(seed))
                    .isEqualTo(!polled || writable ? 1 : 0);
        }
    }

    @Test
    void aPortMayBeClosedWhileItIsPolled() throws IOException {
        Handler closed = new Handler();
        DatagramPort port = open(closed);
        DatagramPort sender = open();
        port.pollsInput(true);
        sendOne(sender, port);
        port.close();
        port.pollsInput(false); // too late, and no error
        Handler ready = new Handler();
        sendOne(sender, open(ready)); // perhaps with the same descriptor
        drive();
        assertThat(ready.calls).isEqualTo(1);
        assertThat(closed.calls).isZero();
    }

    /** On the loopback interface it is there when the call comes back. */
    private void sendOne(DatagramPort from, DatagramPort to) throws IOException {
        output.clear(from.mostSegments());
        append(10, 1, new DatagramAddress(to.localAddress()));
        assertThat(from.send(output)).isEqualTo(1);
    }

    @Test
    void piecesLeaveFromWhereTheyAre() throws IOException {
        DatagramPort from = open();
        DatagramPort to = open();
        DatagramAddress address = new DatagramAddress(to.localAddress());
        MemorySegment one = Arena.ofAuto().allocate(70_000);
        MemorySegment other = Arena.ofAuto().allocate(70_000);
        for (int i = 0; i < 70_000; i++) {
            one.set(JAVA_BYTE, i, (byte) (i * 31));
            other.set(JAVA_BYTE, i, (byte) (i * 37));
        }
        List<byte[]> expected = new ArrayList<>();
        output.clear(from.mostSegments(), 1);
        expected.add(appendAround(one, 5, 60_000, address));
        append(10, 77, address); // ends the row that the first began
        for (int i = 0; i < 4; i++) { // another row, of which the last is shorter
            expected.add(appendAround(i % 2 == 0 ? one : other, 100 * i, i == 3 ? 900 : 1_000, address));
        }
        assertThat(output.count()).isEqualTo(2);
        assertThat(output.segments(1)).isEqualTo(4);
        assertThat(from.send(output)).isEqualTo(2);
        List<byte[]> received = receive(to, 6);
        assertThat(received.remove(1)).hasSize(10);
        assertThat(received).containsExactlyElementsOf(expected);
    }

    /** Appends a datagram whose payload stays where it is. @return its octets */
    private byte[] appendAround(MemorySegment memory, int offset, int length, DatagramAddress to) {
        byte[] octets = new byte[6 + length + 4];
        Arrays.fill(octets, (byte) output.end());
        MemorySegment.copy(memory, JAVA_BYTE, offset, octets, 6, length);
        output.segment().asSlice(output.end(), octets.length).fill((byte) output.end());
        output.pieces().add(memory, offset, length, output.end() + 6, output.end());
        output.append(octets.length, to);
        return octets;
    }

    @Test
    void nothingLeavesWhenAPieceIsGone() throws IOException {
        DatagramPort from = open();
        DatagramPort to = open();
        DatagramAddress address = new DatagramAddress(to.localAddress());
        Arena arena = Arena.ofShared();
        output.clear(from.mostSegments(), 1);
        appendAround(arena.allocate(1_000), 0, 1_000, address);
        arena.close();
        assertThat(from.send(output)).isZero();
        assertThat(output.failure()).as("made again, it will be found").isNull();
        sendOne(from, to);
        assertThat(receive(to, 1).getFirst()).hasSize(10);
    }

    @Test
    void piecesCostNoAllocation() throws IOException {
        DatagramPort from = open();
        DatagramPort to = open();
        DatagramAddress address = new DatagramAddress(to.localAddress());
        MemorySegment memory = Arena.ofShared().allocate(30_000);
        long octets = new AllocationMeter().octetsAllocatedOnceWarm(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                exchangePiece(from, to, memory, address);
            }
        });
        assertThat(octets).isZero();
    }

    private void exchangePiece(DatagramPort from, DatagramPort to, MemorySegment memory, DatagramAddress address) {
        try {
            output.clear(from.mostSegments(), 1);
            output.pieces().add(memory, 0, 30_000, 6, 0);
            output.append(30_010, address);
            from.send(output);
            input.clear();
            while (to.receive(input) == 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void manyLongDatagramsComeWithoutEnd() throws IOException {
        DatagramPort from = open();
        DatagramPort to = open();
        DatagramAddress address = new DatagramAddress(to.localAddress());
        int received = 0;
        for (int round = 0; round < 50; round++) {
            output.clear(from.mostSegments());
            for (int i = 0; i < 8; i++) {
                append(30_000, round + i, address);
                assertThat(from.send(output)).isEqualTo(1);
                output.clear(from.mostSegments());
            }
            int before = received;
            boolean more = true;
            while (more) { // whoever is told that nothing waits does not look again
                input.clear();
                received += to.receive(input);
                more = input.mayHaveMore();
            }
            assertThat(received - before).isEqualTo(8);
        }
    }

    @Test
    void theKernelJoinsDatagramsOnlyForAsLongAsManyCome() throws IOException {
        DatagramPort from = open();
        DatagramPort to = open();
        assertThat(areJoined(from, to)).as("nobody has seen many yet").isFalse();
        for (int i = 0; i < 8; i++) {
            sendOne(from, to);
        }
        drain(to);
        assertThat(areJoined(from, to)).isTrue();
        for (int i = 0; i < 1_100; i++) {
            sendOne(from, to);
            drain(to);
        }
        assertThat(areJoined(from, to)).as("each came alone").isFalse();
    }

    /** Sends three datagrams with one call. @return whether any came together with another one */
    private boolean areJoined(DatagramPort from, DatagramPort to) throws IOException {
        output.clear(from.mostSegments());
        for (int i = 0; i < 3; i++) {
            append(100, i, new DatagramAddress(to.localAddress()));
        }
        assertThat(from.send(output)).isEqualTo(1);
        boolean joined = false;
        input.clear();
        while (to.receive(input) > 0) {
            for (int slot = 0; slot < input.count(); slot++) {
                joined |= input.length(slot) > input.segmentSize(slot);
            }
            input.clear();
        }
        return joined;
    }

    private void drain(DatagramPort port) throws IOException {
        input.clear();
        while (port.receive(input) > 0) {
            input.clear();
        }
    }
}
