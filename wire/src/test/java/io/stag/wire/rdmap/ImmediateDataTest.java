package io.stag.wire.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImmediateDataTest {
    private static final int OFFSET = 20; // length field and untagged header

    private final ImmediateData data = new ImmediateData();

    @ParameterizedTest
    @ValueSource(strings = {"IMM", "IMM-SE"})
    @Conforms("EXT-030")
    void readsAndWritesEightOctets(String id) {
        Vectors.Positive vector = Vectors.positive(id);
        String hex = vector.ddp().path("payload_hex").textValue();
        assertThat(data.wrap(Octets.of(vector.hex()), OFFSET, 8)).isTrue();
        long value = data.value();
        assertThat(value).isEqualTo(Long.parseUnsignedLong(hex, 16));
        assertThat(data.appendTo(new StringBuilder())).hasToString("immediate 0x" + hex);

        MemorySegment out = Octets.dirty(10);
        data.wrap(out, 1);
        data.put(value);
        assertThat(Octets.hex(out)).isEqualTo("ff" + hex + "ff");
    }

    @Test
    void refusesFewerThanEightOctets() {
        MemorySegment octets = Octets.dirty(20);
        for (int length = 0; length < ImmediateData.LENGTH; length++) {
            assertThat(data.wrap(octets, 3, length)).as("%d octets", length).isFalse();
            assertThat(data.wrap(octets.asSlice(0, 3 + length), 3)).isFalse();
        }
        assertThat(data.wrap(octets, 12)).isTrue();
        assertThat(data.wrap(octets, 13)).isFalse();
    }
}
