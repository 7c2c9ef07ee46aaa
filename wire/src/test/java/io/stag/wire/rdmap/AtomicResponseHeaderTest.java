package io.stag.wire.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class AtomicResponseHeaderTest {
    private static final int OFFSET = 20; // length field and untagged header

    private final AtomicResponseHeader header = new AtomicResponseHeader();
    private final Vectors.Positive vector = Vectors.positive("ATOMIC-RESP");
    private final JsonNode fields = vector.decoded().path("atomic_response");

    @Test
    @Conforms("EXT-020")
    void readsAResponse() {
        assertThat(header.wrap(Octets.of(vector.hex()), OFFSET, 12)).isTrue();
        assertThat(header.originalRequestIdentifier()).isEqualTo((int) Vectors.number(fields.path("request_id")));
        assertThat(header.originalRemoteDataValue()).isEqualTo(Vectors.number(fields.path("original")));
        assertThat(header.appendTo(new StringBuilder())).hasToString("id 0xcafe0001 original value 0x0000000000000029");
    }

    @Test
    @Conforms("EXT-020")
    void writesAResponse() {
        MemorySegment out = Octets.dirty(1 + AtomicResponseHeader.LENGTH + 1);
        header.wrap(out, 1);
        header.put((int) Vectors.number(fields.path("request_id")), Vectors.number(fields.path("original")));
        assertThat(Octets.hex(out))
                .isEqualTo("ff" + vector.ddp().path("payload_hex").textValue() + "ff");
    }

    @Test
    void refusesATruncatedHeader() {
        MemorySegment octets = Octets.dirty(20);
        for (int length = 0; length < AtomicResponseHeader.LENGTH; length++) {
            assertThat(header.wrap(octets, 3, length)).as("%d octets", length).isFalse();
            assertThat(header.wrap(octets.asSlice(0, 3 + length), 3)).isFalse();
        }
        assertThat(header.wrap(octets, 8)).isTrue();
        assertThat(header.wrap(octets, 9)).isFalse();
    }
}
