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
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReliableHeaderTest {
    private final ReliableHeader header = new ReliableHeader();

    @ParameterizedTest
    @MethodSource("io.stag.wire.datagram.DatagramVectors#reliable")
    @Conforms("RD-004")
    void readsAHeader(Vector vector) {
        MemorySegment octets = Octets.of(vector.hex());
        int length = (int) octets.byteSize() - Crc32c.LENGTH;
        assertThat(header.wrap(octets, 0, length)).isTrue();
        assertThat(header.isLengthRight(length)).isTrue();
        assertThat(header.version()).isEqualTo(DatagramPrefix.VERSION);
        assertThat(header.kind()).isEqualTo(vector.integer("kind"));
        assertThat(header.flags()).isEqualTo(vector.integer("flags"));
        assertThat(header.flow()).isEqualTo(vector.integer("flow"));
        assertThat(header.epoch()).isEqualTo(vector.integer("epoch"));
        assertThat(header.stream()).isEqualTo(vector.integer("stream"));
        assertThat(header.peerEpoch()).isEqualTo(vector.integer("peer_epoch"));
        assertThat(header.psn()).isEqualTo(vector.integer("psn"));
        assertThat(header.ackedStream()).isEqualTo(vector.integer("acked_stream"));
        assertThat(header.ackedPsn()).isEqualTo(vector.integer("acked_psn"));
        assertThat(header.echo()).isEqualTo(vector.integer("echo"));
        assertThat(header.credit()).isEqualTo(vector.integer("credit"));
        if (header.kind() == DatagramPrefix.ACKNOWLEDGEMENT) {
            assertThat(header.delay()).isEqualTo(vector.integer("delay"));
            assertThat(header.words()).isEqualTo(vector.numbers("words").size());
            for (int i = 0; i < header.words(); i++) {
                assertThat(header.word(i)).isEqualTo(vector.numbers("words").get(i));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.datagram.DatagramVectors#reliable")
    @Conforms("RD-004")
    void writesTheWholeDatagram(Vector vector) {
        MemorySegment out = Octets.dirty(vector.hex().length() / 2);
        header.wrap(out, 0, out.byteSize());
        header.put(
                vector.integer("kind"),
                vector.integer("flags"),
                vector.integer("flow"),
                vector.integer("epoch"),
                vector.integer("stream"),
                vector.integer("peer_epoch"),
                vector.integer("psn"),
                vector.integer("acked_stream"),
                vector.integer("acked_psn"),
                vector.integer("echo"),
                vector.integer("credit"));
        int length = switch (vector.integer("kind")) {
            case DatagramPrefix.DATA -> putSegment(vector, out);
            case DatagramPrefix.ACKNOWLEDGEMENT -> putAcknowledgement(vector);
            default -> ReliableHeader.LENGTH;
        };
        Crc32c crc = new Crc32c();
        crc.update(out, 0, length);
        Crc32c.putWire(out, length, crc.value());
        assertThat(Octets.hex(out)).isEqualTo(vector.hex());
    }

    private static int putSegment(Vector vector, MemorySegment out) {
        boolean last = vector.number("L") == 1;
        int rdmap = DdpControl.rdmap(vector.integer("opcode"));
        int at = ReliableHeader.LENGTH;
        if (vector.isTagged()) {
            TaggedHeader tagged = new TaggedHeader();
            tagged.wrap(out, at);
            tagged.put(last, rdmap, vector.integer("stag"), vector.number("to"));
            at += TaggedHeader.LENGTH;
        } else {
            UntaggedHeader untagged = new UntaggedHeader();
            untagged.wrap(out, at);
            untagged.put(last, rdmap, 0, vector.integer("queue"), vector.integer("msn"), vector.integer("mo"));
            at += UntaggedHeader.LENGTH;
        }
        byte[] payload = vector.payload();
        MemorySegment.copy(payload, 0, out, ValueLayout.JAVA_BYTE, at, payload.length);
        return at + payload.length;
    }

    private int putAcknowledgement(Vector vector) {
        int length = header.putAcknowledgement(
                vector.number("delay"), vector.numbers("words").size());
        for (int i = 0; i < vector.numbers("words").size(); i++) {
            header.putWord(i, vector.numbers("words").get(i));
        }
        return length;
    }

    @Test
    void refusesATruncatedHeader() {
        MemorySegment octets = Octets.dirty(40);
        for (int length = 0; length < ReliableHeader.LENGTH; length++) {
            assertThat(header.wrap(octets, 3, length)).isFalse();
            assertThat(header.wrap(octets.asSlice(0, 3 + length), 3, 40)).isFalse();
        }
        assertThat(header.wrap(octets, 3, ReliableHeader.LENGTH)).isTrue();
    }

    @Test
    @Conforms("RD-020")
    void dataHasRoomForADdpHeader() {
        int shortest = ReliableHeader.LENGTH + TaggedHeader.LENGTH;
        wrapKind(DatagramPrefix.DATA);
        assertThat(header.isLengthRight(shortest - 1)).isFalse();
        assertThat(header.isLengthRight(shortest)).isTrue();
        assertThat(header.isLengthRight(shortest + 1)).isTrue();
    }

    @Test
    @Conforms("RD-020")
    void anAcknowledgementEndsWithItsWords() {
        wrapKind(DatagramPrefix.ACKNOWLEDGEMENT);
        for (int words : new int[] {0, 1, 2, ReliableHeader.MAX_WORDS}) {
            int right = header.putAcknowledgement(0, words);
            assertThat(right).isEqualTo(ReliableHeader.ACKNOWLEDGEMENT_LENGTH + 8 * words);
            for (int length = ReliableHeader.LENGTH; length < right + 10; length++) {
                assertThat(header.isLengthRight(length))
                        .as("%s octets, %s words", length, words)
                        .isEqualTo(length == right);
            }
        }
        int tooLong = header.putAcknowledgement(0, ReliableHeader.MAX_WORDS + 1);
        assertThat(header.isLengthRight(tooLong)).isFalse();
    }

    @Test
    @Conforms("RD-020")
    void nothingFollowsARefusal() {
        wrapKind(DatagramPrefix.REFUSAL);
        assertThat(header.isLengthRight(ReliableHeader.LENGTH)).isTrue();
        assertThat(header.isLengthRight(ReliableHeader.LENGTH + 1)).isFalse();
    }

    @Test
    void otherKindsHaveNoLength() {
        for (int kind = 0; kind < 16; kind++) {
            wrapKind(kind);
            if (kind < DatagramPrefix.DATA || kind > DatagramPrefix.REFUSAL) {
                assertThat(header.isLengthRight(ReliableHeader.LENGTH)).isFalse();
                assertThat(header.isLengthRight(100)).isFalse();
            }
        }
    }

    @Test
    void aDelayThatIsTooLongForItsFieldIsTheLongest() {
        wrapKind(DatagramPrefix.ACKNOWLEDGEMENT);
        header.putAcknowledgement(0xFFFF, 0);
        assertThat(header.delay()).isEqualTo(0xFFFF);
        header.putAcknowledgement(0x1_0001, 0);
        assertThat(header.delay()).isEqualTo(0xFFFF);
    }

    @Test
    void printsOneLine() {
        MemorySegment octets = Octets.dirty(ReliableHeader.LENGTH);
        header.wrap(octets, 0, ReliableHeader.LENGTH);
        header.put(DatagramPrefix.DATA, ReliableHeader.ACK_WANTED_FLAG, 3, 0x0A, 7, 0x0B, -1, 9, 4, 5, 6);
        assertThat(header.appendTo(new StringBuilder()))
                .hasToString(
                        "version 1 data acknowledgement wanted flow 3 epoch 0x0000000a stream 7 to epoch 0x0000000b"
                                + " PSN 4294967295 acked stream 9 PSN 4 echo 5 credit 6");
        header.put(DatagramPrefix.ACKNOWLEDGEMENT, ReliableHeader.NOT_READY_FLAG, 0, 1, 0, 0, 0, 0, 0, 0, 0);
        assertThat(header.appendTo(new StringBuilder()).toString()).startsWith("version 1 acknowledgement not ready ");
    }

    private void wrapKind(int kind) {
        MemorySegment octets = Octets.dirty(2_000);
        header.wrap(octets, 0, octets.byteSize());
        header.put(kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
