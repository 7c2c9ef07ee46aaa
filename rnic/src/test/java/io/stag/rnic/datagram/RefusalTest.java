package io.stag.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.simnet.Conforms;
import io.stag.verbs.DatagramRefusal;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a receiver must not take, and that it leaves no trace. */
class RefusalTest {
    private final EngineFixture engine = new EngineFixture();
    private SoftMemoryRegion target = engine.region(1024);
    private SoftMemoryRegion buffer = engine.region(1024);

    @BeforeEach
    void postAReceive() {
        target = engine.region(1024);
        buffer = engine.post(1, 1024);
    }

    private RawDatagram send() {
        return RawDatagram.send(1, 200, 0, 128);
    }

    private RawDatagram write() {
        return RawDatagram.write(1, target.stag(), 64, 200, 0, 128);
    }

    private void assertRefused(DatagramRefusal reason, byte[] octets) {
        long before = engine.refused(reason);
        engine.arrive(octets);
        assertThat(engine.refused(reason)).as("refused as %s", reason).isEqualTo(before + 1);
        assertUntouched();
    }

    private void assertUntouched() {
        assertThat(EngineFixture.octets(target, 0, 1024)).containsOnly(0);
        assertThat(EngineFixture.octets(buffer, 0, 1024)).containsOnly(0);
        assertThat(engine.received).isEmpty();
        assertThat(engine.written).isEmpty();
        assertThat(engine.receiver.openMessages()).isZero();
        assertThat(engine.receiver.sources()).isZero();
    }

    @Test
    @Conforms({"DG-005", "DG-004"})
    void refusesEveryCutOfADatagram() {
        for (byte[] whole : new byte[][] {send().octets(), write().octets()}) {
            for (int length = 0; length < whole.length; length++) {
                engine.arrive(Arrays.copyOf(whole, length));
                assertUntouched();
                // also when the CRC of what is left is right, unless that makes another segment
                if (length > 24 && length != whole.length - 64) {
                    engine.arrive(RawDatagram.withCrc(Arrays.copyOf(whole, length)));
                    assertUntouched();
                }
            }
        }
        assertRefused(DatagramRefusal.TOO_SHORT, new byte[23]);
        assertThat(engine.refusals).noneMatch(text -> text.contains("TOO_SHORT"));
    }

    @Test
    @Conforms("DG-004")
    void refusesEveryFlippedBit() {
        for (byte[] whole : new byte[][] {send().octets(), write().octets()}) {
            for (int bit = 0; bit < 8 * whole.length; bit++) {
                byte[] damaged = whole.clone();
                damaged[bit / 8] ^= (byte) (1 << bit % 8);
                engine.arrive(damaged);
                assertUntouched();
            }
        }
        assertThat(engine.refused(DatagramRefusal.CRC)).isPositive();
        assertThat(engine.refusals).noneMatch(text -> text.startsWith("CRC"));
    }

    static Stream<Arguments> wrongFields() {
        return Stream.of(
                wrong(DatagramRefusal.VERSION, "version 0", d -> d.versionAndKind = 0x01),
                wrong(DatagramRefusal.VERSION, "version 2", d -> d.versionAndKind = 0x21),
                wrong(DatagramRefusal.KIND, "kind 0", d -> d.versionAndKind = 0x10),
                wrong(DatagramRefusal.KIND, "kind 15", d -> d.versionAndKind = 0x1F),
                wrong(DatagramRefusal.HEADER, "DDP version 0", d -> d.control &= ~3),
                wrong(DatagramRefusal.HEADER, "DDP version 2", d -> d.control += 1),
                wrong(DatagramRefusal.HEADER, "RDMAP version 0", d -> d.rdmap &= 0x3F),
                wrong(DatagramRefusal.HEADER, "L too early", d -> d.control |= 0x40),
                wrong(DatagramRefusal.HEADER, "Read Request", d -> d.rdmap = 0x41),
                wrong(DatagramRefusal.HEADER, "Read Response", d -> d.rdmap = 0x42),
                wrong(DatagramRefusal.HEADER, "Send with Invalidate", d -> d.rdmap = 0x44),
                wrong(DatagramRefusal.HEADER, "Terminate", d -> d.rdmap = 0x47),
                wrong(DatagramRefusal.HEADER, "opcode 15", d -> d.rdmap = 0x4F),
                wrong(DatagramRefusal.LAYOUT, "payload beyond the message", d -> {
                    d.length = 64;
                }),
                wrong(DatagramRefusal.LAYOUT, "an odd cut", d -> d.payload = new byte[100]),
                wrong(DatagramRefusal.LAYOUT, "nothing", d -> d.payload = new byte[0]),
                wrong(DatagramRefusal.LAYOUT, "an odd offset", d -> {
                    d.offset = 32;
                    d.mo = 32;
                    d.taggedOffset += 32;
                }),
                wrong(DatagramRefusal.LAYOUT, "an offset near 2^32", d -> {
                    d.offset = -64;
                    d.mo = -64;
                    d.length = 60;
                }),
                wrong(DatagramRefusal.MESSAGE_TOO_LONG, "a message too long", d -> d.length = (1 << 20) + 1),
                wrong(DatagramRefusal.MESSAGE_TOO_LONG, "a message of 4 GiB", d -> d.length = -1));
    }

    private static Arguments wrong(DatagramRefusal reason, String what, Consumer<RawDatagram> change) {
        return Arguments.of(reason, what, change);
    }

    @ParameterizedTest(name = "{1}: {0}")
    @MethodSource("wrongFields")
    @Conforms({"DG-006", "DG-007", "DG-008", "DG-009", "DG-010"})
    void refusesWrongFields(DatagramRefusal reason, String what, Consumer<RawDatagram> change) {
        for (RawDatagram datagram : new RawDatagram[] {send(), write()}) {
            change.accept(datagram);
            assertRefused(reason, datagram.octets());
        }
        assertThat(engine.refusals).hasSize(2).allMatch(text -> text.startsWith(reason + " from 1000: "));
    }

    @Test
    @Conforms("DG-008")
    void refusesASendThatContradictsThePrefix() {
        RawDatagram queue = send();
        queue.queue = 1;
        assertRefused(DatagramRefusal.HEADER, queue.octets());
        RawDatagram msn = send();
        msn.msn = 2;
        assertRefused(DatagramRefusal.HEADER, msn.octets());
        RawDatagram mo = send();
        mo.mo = 64;
        assertRefused(DatagramRefusal.HEADER, mo.octets());
        RawDatagram untaggedWrite = send();
        untaggedWrite.rdmap = 0x40;
        assertRefused(DatagramRefusal.HEADER, untaggedWrite.octets());
        RawDatagram taggedSend = write();
        taggedSend.rdmap = 0x43;
        assertRefused(DatagramRefusal.HEADER, taggedSend.octets());
        RawDatagram noLast = RawDatagram.send(1, 64, 0, 64);
        noLast.control &= ~0x40;
        assertRefused(DatagramRefusal.HEADER, noLast.octets());
    }

    @Test
    @Conforms("DG-031")
    void ignoresReservedBits() {
        RawDatagram datagram = RawDatagram.send(1, 64, 0, 64);
        datagram.flags = 0xFC;
        datagram.control |= 0x3C;
        datagram.rdmap |= 0x30;
        byte[] octets = datagram.octets();
        octets[2] = 0x12;
        octets[3] = 0x34;
        engine.arrive(RawDatagram.withCrc(octets));
        assertThat(engine.received).hasSize(1);
    }

    @Test
    @Conforms("DG-016")
    void refusesAWriteWhoseMessageLeavesTheMemoryAlthoughTheSegmentDoesNot() {
        assertRefused(
                DatagramRefusal.ACCESS,
                RawDatagram.write(1, target.stag(), 1024 - 192, 193, 0, 64).octets());
        assertRefused(
                DatagramRefusal.ACCESS,
                RawDatagram.write(1, target.stag(), -64, 200, 64, 64).octets());
        assertRefused(
                DatagramRefusal.ACCESS,
                RawDatagram.write(1, target.stag(), Long.MAX_VALUE, 200, 0, 64).octets());
        engine.arrive(RawDatagram.write(1, target.stag(), 1024 - 192, 192, 0, 64));
        assertThat(engine.receiver.openMessages()).isEqualTo(1);
    }

    @Test
    @Conforms("DG-016")
    void refusesAWriteWithoutRight() {
        SoftMemoryRegion local = engine.region(1024, Rights.LOCAL_READ | Rights.LOCAL_WRITE | Rights.REMOTE_READ);
        assertRefused(
                DatagramRefusal.ACCESS,
                RawDatagram.write(1, local.stag(), 0, 64, 0, 64).octets());
        assertRefused(
                DatagramRefusal.ACCESS,
                RawDatagram.write(1, target.stag() ^ 0x80, 0, 64, 0, 64).octets());
        target.close();
        engine.arrive(RawDatagram.write(1, target.stag(), 0, 64, 0, 64));
        assertThat(engine.refused(DatagramRefusal.ACCESS)).isEqualTo(3);
        assertThat(EngineFixture.octets(local, 0, 1024)).containsOnly(0);
    }

    @Test
    @Conforms("DG-017")
    void refusesAMessageThatWouldNeedTooMuchMemory() {
        EngineFixture small = new EngineFixture(EngineFixture.settings(16, 4, 1024, 64));
        SoftMemoryRegion large = small.region(1 << 20);
        small.arrive(RawDatagram.write(1, large.stag(), 0, 1024 * 8 * 64 + 1, 0, 64));
        assertThat(small.refused(DatagramRefusal.TOO_MANY_MESSAGES)).isEqualTo(1);
        small.arrive(RawDatagram.write(2, large.stag(), 0, 1024 * 8 * 64, 0, 64));
        assertThat(small.receiver.openMessages()).isEqualTo(1);
        assertThat(small.receiver.reassemblyOctets()).isEqualTo(1024);
    }
}
