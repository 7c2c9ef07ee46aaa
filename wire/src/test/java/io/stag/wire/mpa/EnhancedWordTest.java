package io.stag.wire.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class EnhancedWordTest {
    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#enhancedMpaFrames")
    @Conforms("CM-036")
    void readsAndWritesTheWordOfAFrame(Vectors.Positive vector) {
        JsonNode fields = vector.decoded().path("enhanced");
        var expected = new EnhancedWord(
                Vectors.flag(fields.path("A_peer_to_peer")),
                Vectors.flag(fields.path("B_rtr_send")),
                Vectors.flag(fields.path("C_rtr_write")),
                Vectors.flag(fields.path("D_rtr_read")),
                fields.path("ird").intValue(),
                fields.path("ord").intValue());
        MemorySegment frame = Octets.of(vector.hex());
        assertThat(EnhancedWord.read(frame, MpaFrame.HEADER_LENGTH)).isEqualTo(expected);

        MemorySegment out = Octets.dirty(EnhancedWord.LENGTH + 1);
        expected.put(out, 1);
        assertThat(Octets.hex(out, 1, EnhancedWord.LENGTH))
                .isEqualTo(vector.hex().substring(40, 48));
    }

    @ParameterizedTest
    @CsvSource({
        "true, false, false, false, 0, 0, 80000000",
        "false, true, false, false, 0, 0, 40000000",
        "false, false, true, false, 0, 0, 00008000",
        "false, false, false, true, 0, 0, 00004000",
        "false, false, false, false, 16383, 0, 3fff0000",
        "false, false, false, false, 0, 16383, 00003fff",
        "true, true, true, true, 16383, 16383, ffffffff"
    })
    @Conforms("CM-036")
    void eachFieldHasItsBits(
            boolean peerToPeer, boolean rtrSend, boolean rtrWrite, boolean rtrRead, int ird, int ord, String hex) {
        var word = new EnhancedWord(peerToPeer, rtrSend, rtrWrite, rtrRead, ird, ord);
        MemorySegment out = Octets.dirty(EnhancedWord.LENGTH);
        word.put(out, 0);
        assertThat(Octets.hex(out)).isEqualTo(hex);
        assertThat(EnhancedWord.read(out, 0)).isEqualTo(word);
    }

    @Test
    void refusesDepthsThatDoNotFit() {
        assertThatThrownBy(() -> new EnhancedWord(false, false, false, false, 0x4000, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EnhancedWord(false, false, false, false, 0, -1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void printsOneLine() {
        assertThat(new EnhancedWord(true, false, true, true, 8, EnhancedWord.NOT_NEGOTIATED)
                        .appendTo(new StringBuilder()))
                .hasToString("peer-to-peer RTR Write Read IRD 8 ORD not negotiated");
        assertThat(new EnhancedWord(false, false, false, false, 0, 1).appendTo(new StringBuilder()))
                .hasToString("client-server RTR none IRD 0 ORD 1");
    }
}
