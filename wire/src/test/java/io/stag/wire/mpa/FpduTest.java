package io.stag.wire.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.wire.Crc32c;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FpduTest {
    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#fpdus")
    @Conforms({"MPA-008", "MPA-009", "MPA-010", "MPA-013"})
    void sizesAndCrcFieldAreWhereTheVectorsHaveThem(Vectors.Positive vector) {
        MemorySegment octets = Octets.of(vector.hex());
        int ulpduLength = vector.decoded().path("ulpdu_length").intValue();
        assertThat(Fpdu.ulpduLength(octets, 0)).isEqualTo(ulpduLength);
        assertThat(Fpdu.pad(ulpduLength))
                .isEqualTo(vector.decoded().path("pad_length").intValue());
        assertThat(Fpdu.lengthWithoutMarkers(ulpduLength)).isEqualTo((int) octets.byteSize());

        long crcOffset = octets.byteSize() - Fpdu.CRC_LENGTH;
        assertThat(Octets.hex(octets, crcOffset, Fpdu.CRC_LENGTH))
                .isEqualTo(vector.decoded().path("crc_hex").textValue());
        if (vector.decoded().path("crc_enabled").booleanValue()) {
            var crc = new Crc32c();
            crc.update(octets, 0, crcOffset);
            assertThat(Crc32c.getWire(octets, crcOffset)).isEqualTo(crc.value());
        }
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#fpdus")
    @Conforms({"MPA-008", "MPA-009", "MPA-010"})
    void writesTheWholeFpdu(Vectors.Positive vector) {
        JsonNode ddp = vector.ddp();
        MemorySegment payload = Octets.of(ddp.path("payload_hex").textValue());
        int headerLength = Vectors.flag(ddp.path("T")) ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        int ulpduLength = headerLength + (int) payload.byteSize();
        MemorySegment out = Octets.dirty(Fpdu.lengthWithoutMarkers(ulpduLength));
        Fpdu.putUlpduLength(out, 0, ulpduLength);
        putDdpHeader(ddp, out);
        MemorySegment.copy(payload, 0, out, Fpdu.LENGTH_FIELD + headerLength, payload.byteSize());
        out.asSlice(Fpdu.LENGTH_FIELD + ulpduLength, Fpdu.pad(ulpduLength)).fill((byte) 0);
        long crcOffset = out.byteSize() - Fpdu.CRC_LENGTH;
        var crc = new Crc32c();
        crc.update(out, 0, crcOffset);
        boolean useCrc = vector.decoded().path("crc_enabled").booleanValue();
        Crc32c.putWire(out, crcOffset, useCrc ? crc.value() : 0);
        assertThat(Octets.hex(out)).isEqualTo(vector.hex());
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 8", "1, 1, 8", "2, 0, 8", "3, 3, 12", "4, 2, 12", "14, 0, 20", "64768, 2, 64776"})
    @Conforms("MPA-010")
    void padsToAMultipleOfFour(int ulpduLength, int pad, int length) {
        assertThat(Fpdu.pad(ulpduLength)).isEqualTo(pad);
        assertThat(Fpdu.lengthWithoutMarkers(ulpduLength)).isEqualTo(length);
    }

    @ParameterizedTest
    @MethodSource("mulpdus")
    @Conforms({"MPA-004", "MPA-039"})
    void mulpduFollowsTheFormula(JsonNode row) {
        int emss = row.path("emss").intValue();
        assertThat(Fpdu.mulpdu(emss, false))
                .isEqualTo(row.path("without_markers").intValue());
        assertThat(Fpdu.mulpdu(emss, true)).isEqualTo(row.path("with_markers").intValue());
    }

    @Test
    @Conforms({"MPA-004", "MPA-040"})
    void mulpduStaysWithinItsLimits() {
        for (int emss = 0; emss < 140; emss++) {
            assertThat(Fpdu.mulpdu(emss, true)).as("EMSS %d", emss).isBetween(128, 134);
            assertThat(Fpdu.mulpdu(emss, false)).as("EMSS %d", emss).isBetween(128, 134);
        }
        assertThat(Fpdu.mulpdu(Integer.MAX_VALUE, true)).isEqualTo(Fpdu.MAX_ULPDU);
        assertThat(Fpdu.mulpdu(Integer.MAX_VALUE, false)).isEqualTo(Fpdu.MAX_ULPDU);
    }

    @Test
    @Conforms("MPA-039")
    void anFpduOfMulpduFitsIntoASegmentWhereverItBegins() {
        for (int emss = 200; emss < 9000; emss += 7) {
            assertThat(Fpdu.lengthWithoutMarkers(Fpdu.mulpdu(emss, false))).isLessThanOrEqualTo(emss);
            int mulpdu = Fpdu.mulpdu(emss, true);
            for (int position = 0; position < Marker.INTERVAL; position += 4) {
                assertThat(Marker.wireLength(position, mulpdu))
                        .as("EMSS %d at %d", emss, position)
                        .isLessThanOrEqualTo(emss);
            }
        }
    }

    @Test
    @Conforms("MPA-008")
    void theLengthFieldHasTwoOctetsInNetworkOrder() {
        MemorySegment out = Octets.dirty(4);
        Fpdu.putUlpduLength(out, 1, 0xFD00);
        assertThat(Octets.hex(out)).isEqualTo("fffd00ff");
        assertThat(Fpdu.ulpduLength(out, 1)).isEqualTo(Fpdu.MAX_ULPDU);
    }

    private static void putDdpHeader(JsonNode ddp, MemorySegment out) {
        boolean last = Vectors.flag(ddp.path("L"));
        int rsvdUlp = DdpControl.rdmap(ddp.path("opcode").intValue());
        if (Vectors.flag(ddp.path("T"))) {
            var header = new TaggedHeader();
            header.wrap(out, Fpdu.LENGTH_FIELD);
            header.put(last, rsvdUlp, (int) Vectors.number(ddp.path("stag")), Vectors.number(ddp.path("to")));
        } else {
            var header = new UntaggedHeader();
            header.wrap(out, Fpdu.LENGTH_FIELD);
            header.put(
                    last,
                    rsvdUlp,
                    (int) Vectors.number(ddp.path("invalidate_stag")),
                    ddp.path("qn").intValue(),
                    (int) Vectors.number(ddp.path("msn")),
                    ddp.path("mo").intValue());
        }
    }

    private static Stream<JsonNode> mulpdus() {
        return Vectors.table("mulpdu");
    }
}
