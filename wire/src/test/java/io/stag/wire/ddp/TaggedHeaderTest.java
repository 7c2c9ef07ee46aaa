package io.stag.wire.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import io.stag.wire.mpa.Fpdu;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TaggedHeaderTest {
    private final TaggedHeader header = new TaggedHeader();

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#taggedFpdus")
    @Conforms({"DDP-007", "DDP-015", "RDMAP-002"})
    void readsASegment(Vectors.Positive vector) {
        JsonNode ddp = vector.ddp();
        MemorySegment octets = Octets.of(vector.hex());
        assertThat(header.wrap(octets, Fpdu.LENGTH_FIELD, Fpdu.ulpduLength(octets, 0)))
                .isTrue();
        assertThat(header.isTagged()).isTrue();
        assertThat(header.isLast()).isEqualTo(Vectors.flag(ddp.path("L")));
        assertThat(header.version()).isEqualTo(ddp.path("DV").intValue());
        assertThat(header.rdmapVersion()).isEqualTo(ddp.path("RV").intValue());
        assertThat(header.opcode()).isEqualTo(ddp.path("opcode").intValue());
        assertThat(header.stag()).isEqualTo((int) Vectors.number(ddp.path("stag")));
        assertThat(header.taggedOffset()).isEqualTo(Vectors.number(ddp.path("to")));
        int payloadLength = ddp.path("payload_length").intValue();
        assertThat(Fpdu.ulpduLength(octets, 0)).isEqualTo(TaggedHeader.LENGTH + payloadLength);
        assertThat(Octets.hex(octets, Fpdu.LENGTH_FIELD + TaggedHeader.LENGTH, payloadLength))
                .isEqualTo(ddp.path("payload_hex").textValue());
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#taggedFpdus")
    @Conforms({"DDP-007", "DDP-011", "DDP-013", "DDP-015", "RDMAP-002", "RDMAP-003", "RDMAP-004"})
    void writesASegment(Vectors.Positive vector) {
        JsonNode ddp = vector.ddp();
        MemorySegment out = Octets.dirty(3 + TaggedHeader.LENGTH + 1);
        header.wrap(out, 3);
        header.put(
                Vectors.flag(ddp.path("L")),
                DdpControl.rdmap(ddp.path("opcode").intValue()),
                (int) Vectors.number(ddp.path("stag")),
                Vectors.number(ddp.path("to")));
        assertThat(Octets.hex(out)).isEqualTo("ffffff" + vector.hex().substring(4, 4 + 2 * 14) + "ff");
    }

    @Test
    void refusesATruncatedHeader() {
        MemorySegment octets = Octets.dirty(20);
        for (int length = 0; length < TaggedHeader.LENGTH; length++) {
            assertThat(header.wrap(octets, 3, length)).as("%d octets", length).isFalse();
            assertThat(header.wrap(octets.asSlice(0, 3 + length), 3)).isFalse();
        }
        assertThat(header.wrap(octets, 6)).isTrue();
        assertThat(header.wrap(octets, 7)).isFalse();
        assertThat(header.wrap(octets, 3, 14)).isTrue();
    }

    @Test
    void readsTheLargestValues() {
        header.wrap(Octets.dirty(14), 0);
        assertThat(header.control()).isEqualTo(255);
        assertThat(header.rsvdUlp()).isEqualTo(255);
        assertThat(header.version()).isEqualTo(3);
        assertThat(header.rdmapVersion()).isEqualTo(3);
        assertThat(header.opcode()).isEqualTo(15);
        assertThat(header.stag()).isEqualTo(-1);
        assertThat(header.taggedOffset()).isEqualTo(-1L);
    }

    @Test
    void printsOneLine() {
        header.wrap(Octets.of(Vectors.positive("WRITE-SEG-2").hex()), Fpdu.LENGTH_FIELD);
        assertThat(header.appendTo(new StringBuilder()))
                .hasToString("tagged L=1 DV=1 RV=1 opcode 0 STag 0x12345678 TO 0x0000000100002072");
    }
}
