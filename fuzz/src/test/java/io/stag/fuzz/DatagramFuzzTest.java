package io.stag.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramCounts;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramReceiver;
import io.stag.rnic.datagram.DatagramSettings;
import io.stag.wire.Crc32c;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Datagrams, right and wrong ones, of several sources to the receiving half of a datagram queue pair, with receives posted and
 * time passing in between. Whatever comes: nothing is written outside of what was granted, a receive completes once, memory
 * stays bounded.
 *
 * <p>Input: steps, each an octet that chooses it; see {@link Step}.
 */
class DatagramFuzzTest {
    private static final int MOST_STEPS = 400;
    private static final DatagramInput INPUT = new DatagramInput();
    private static final ValueLayout.OfInt CRC = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    enum Step {
        /** Source, length (2 octets), octets. */
        RAW,
        /** The same; the CRC is set right. */
        REPAIRED,
        /** Source, fields of a Send, each an octet: id, length and offset in blocks, blocks of payload, odd octets. */
        SEND,
        /** The same of a Write-Record, with the choice of memory and place before them. */
        WRITE,
        /** Length in blocks. */
        POST,
        /** Milliseconds. */
        PASS
    }

    @FuzzTest
    void keepsWithinBounds(byte[] data) {
        var input = new Input(data);
        var world = new DatagramWorld();
        var settings = new DatagramSettings(
                DatagramWorld.DOMAIN,
                1,
                7,
                7,
                1408,
                1 << 16,
                6,
                3,
                1 << 10,
                5,
                50_000_000,
                1_000_000,
                20_000_000,
                true,
                0,
                1_000_000,
                true);
        var receiver = new DatagramReceiver(
                settings, new DatagramCounts(), world.stags, world.receiveQueue, world, (_, _) -> {});
        long now = 0;
        for (int i = 0; i < MOST_STEPS && !input.isEmpty(); i++) {
            switch (input.oneOf(Step.values())) {
                case RAW -> arrive(receiver, input.u8(), input.octets(input.u16()), now);
                case REPAIRED -> arrive(receiver, input.u8(), repaired(input.octets(input.u16())), now);
                case SEND -> arrive(receiver, input.u8(), world.send(input), now);
                case WRITE -> arrive(receiver, input.u8(), world.write(input), now);
                case POST -> world.post(64 * input.u8());
                case PASS -> {
                    now += input.u8() * 1_000_000L;
                    if (receiver.nextDeadline() <= now) {
                        receiver.handleTimeout(now);
                    }
                }
            }
            Check.that(receiver.openMessages() <= 6, "open messages are bounded");
            Check.that(receiver.sources() <= 5, "sources are bounded");
            Check.that(receiver.reassemblyOctets() <= 2 << 10, "maps are bounded");
        }
        receiver.handleTimeout(now + 1_000_000_000);
        Check.equal(receiver.openMessages(), 0, "messages open for ever");
        world.check();
    }

    private static void arrive(DatagramReceiver receiver, int source, byte[] octets, long now) {
        INPUT.clear();
        MemorySegment.copy(octets, 0, INPUT.segment(), ValueLayout.JAVA_BYTE, DatagramInput.offset(0), octets.length);
        INPUT.add(octets.length, octets.length, 0, DatagramAddress.ipv4Low(source & 7), source >> 3, 0);
        receiver.handle(INPUT, () -> now);
    }

    static byte[] repaired(byte[] octets) {
        if (octets.length >= Crc32c.LENGTH) {
            Crc32c crc = new Crc32c();
            MemorySegment segment = MemorySegment.ofArray(octets);
            crc.update(segment, 0, octets.length - Crc32c.LENGTH);
            segment.set(CRC, octets.length - Crc32c.LENGTH, crc.value());
        }
        return octets;
    }
}
