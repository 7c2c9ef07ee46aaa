package io.stag.rnic.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.AccessCheck;
import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import io.stag.wire.mpa.Fpdu;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FpduEncoderTest {
    private final StagingBuffer out = new StagingBuffer(256 * 1024);

    FpduEncoderTest() {
        out.segment().fill((byte) 0xFF); // what is not written shows
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#fpdus")
    @Conforms({"MPA-008", "MPA-009", "MPA-013", "MPA-031"})
    void writesTheFpdu(Vectors.Positive vector) {
        boolean crc = vector.decoded().path("crc_enabled").booleanValue();
        int length = vector.decoded().path("ulpdu_length").intValue();
        String ulpdu = vector.hex().substring(4, 4 + 2 * length);
        encode(new FpduEncoder(crc, false, 0), HexFormat.of().parseHex(ulpdu));
        assertThat(held()).isEqualTo(vector.hex());
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#markedStreams")
    @Conforms({
        "MPA-001", "MPA-009", "MPA-015", "MPA-016", "MPA-017", "MPA-020", "MPA-021", "MPA-022", "MPA-023", "MPA-024",
        "MPA-029", "MPA-030", "MPA-031", "CM-028"
    })
    void writesTheMarkedStream(Vectors.Positive vector) {
        var encoder = new FpduEncoder(vector.decoded().path("crc_enabled").booleanValue(), true, 0);
        vector.decoded()
                .path("ulpdus_hex")
                .forEach(ulpdu -> encode(encoder, HexFormat.of().parseHex(ulpdu.textValue())));
        assertThat(held()).isEqualTo(vector.hex());
    }

    @Test
    @Conforms({"MPA-010", "MPA-011"})
    void padsWithZerosToAMultipleOfFour() {
        for (int length = 1; length <= 9; length++) {
            out.clear();
            byte[] ulpdu = new byte[length];
            encode(new FpduEncoder(true, false, 0), ulpdu);
            assertThat(out.size() % 4).isZero();
            int pad = out.size() - 6 - length;
            assertThat(pad).isBetween(0, 3);
            assertThat(Octets.hex(out.segment(), 2 + length, pad)).isEqualTo("00".repeat(pad));
        }
    }

    @Test
    @Conforms({"MPA-013", "MPA-037"})
    void withoutCrcTheFieldIsThereAndZero() {
        encode(new FpduEncoder(false, false, 0), new byte[] {1, 2});
        assertThat(held()).isEqualTo("0002" + "0102" + "00000000");
    }

    @Test
    @Conforms("MPA-001")
    void putsFpdusBehindEachOtherAndBehindWhatTheBufferHolds() {
        out.append(3);
        var encoder = new FpduEncoder(true, false, 0);
        byte[] first = {1, 2, 3};
        byte[] second = {4};
        encode(encoder, first);
        encode(encoder, second);
        assertThat(held()).isEqualTo("ffffff" + hex(FpduModel.encode(0, List.of(first, second), true, false)));
    }

    @Test
    @Conforms({"MPA-020", "MPA-022", "MPA-024"})
    void marksTheLongestUlpdu() {
        byte[] ulpdu = new byte[Fpdu.MAX_ULPDU];
        new SplittableRandom(1).nextBytes(ulpdu);
        for (int position = 0; position < 520; position += 4) {
            out.clear();
            encode(new FpduEncoder(true, true, position), ulpdu);
            assertThat(held()).isEqualTo(hex(FpduModel.encode(position, List.of(ulpdu), true, true)));
            assertThat(out.size()).isLessThanOrEqualTo(StagingPool.FPDU_CAPACITY);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"MPA-020", "MPA-025", "MPA-026"})
    void writesWhatTheModelWritesAlsoAcrossTheWrapOfPositions(long seed) {
        var random = new SplittableRandom(seed);
        boolean crc = random.nextBoolean();
        boolean markers = random.nextInt(4) > 0;
        int start = FpduModel.randomStart(random);
        List<byte[]> ulpdus = FpduModel.randomUlpdus(random);
        var encoder = new FpduEncoder(crc, markers, start);
        List<Integer> announced = new ArrayList<>();
        List<Integer> written = new ArrayList<>();
        for (byte[] ulpdu : ulpdus) {
            int before = out.size();
            announced.add(encoder.wireLength(ulpdu.length));
            if (random.nextBoolean()) {
                encode(encoder, ulpdu);
            } else {
                encodeGathered(encoder, ulpdu, random);
            }
            written.add(out.size() - before);
        }
        assertThat(held()).as(Seeds.replay(seed)).isEqualTo(hex(FpduModel.encode(start, ulpdus, crc, markers)));
        assertThat(announced).as(Seeds.replay(seed)).isEqualTo(written);
    }

    private List<Integer> pieces() {
        List<Integer> pieces = new ArrayList<>();
        while (out.size() > 0) {
            pieces.add(out.untilBreak());
            out.consume(out.untilBreak());
        }
        return pieces;
    }

    /** 1,398 octets are left of an MTU of 1,450, as overlay networks have it. */
    @Test
    void packsWholeFpdusIntoSegmentsThatAreNoMultipleOfFour() {
        var encoder = new FpduEncoder(true, false, 0, 1_398);
        for (int ulpdu : new int[] {1_390, 1_390, 694, 690, 14, 200}) {
            encode(encoder, new byte[ulpdu]);
        }
        assertThat(pieces()).containsExactly(1_396, 1_396, 700 + 696, 20 + 208);
        encode(encoder, new byte[14]); // the one before has left
        encode(encoder, new byte[1_390]);
        assertThat(pieces()).containsExactly(20, 1_396);
    }

    @Test
    void leavesTheCutsToTcpWhereTheyDoNoHarm() {
        for (var encoder : List.of(
                new FpduEncoder(true, false, 0, 1_448),
                new FpduEncoder(false, false, 0, 1_398),
                new FpduEncoder(true, false, 0, 65_483))) {
            encode(encoder, new byte[1_000]);
            encode(encoder, new byte[1_000]);
            assertThat(pieces()).containsExactly(2 * 1_008);
        }
    }

    @Test
    void breaksMoveWithTheOctets() {
        var encoder = new FpduEncoder(true, false, 0, 1_398);
        encode(encoder, new byte[1_390]);
        encode(encoder, new byte[1_390]);
        encode(encoder, new byte[14]);
        out.consume(1_000); // TCP took a part
        StagingBuffer other = new StagingBuffer(66 * 1024);
        other.takeAll(out);
        assertThat(other.untilBreak()).isEqualTo(396);
        other.consume(300);
        other.compact();
        assertThat(other.untilBreak()).isEqualTo(96);
        other.consume(96);
        assertThat(other.untilBreak()).isEqualTo(1_396);
        other.consume(1_396);
        assertThat(other.untilBreak()).isEqualTo(20);
        other.consume(20);
        assertThat(other.hasBreak()).isFalse();
    }

    private void encodeGathered(FpduEncoder encoder, byte[] ulpdu, SplittableRandom random) {
        MemorySegment source = MemorySegment.ofArray(ulpdu);
        int at = encoder.begin(out, ulpdu.length);
        int done = Math.min(random.nextInt(FpduDecoder.HEADERS), ulpdu.length);
        MemorySegment.copy(source, 0, out.segment(), at, done);
        while (done < ulpdu.length) {
            int step = 1 + random.nextInt(ulpdu.length - done);
            assertThat(encoder.gather(source, done, done, step)).isEqualTo(AccessCheck.OK);
            done += step;
        }
        encoder.end();
    }

    private void encode(FpduEncoder encoder, byte[] ulpdu) {
        int at = encoder.begin(out, ulpdu.length);
        MemorySegment.copy(MemorySegment.ofArray(ulpdu), 0, out.segment(), at, ulpdu.length);
        encoder.end();
    }

    private String held() {
        return Octets.hex(out.segment(), out.start(), out.size());
    }

    private static String hex(byte[] octets) {
        return HexFormat.of().formatHex(octets);
    }
}
