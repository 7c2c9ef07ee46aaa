package io.stag.wire.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.wire.Crc32c;
import io.stag.wire.Octets;
import io.stag.wire.datagram.DatagramVectors.Vector;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DatagramPrefixTest {
    private final DatagramPrefix prefix = new DatagramPrefix();

    @ParameterizedTest
    @MethodSource("io.stag.wire.datagram.DatagramVectors#all")
    @Conforms({"DG-001", "DG-002"})
    void readsAPrefix(Vector vector) {
        MemorySegment octets = Octets.of(vector.hex());
        assertThat(prefix.read(octets, 0, octets.byteSize())).isTrue();
        assertThat(prefix.version()).isEqualTo(DatagramPrefix.VERSION);
        assertThat(prefix.kind()).isEqualTo((int) vector.number("kind"));
        assertThat(prefix.flags()).isEqualTo((int) vector.number("flags"));
        assertThat(prefix.flow()).isEqualTo((int) vector.number("flow"));
        assertThat(prefix.epoch()).isEqualTo((int) vector.number("epoch"));
        assertThat(prefix.messageId()).isEqualTo((int) vector.number("message_id"));
        assertThat(prefix.messageLength()).isEqualTo((int) vector.number("message_length"));
        assertThat(prefix.offset()).isEqualTo((int) vector.number("offset"));
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.datagram.DatagramVectors#all")
    @Conforms({"DG-001", "DG-002", "DG-003", "DG-004"})
    void writesTheWholeDatagram(Vector vector) {
        int payload = (int) vector.number("payload_length");
        int header = vector.isTagged() ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        int length = DatagramPrefix.LENGTH + header + payload + Crc32c.LENGTH;
        MemorySegment out = Octets.dirty(length);
        DatagramPrefix.put(
                out,
                0,
                (int) vector.number("kind"),
                (int) vector.number("flags"),
                (int) vector.number("flow"),
                (int) vector.number("epoch"),
                (int) vector.number("message_id"),
                (int) vector.number("message_length"),
                (int) vector.number("offset"));
        boolean last = vector.number("L") == 1;
        int rdmap = DdpControl.rdmap((int) vector.number("opcode"));
        if (vector.isTagged()) {
            TaggedHeader tagged = new TaggedHeader();
            tagged.wrap(out, DatagramPrefix.LENGTH);
            tagged.put(last, rdmap, (int) vector.number("stag"), vector.number("to"));
        } else {
            UntaggedHeader untagged = new UntaggedHeader();
            untagged.wrap(out, DatagramPrefix.LENGTH);
            untagged.put(last, rdmap, 0, 0, (int) vector.number("msn"), (int) vector.number("mo"));
        }
        for (int i = 0; i < payload; i++) {
            byte octet = (byte) ((vector.number("offset") + i) * 7 + 1);
            out.set(java.lang.foreign.ValueLayout.JAVA_BYTE, DatagramPrefix.LENGTH + header + i, octet);
        }
        Crc32c crc = new Crc32c();
        crc.update(out, 0, length - Crc32c.LENGTH);
        Crc32c.putWire(out, length - Crc32c.LENGTH, crc.value());
        assertThat(Octets.hex(out)).isEqualTo(vector.hex());
    }

    @Test
    @Conforms("DG-005")
    void refusesATruncatedPrefix() {
        MemorySegment octets = Octets.dirty(40);
        for (int length = 0; length < DatagramPrefix.LENGTH; length++) {
            assertThat(prefix.read(octets, 3, length)).isFalse();
            assertThat(prefix.read(octets.asSlice(0, 3 + length), 3, 40)).isFalse();
        }
        assertThat(prefix.read(octets, 3, DatagramPrefix.LENGTH)).isTrue();
    }

    @Test
    void printsOneLine() {
        MemorySegment octets = Octets.dirty(DatagramPrefix.LENGTH);
        prefix.read(octets, 0, DatagramPrefix.LENGTH);
        assertThat(prefix.appendTo(new StringBuilder()).toString()).startsWith("version 15 unknown kind 15 solicited");
        DatagramPrefix.put(octets, 0, DatagramPrefix.SEGMENT, 0, 0, 0x0A, 7, -1, 64);
        prefix.read(octets, 0, DatagramPrefix.LENGTH);
        assertThat(prefix.appendTo(new StringBuilder()))
                .hasToString("version 1 segment epoch 0x0000000a message 7 length 4294967295 offset 64");
        DatagramPrefix.put(octets, 0, DatagramPrefix.SEGMENT, DatagramPrefix.EARLIER_FOLLOW_FLAG, 0, 0x0A, 7, 8, 0);
        prefix.read(octets, 0, DatagramPrefix.LENGTH);
        assertThat(prefix.appendTo(new StringBuilder()))
                .hasToString("version 1 segment earlier follow epoch 0x0000000a message 7 length 8 offset 0");
    }
}
