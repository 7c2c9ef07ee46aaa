package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.AllocationMeter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Nothing is allocated per datagram: neither when sending nor when receiving, whole or in part, known or false sources. */
class DatagramAllocationTest {
    private static final int ROUNDS = 2_000;

    private final EngineFixture left = new EngineFixture();
    private final EngineFixture right = new EngineFixture();
    private final DatagramOutput output = new DatagramOutput();
    private final SoftMemoryRegion from = left.region(4_096);
    private final SoftMemoryRegion buffer = right.region(4_096);
    private final SoftMemoryRegion target = right.region(4_096);
    private final SoftAddressHandle to =
            new SoftAddressHandle(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 4791));
    private int round;

    private void exchange() {
        round++;
        right.receives.receive(round).into(buffer, 0, 4_096).post();
        left.requests.send(round, to).from(from, 0, 64 + round % 3 * 1_000);
        left.requests.writeRecord(round, to, target.stag(), 0).from(from, 0, 4_000 - round % 2 * 3_990);
        left.requests
                .writeRecord(round, to, target.stag(), 0)
                .from(from, 0, 1_000)
                .post();
        output.clear(4);
        left.sender.fill(output, left.now);
        for (int entry = 0; entry < output.count(); entry++) {
            if (entry % 7 == 3) {
                continue; // lost
            }
            right.input.clear();
            MemorySegment.copy(output.segment(), output.offset(entry), right.input.segment(), 0, output.length(entry));
            right.input.add(
                    output.length(entry),
                    output.segmentSize(entry),
                    0,
                    DatagramAddress.ipv4Low(round % 5),
                    1000 + round % 3,
                    0);
            right.now += 1_000;
            right.receiver.handle(right.input, right.clock);
        }
        left.sender.transmitted(output, output.count());
        right.pass(10 * EngineFixture.MILLISECOND);
    }

    @Test
    void nothingIsAllocatedPerDatagram() {
        left.recording = false;
        right.recording = false;
        long octets = new AllocationMeter().octetsAllocatedOnceWarm(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                exchange();
            }
        });
        assertThat(right.counts.recordsPartial).isPositive();
        assertThat(right.counts.recordsComplete).isPositive();
        assertThat(right.counts.messagesReceived).isPositive();
        assertThat(octets).isZero();
    }
}
