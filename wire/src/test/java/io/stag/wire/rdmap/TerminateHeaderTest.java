package io.stag.wire.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TerminateHeaderTest {
    private static final int OFFSET = 20; // length field and untagged header

    private final TerminateHeader header = new TerminateHeader();

    @ParameterizedTest
    @MethodSource("terminates")
    @Conforms({"RDMAP-012", "RDMAP-014", "RDMAP-015", "RDMAP-016"})
    void readsATerminate(Vectors.Positive vector) {
        JsonNode fields = vector.decoded().path("terminate");
        MemorySegment octets = Octets.of(vector.hex());
        assertThat(header.wrap(
                        octets, OFFSET, vector.ddp().path("payload_length").longValue()))
                .isTrue();
        assertThat(header.layer()).isEqualTo(fields.path("layer").intValue());
        assertThat(header.errorType()).isEqualTo(fields.path("etype").intValue());
        assertThat(header.errorCode()).isEqualTo(fields.path("code").intValue());
        assertThat(header.code()).isEqualTo(code(fields));
        assertThat(header.headerControl()).isEqualTo(flags(fields));
        assertThat(header.hasDdpSegmentLength()).isEqualTo(fields.has("ddp_segment_length"));
        if (header.hasDdpSegmentLength()) {
            assertThat(header.ddpSegmentLength())
                    .isEqualTo(fields.path("ddp_segment_length").intValue());
        }
        assertThat(Octets.hex(octets, header.ddpHeaderOffset(), header.ddpHeaderLength()))
                .isEqualTo(fields.path("terminated_ddp_header_hex").asText());
        assertThat(Octets.hex(octets, header.rdmaHeaderOffset(), header.rdmaHeaderLength()))
                .isEqualTo(fields.path("terminated_rdma_header_hex").asText());
    }

    @ParameterizedTest
    @MethodSource("terminates")
    @Conforms({"RDMAP-012", "RDMAP-013", "RDMAP-014", "RDMAP-015", "RDMAP-016"})
    void writesATerminate(Vectors.Positive vector) {
        JsonNode fields = vector.decoded().path("terminate");
        String rdmaHeader = fields.path("terminated_rdma_header_hex").asText();
        MemorySegment offending =
                Octets.of("ee" + fields.path("terminated_ddp_header_hex").asText() + rdmaHeader + "eeee");
        int segmentLength = fields.path("ddp_segment_length").intValue();
        MemorySegment out = Octets.dirty(3 + TerminateHeader.MAX_LENGTH);
        header.wrap(out, 3, TerminateHeader.MAX_LENGTH);
        int written;
        if (!rdmaHeader.isEmpty()) {
            written = header.putWithReadRequest(code(fields), segmentLength, offending, 1);
        } else if (fields.has("terminated_ddp_header_hex")) {
            written = header.putWithDdpHeader(code(fields), segmentLength, offending, 1);
        } else {
            written = header.put(code(fields));
        }
        assertThat(Octets.hex(out, 3, written))
                .isEqualTo(vector.ddp().path("payload_hex").textValue());
        assertThat(Octets.hex(out, 3 + written, TerminateHeader.MAX_LENGTH - written))
                .as("untouched")
                .matches("(ff)*");
    }

    @Test
    void refusesATruncatedHeader() {
        MemorySegment octets = Octets.dirty(20);
        for (int length = 0; length < TerminateHeader.LENGTH; length++) {
            assertThat(header.wrap(octets, 3, length)).as("%d octets", length).isFalse();
            assertThat(header.wrap(octets.asSlice(0, 3 + length), 3, 100)).isFalse();
        }
        assertThat(header.wrap(octets, 3, 4)).isTrue();
    }

    @Test
    @Conforms("RDMAP-013")
    void ignoresReservedBits() {
        header.wrap(Octets.of("12021fff"), 0, 4);
        assertThat(header.headerControl()).isZero();
        header.wrap(Octets.of("1202dfff"), 0, 4);
        assertThat(header.headerControl())
                .isEqualTo(TerminateHeader.SEGMENT_LENGTH_FLAG | TerminateHeader.DDP_HEADER_FLAG);
    }

    @Test
    void reportsOnlyPartsThatAreThereInFull() {
        MemorySegment octets =
                Octets.of(Vectors.positive("TERM-RDMAP-READ-STAG").hex());
        for (int available = TerminateHeader.LENGTH; available <= TerminateHeader.MAX_LENGTH; available++) {
            assertThat(header.wrap(octets, OFFSET, available)).isTrue();
            assertThat(header.hasDdpSegmentLength()).as("%d octets", available).isEqualTo(available >= 6);
            assertThat(header.ddpHeaderLength()).as("%d octets", available).isEqualTo(available >= 24 ? 18 : 0);
            assertThat(header.rdmaHeaderLength()).as("%d octets", available).isEqualTo(available >= 52 ? 28 : 0);
        }
    }

    @Test
    void reportsATaggedHeaderOnlyInFull() {
        MemorySegment octets =
                Octets.of(Vectors.positive("TERM-DDP-TAGGED-BOUNDS").hex());
        header.wrap(octets, OFFSET, 19);
        assertThat(header.ddpHeaderLength()).isZero();
        header.wrap(octets, OFFSET, 20);
        assertThat(header.ddpHeaderLength()).isEqualTo(14);
    }

    @Test
    void acceptsZeroedHeadersWithoutFlags() {
        header.wrap(Octets.of("20020000" + "00".repeat(48)), 0, 52);
        assertThat(header.hasDdpSegmentLength()).isFalse();
        assertThat(header.ddpHeaderLength()).isZero();
        assertThat(header.rdmaHeaderLength()).isZero();
    }

    @Test
    void acceptsAnRdmaFlagWithoutThatHeader() {
        header.wrap(Octets.of("0109e000" + "0013" + "4144dead00010000000000000001" + "00000000"), 0, 24);
        assertThat(header.ddpHeaderLength()).isEqualTo(18);
        assertThat(header.rdmaHeaderLength()).isZero();
    }

    @Test
    void findsAnRdmaHeaderWithoutDdpHeader() {
        header.wrap(Octets.of("01002000" + "11".repeat(28)), 0, 32);
        assertThat(header.ddpHeaderLength()).isZero();
        assertThat(header.rdmaHeaderOffset()).isEqualTo(4);
        assertThat(header.rdmaHeaderLength()).isEqualTo(28);
    }

    @Test
    void readsTheOrderOfLinuxSiw() {
        String ddpHeader = "414300000000000000000000000900000000";
        header.wrap(Octets.of("21020300" + "0010" + ddpHeader), 0, 24);
        assertThat(header.code()).isEqualTo(0x2102);
        assertThat(TerminateCode.of(header.code())).isEmpty();
        assertThat(TerminateCode.of(header.swappedCode())).contains(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
        assertThat(header.ddpHeaderLength()).isZero();
        int flags = header.swappedHeaderControl();
        assertThat(flags).isEqualTo(TerminateHeader.SEGMENT_LENGTH_FLAG | TerminateHeader.DDP_HEADER_FLAG);
        assertThat(header.ddpHeaderLength(flags)).isEqualTo(18);
        assertThat(header.rdmaHeaderLength(flags)).isZero();

        header.wrap(Octets.of("10000400"), 0, 4);
        assertThat(header.swappedHeaderControl()).isEqualTo(TerminateHeader.RDMA_HEADER_FLAG);
    }

    @Test
    void printsOneLine() {
        header.wrap(Octets.of(Vectors.positive("TERM-DDP-NOBUF").hex()), OFFSET, 24);
        assertThat(header.appendTo(new StringBuilder()))
                .hasToString("Terminate 0x1202 No buffer is available for the message sequence number."
                        + " M=1 D=1 R=0 segment length 34");
        header.wrap(Octets.of("02020000"), 0, 4);
        assertThat(header.appendTo(new StringBuilder())).hasToString("Terminate 0x0202 M=0 D=0 R=0");
    }

    private static Stream<Vectors.Positive> terminates() {
        return Vectors.fpdusWith("terminate");
    }

    private static int code(JsonNode fields) {
        return fields.path("layer").intValue() << 12
                | fields.path("etype").intValue() << 8
                | fields.path("code").intValue();
    }

    private static int flags(JsonNode fields) {
        return fields.path("M").intValue() << 15
                | fields.path("D").intValue() << 14
                | fields.path("R").intValue() << 13;
    }
}
