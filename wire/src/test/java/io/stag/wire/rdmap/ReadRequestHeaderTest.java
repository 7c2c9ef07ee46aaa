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

class ReadRequestHeaderTest {
    private static final int OFFSET = 20; // length field and untagged header

    private final ReadRequestHeader header = new ReadRequestHeader();

    @ParameterizedTest
    @MethodSource("readRequests")
    @Conforms("RDMAP-010")
    void readsARequest(Vectors.Positive vector) {
        JsonNode fields = vector.decoded().path("read_request");
        assertThat(header.wrap(Octets.of(vector.hex()), OFFSET, 28)).isTrue();
        assertThat(header.sinkStag()).isEqualTo((int) Vectors.number(fields.path("sink_stag")));
        assertThat(header.sinkTaggedOffset()).isEqualTo(Vectors.number(fields.path("sink_to")));
        assertThat(header.messageSize()).isEqualTo(fields.path("size").intValue());
        assertThat(header.sourceStag()).isEqualTo((int) Vectors.number(fields.path("src_stag")));
        assertThat(header.sourceTaggedOffset()).isEqualTo(Vectors.number(fields.path("src_to")));
    }

    @ParameterizedTest
    @MethodSource("readRequests")
    @Conforms("RDMAP-010")
    void writesARequest(Vectors.Positive vector) {
        JsonNode fields = vector.decoded().path("read_request");
        MemorySegment out = Octets.dirty(1 + ReadRequestHeader.LENGTH + 1);
        header.wrap(out, 1);
        header.put(
                (int) Vectors.number(fields.path("sink_stag")),
                Vectors.number(fields.path("sink_to")),
                fields.path("size").intValue(),
                (int) Vectors.number(fields.path("src_stag")),
                Vectors.number(fields.path("src_to")));
        assertThat(Octets.hex(out))
                .isEqualTo("ff" + vector.ddp().path("payload_hex").textValue() + "ff");
    }

    @Test
    void refusesATruncatedHeader() {
        MemorySegment octets = Octets.dirty(40);
        for (int length = 0; length < ReadRequestHeader.LENGTH; length++) {
            assertThat(header.wrap(octets, 3, length)).as("%d octets", length).isFalse();
            assertThat(header.wrap(octets.asSlice(0, 3 + length), 3)).isFalse();
        }
        assertThat(header.wrap(octets, 12)).isTrue();
        assertThat(header.wrap(octets, 13)).isFalse();
    }

    @Test
    void printsOneLineWithAnUnsignedSize() {
        MemorySegment out = Octets.dirty(28);
        header.wrap(out, 0);
        header.put(1, 2, -1, 3, -4);
        assertThat(header.appendTo(new StringBuilder()))
                .hasToString("sink STag 0x00000001 TO 0x0000000000000002 size 4294967295"
                        + " source STag 0x00000003 TO 0xfffffffffffffffc");
    }

    private static Stream<Vectors.Positive> readRequests() {
        return Vectors.fpdusWith("read_request");
    }
}
