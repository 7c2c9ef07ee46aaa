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

class UntaggedHeaderTest {
    private final UntaggedHeader header = new UntaggedHeader();

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#untaggedFpdus")
    @Conforms({"DDP-007", "DDP-016", "RDMAP-002", "RDMAP-007"})
    void readsASegment(Vectors.Positive vector) {
        JsonNode ddp = vector.ddp();
        MemorySegment octets = Octets.of(vector.hex());
        assertThat(header.wrap(octets, Fpdu.LENGTH_FIELD, Fpdu.ulpduLength(octets, 0)))
                .isTrue();
        assertThat(header.isTagged()).isFalse();
        assertThat(header.isLast()).isEqualTo(Vectors.flag(ddp.path("L")));
        assertThat(header.version()).isEqualTo(ddp.path("DV").intValue());
        assertThat(header.rdmapVersion()).isEqualTo(ddp.path("RV").intValue());
        assertThat(header.opcode()).isEqualTo(ddp.path("opcode").intValue());
        assertThat(header.invalidateStag()).isEqualTo((int) Vectors.number(ddp.path("invalidate_stag")));
        assertThat(header.queueNumber()).isEqualTo(ddp.path("qn").intValue());
        assertThat(header.msn()).isEqualTo((int) Vectors.number(ddp.path("msn")));
        assertThat(header.messageOffset()).isEqualTo(ddp.path("mo").intValue());
        int payloadLength = ddp.path("payload_length").intValue();
        assertThat(Fpdu.ulpduLength(octets, 0)).isEqualTo(UntaggedHeader.LENGTH + payloadLength);
        assertThat(Octets.hex(octets, Fpdu.LENGTH_FIELD + UntaggedHeader.LENGTH, payloadLength))
                .isEqualTo(ddp.path("payload_hex").textValue());
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#untaggedFpdus")
    @Conforms({"DDP-007", "DDP-011", "DDP-013", "DDP-016", "RDMAP-002", "RDMAP-003", "RDMAP-004", "RDMAP-007"})
    void writesASegment(Vectors.Positive vector) {
        JsonNode ddp = vector.ddp();
        MemorySegment out = Octets.dirty(3 + UntaggedHeader.LENGTH + 1);
        header.wrap(out, 3);
        header.put(
                Vectors.flag(ddp.path("L")),
                DdpControl.rdmap(ddp.path("opcode").intValue()),
                (int) Vectors.number(ddp.path("invalidate_stag")),
                ddp.path("qn").intValue(),
                (int) Vectors.number(ddp.path("msn")),
                ddp.path("mo").intValue());
        assertThat(Octets.hex(out)).isEqualTo("ffffff" + vector.hex().substring(4, 4 + 2 * 18) + "ff");
    }

    @Test
    void refusesATruncatedHeader() {
        MemorySegment octets = Octets.dirty(24);
        for (int length = 0; length < UntaggedHeader.LENGTH; length++) {
            assertThat(header.wrap(octets, 3, length)).as("%d octets", length).isFalse();
            assertThat(header.wrap(octets.asSlice(0, 3 + length), 3)).isFalse();
        }
        assertThat(header.wrap(octets, 6)).isTrue();
        assertThat(header.wrap(octets, 7)).isFalse();
        assertThat(header.wrap(octets, 3, 18)).isTrue();
    }

    @Test
    void eachFieldHasItsOctets() {
        MemorySegment out = Octets.dirty(18);
        header.wrap(out, 0);
        header.put(false, 0x4F, 0x01020304, 0x11121314, 0x21222324, 0x31323334);
        assertThat(Octets.hex(out)).isEqualTo("014f01020304111213142122232431323334");
        assertThat(header.control()).isEqualTo(1);
        assertThat(header.rsvdUlp()).isEqualTo(0x4F);
        assertThat(header.isLast()).isFalse();
    }

    @Test
    void printsOneLine() {
        header.wrap(Octets.of(Vectors.positive("SEND-INV").hex()), Fpdu.LENGTH_FIELD);
        assertThat(header.appendTo(new StringBuilder()))
                .hasToString("untagged L=1 DV=1 RV=1 opcode 4 invalidate STag 0x12345678 QN 0 MSN 4 MO 0");
        header.wrap(Octets.of(Vectors.positive("SEND-MSN-WRAP").hex()), Fpdu.LENGTH_FIELD);
        assertThat(header.appendTo(new StringBuilder()))
                .hasToString("untagged L=1 DV=1 RV=1 opcode 3 QN 0 MSN 4294967295 MO 0");
    }
}
