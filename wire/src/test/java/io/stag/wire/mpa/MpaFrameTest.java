package io.stag.wire.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MpaFrameTest {
    private final MpaFrame frame = new MpaFrame();

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#mpaFrames")
    @Conforms({"CM-003", "CM-004"})
    void readsAFrame(Vectors.Positive vector) {
        JsonNode decoded = vector.decoded();
        MemorySegment octets = Octets.of(vector.hex());
        assertThat(frame.wrap(octets, 0, octets.byteSize())).isTrue();
        assertThat(frame.isRequestKey()).isEqualTo(vector.kind().equals("mpa-req"));
        assertThat(frame.isReplyKey()).isEqualTo(vector.kind().equals("mpa-rep"));
        assertThat(frame.markers()).isEqualTo(Vectors.flag(decoded.path("M")));
        assertThat(frame.crc()).isEqualTo(Vectors.flag(decoded.path("C")));
        assertThat(frame.reject()).isEqualTo(Vectors.flag(decoded.path("R")));
        assertThat(frame.enhanced()).isEqualTo(Vectors.flag(decoded.path("S")));
        assertThat(frame.revision()).isEqualTo(decoded.path("rev").intValue());
        assertThat(frame.privateDataLength())
                .isEqualTo(decoded.path("pd_length").intValue());
        assertThat(frame.isComplete()).isTrue();
        assertThat(Octets.hex(octets, frame.privateDataOffset(), frame.privateDataLength()))
                .isEqualTo(decoded.path("private_data_hex").textValue());
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#mpaFrames")
    @Conforms({"CM-003", "CM-004", "CM-009"})
    void writesAFrame(Vectors.Positive vector) {
        JsonNode decoded = vector.decoded();
        boolean markers = Vectors.flag(decoded.path("M"));
        boolean crc = Vectors.flag(decoded.path("C"));
        boolean enhanced = Vectors.flag(decoded.path("S"));
        int revision = decoded.path("rev").intValue();
        MemorySegment privateData = Octets.of(decoded.path("private_data_hex").textValue());
        int length = (int) privateData.byteSize();
        MemorySegment out = Octets.dirty(3 + MpaFrame.HEADER_LENGTH + length);
        frame.wrap(out, 3, MpaFrame.HEADER_LENGTH);
        if (vector.kind().equals("mpa-req")) {
            frame.putRequest(markers, crc, enhanced, revision, length);
        } else {
            frame.putReply(markers, crc, Vectors.flag(decoded.path("R")), enhanced, revision, length);
        }
        MemorySegment.copy(privateData, 0, out, frame.privateDataOffset(), length);
        assertThat(Octets.hex(out)).isEqualTo("ffffff" + vector.hex());
    }

    @Test
    void refusesATruncatedHeader() {
        MemorySegment octets = Octets.of(Vectors.positive("MPA-REQ-V1-MC-PD").hex());
        for (int available = 0; available < MpaFrame.HEADER_LENGTH; available++) {
            assertThat(frame.wrap(octets, 0, available))
                    .as("%d octets", available)
                    .isFalse();
            assertThat(frame.wrap(octets.asSlice(0, available), 0, 100)).isFalse();
        }
        assertThat(frame.wrap(octets, octets.byteSize() + 1, 20)).isFalse();
    }

    @Test
    void saysWhetherAllPrivateDataIsThere() {
        MemorySegment octets = Octets.of(Vectors.positive("MPA-REQ-V1-MC-PD").hex());
        for (int available = MpaFrame.HEADER_LENGTH; available < 40; available++) {
            assertThat(frame.wrap(octets, 0, available)).isTrue();
            assertThat(frame.isComplete()).as("%d octets", available).isEqualTo(available >= 30);
        }
    }

    @Test
    @Conforms("CM-009")
    void eachFlagHasItsBitAndReservedBitsAreZero() {
        MemorySegment out = Octets.dirty(MpaFrame.HEADER_LENGTH);
        frame.wrap(out, 0, MpaFrame.HEADER_LENGTH);
        for (int bits = 0; bits < 16; bits++) {
            boolean markers = (bits & 8) != 0;
            boolean crc = (bits & 4) != 0;
            boolean reject = (bits & 2) != 0;
            boolean enhanced = (bits & 1) != 0;
            frame.putReply(markers, crc, reject, enhanced, 2, 0);
            assertThat(Octets.hex(out, 16, 1)).isEqualTo("%x0".formatted(bits));
            assertThat(frame.markers()).isEqualTo(markers);
            assertThat(frame.crc()).isEqualTo(crc);
            assertThat(frame.reject()).isEqualTo(reject);
            assertThat(frame.enhanced()).isEqualTo(enhanced);
        }
    }

    @Test
    void ignoresReservedBits() {
        MemorySegment octets = Octets.of(Vectors.positive("MPA-REP-V1-REJECT").hex());
        octets.set(ValueLayout.JAVA_BYTE, 16, (byte) 0x6F);
        frame.wrap(octets, 0, octets.byteSize());
        StringBuilder line = frame.appendTo(new StringBuilder());
        assertThat(line).hasToString("MPA Reply M=0 C=1 R=1 S=0 Rev 1 PD_Length 4");
    }

    @Test
    void knowsNoOtherKey() {
        MemorySegment octets = Octets.of(Vectors.negative("NEG-MPA-KEY").hex());
        frame.wrap(octets, 0, octets.byteSize());
        assertThat(frame.isRequestKey()).isFalse();
        assertThat(frame.isReplyKey()).isFalse();
        for (int at = 0; at < 16; at++) {
            MemorySegment damaged = Octets.of(Vectors.positive("MPA-REQ-V1").hex());
            var octet = ValueLayout.JAVA_BYTE;
            damaged.set(octet, at, (byte) (damaged.get(octet, at) ^ 0x20));
            frame.wrap(damaged, 0, damaged.byteSize());
            assertThat(frame.isRequestKey()).as("octet %d changed", at).isFalse();
            assertThat(frame.isReplyKey()).as("octet %d changed", at).isFalse();
        }
    }

    @Test
    void readsWhatAPeerShouldNotSend() {
        MemorySegment tooLong = Octets.of(Vectors.negative("NEG-MPA-PDLEN").hex());
        frame.wrap(tooLong, 0, tooLong.byteSize());
        assertThat(frame.privateDataLength()).isEqualTo(513);
        MemorySegment revision = Octets.of(Vectors.negative("NEG-MPA-REV").hex());
        frame.wrap(revision, 0, revision.byteSize());
        assertThat(frame.revision()).isEqualTo(255);
    }
}
