package io.stag.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class Crc32cTest {
    private final Crc32c crc = new Crc32c();

    @ParameterizedTest
    @MethodSource("crcVectors")
    @Conforms("MPA-032")
    void givesTheValuesOfRfc3720(JsonNode vector) {
        MemorySegment input = Octets.of(vector.path("input_hex").textValue());
        crc.update(input, 0, input.byteSize());
        assertThat(crc.value()).isEqualTo((int) Vectors.number(vector.path("value")));
        assertThat(wire(crc.value())).isEqualTo(vector.path("wire_hex").textValue());
    }

    @ParameterizedTest
    @MethodSource("rfc5044Examples")
    @Conforms("MPA-032")
    void givesTheValuesOfTheExamplesInRfc5044(JsonNode vector) {
        MemorySegment input = Octets.of(vector.path("covered_hex").textValue());
        crc.update(input.asByteBuffer(), 0, (int) input.byteSize());
        assertThat(wire(crc.value())).isEqualTo(vector.path("crc_wire_hex").textValue());
    }

    @Test
    void theFieldHasItsLeastSignificantOctetFirst() {
        MemorySegment field = Octets.dirty(5);
        Crc32c.putWire(field, 1, 0x0CB190B9);
        assertThat(Octets.hex(field)).isEqualTo("ffb990b10c");
        assertThat(Crc32c.getWire(field, 1)).isEqualTo(0x0CB190B9);
    }

    @Test
    void anyCutOfTheInputGivesTheSameValue() {
        byte[] octets = randomOctets(64);
        int whole = reference(octets);
        MemorySegment segment = Octets.of(octets);
        ByteBuffer buffer = segment.asByteBuffer();
        for (int cut = 0; cut <= octets.length; cut++) {
            crc.reset();
            crc.update(segment, 0, cut);
            crc.update(buffer, cut, octets.length - cut);
            assertThat(crc.value()).as("cut at %d", cut).isEqualTo(whole);
        }
    }

    @Test
    void takesBuffersOfAnyLength() {
        byte[] octets = randomOctets(1_800);
        ByteBuffer buffer = Octets.of(octets).asByteBuffer();
        for (int length = 0; length <= 1_797; length++) {
            crc.reset();
            crc.update(buffer, 3, length);
            assertThat(crc.value())
                    .as("%d octets", length)
                    .isEqualTo(reference(Arrays.copyOfRange(octets, 3, 3 + length)));
        }
    }

    @Test
    void takesSegmentsOfAnyKindAndLength() {
        byte[] octets = randomOctets(100_000);
        MemorySegment nativeSegment = Octets.of(octets);
        for (int length : new int[] {0, 1, 8191, 8192, 8193, 16384, 99_997}) {
            int expected = reference(Arrays.copyOfRange(octets, 3, 3 + length));
            for (MemorySegment segment :
                    new MemorySegment[] {nativeSegment, nativeSegment.asReadOnly(), MemorySegment.ofArray(octets)}) {
                crc.reset();
                crc.update(segment, 3, length);
                assertThat(crc.value()).as("%d octets of %s", length, segment).isEqualTo(expected);
            }
        }
    }

    @Test
    void takesARangeWhereverPositionAndLimitOfTheBufferAre() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(32).position(5).limit(9);
        crc.update(buffer, 0, 32);
        assertThat(crc.value()).isEqualTo(0x8A9136AA);
        crc.reset();
        crc.update(buffer, 0, 8);
        crc.update(buffer, 8, 24);
        assertThat(crc.value()).as("behind a range that ended before").isEqualTo(0x8A9136AA);
    }

    @Test
    void refusesARangeOutsideTheMemory() {
        MemorySegment segment = Octets.dirty(8);
        assertThatThrownBy(() -> crc.update(segment, 1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> crc.update(segment, 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        ByteBuffer buffer = segment.asByteBuffer();
        assertThatThrownBy(() -> crc.update(buffer, 1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(buffer.remaining()).isEqualTo(8);
    }

    private static Stream<JsonNode> crcVectors() {
        return Vectors.table("crc32c");
    }

    private static Stream<JsonNode> rfc5044Examples() {
        return Vectors.table("rfc5044_examples");
    }

    private static String wire(int value) {
        MemorySegment field = Octets.dirty(Crc32c.LENGTH);
        Crc32c.putWire(field, 0, value);
        return Octets.hex(field);
    }

    /** Bit by bit, so that an error in the JDK's or our use of it would show. */
    private static int reference(byte[] octets) {
        int register = -1;
        for (byte octet : octets) {
            register ^= Byte.toUnsignedInt(octet);
            for (int bit = 0; bit < 8; bit++) {
                register = register >>> 1 ^ ((register & 1) != 0 ? 0x82F63B78 : 0);
            }
        }
        return ~register;
    }

    private static byte[] randomOctets(int length) {
        byte[] octets = new byte[length];
        new SplittableRandom(length).nextBytes(octets);
        return octets;
    }
}
