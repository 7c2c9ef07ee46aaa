package io.stag.rnic.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.mpa.FpduDecoder.Result;
import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FpduDecoderTest {
    private final StagingBuffer in = new StagingBuffer(StagingPool.FPDU_CAPACITY);

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#fpdus")
    @Conforms({"MPA-008", "MPA-028", "MPA-031", "MPA-045", "MPA-048"})
    void findsTheFpduHoweverTheStreamIsCut(Vectors.Positive vector) {
        boolean crc = vector.decoded().path("crc_enabled").booleanValue();
        int length = vector.decoded().path("ulpdu_length").intValue();
        String ulpdu = vector.hex().substring(4, 4 + 2 * length);
        byte[] stream = HexFormat.of().parseHex(vector.hex());
        for (int cut = 0; cut <= stream.length; cut++) {
            assertThat(decode(new FpduDecoder(crc, false, 0), stream, cut)).containsExactly(ulpdu);
        }
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#markedStreams")
    @Conforms({"MPA-027", "MPA-028", "MPA-029", "MPA-030", "MPA-044", "MPA-045", "MPA-048"})
    void findsTheUlpdusOfAMarkedStreamHoweverItIsCut(Vectors.Positive vector) {
        boolean crc = vector.decoded().path("crc_enabled").booleanValue();
        List<String> ulpdus = new ArrayList<>();
        vector.decoded().path("ulpdus_hex").forEach(ulpdu -> ulpdus.add(ulpdu.textValue()));
        byte[] stream = HexFormat.of().parseHex(vector.hex());
        for (int cut = 0; cut <= stream.length; cut++) {
            assertThat(decode(new FpduDecoder(crc, true, 0), stream, cut)).isEqualTo(ulpdus);
        }
    }

    @Test
    @Conforms({"MPA-028", "MPA-044"})
    void takesSeveralFpdusFromOneBuffer() {
        List<byte[]> ulpdus = List.of(new byte[] {1}, new byte[] {2, 3}, new byte[] {4, 5, 6});
        byte[] stream = FpduModel.encode(0, ulpdus, true, false);
        assertThat(decode(new FpduDecoder(true, false, 0), stream, stream.length))
                .containsExactly("01", "0203", "040506");
        assertThat(in.size()).isZero();
    }

    @Test
    @Conforms({"MPA-047", "MPA-048"})
    void asksForTheLengthFieldAndThenForExactlyTheRest() {
        byte[] stream = FpduModel.encode(508, List.of(new byte[500]), true, true);
        var decoder = new FpduDecoder(true, true, 508);
        assertThat(decoder.next(in)).isEqualTo(Result.INCOMPLETE);
        assertThat(decoder.needed()).isEqualTo(2);
        feed(stream, 0, 1);
        assertThat(decoder.next(in)).isEqualTo(Result.INCOMPLETE);
        assertThat(decoder.needed()).isEqualTo(1);
        feed(stream, 1, 1);
        assertThat(decoder.next(in)).isEqualTo(Result.INCOMPLETE);
        assertThat(decoder.needed()).isEqualTo(stream.length - 2);
        feed(stream, 2, decoder.needed());
        assertThat(decoder.next(in)).isEqualTo(Result.FPDU);
    }

    @Test
    void countsALeadingMarkerAmongWhatItNeeds() {
        var decoder = new FpduDecoder(true, true, 512);
        assertThat(decoder.next(in)).isEqualTo(Result.INCOMPLETE);
        assertThat(decoder.needed()).isEqualTo(6);
    }

    @Test
    @Conforms({"MPA-031", "MPA-038"})
    void noFpduWithAFlippedBitIsValid() {
        byte[] good =
                FpduModel.encode(500, List.of("direct data placement".getBytes(StandardCharsets.US_ASCII)), true, true);
        for (int bit = 0; bit < 8 * good.length; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << bit % 8);
            in.clear();
            feed(bad, 0, bad.length);
            Result result = new FpduDecoder(true, true, 500).next(in);
            // a length field that grew asks for octets that have not come
            assertThat(result).as("bit %d", bit).isIn(Result.BAD_CRC, Result.INCOMPLETE);
        }
    }

    @Test
    @Conforms("MPA-012")
    void takesAnyPadThatTheCrcCovers() {
        byte[] fpdu = FpduModel.fpdu(0, new byte[] {1, 2, 3}, HexFormat.of().parseHex("aabbcc"), true, false);
        assertThat(decode(new FpduDecoder(true, false, 0), fpdu, fpdu.length)).containsExactly("010203");
        fpdu[6] = 0;
        in.clear();
        feed(fpdu, 0, fpdu.length);
        assertThat(new FpduDecoder(true, false, 0).next(in)).isEqualTo(Result.BAD_CRC);
    }

    @Test
    @Conforms({"MPA-014", "MPA-037"})
    void withoutCrcTheFieldIsNotLookedAt() {
        byte[] fpdu = HexFormat.of().parseHex("0002" + "0102" + "deadbeef");
        assertThat(decode(new FpduDecoder(false, false, 0), fpdu, 3)).containsExactly("0102");
    }

    @Test
    @Conforms("MPA-016")
    void ignoresTheReservedHalfOfAMarkerButNotInTheCrc() {
        byte[] fpdu = FpduModel.encode(508, List.of(new byte[20]), true, true);
        fpdu[4] = (byte) 0xAB;
        in.clear();
        feed(fpdu, 0, fpdu.length);
        assertThat(new FpduDecoder(true, true, 508).next(in)).isEqualTo(Result.BAD_CRC);
        in.clear();
        byte[] mended = FpduModel.withGoodCrc(fpdu);
        assertThat(decode(new FpduDecoder(true, true, 508), mended, 0)).containsExactly("00".repeat(20));
    }

    @Test
    @Conforms("MPA-018")
    void masksTheLowBitsOfAMarkersPointer() {
        byte[] fpdu = HexFormat.of().parseHex(Vectors.positive("MARK-MID").hex());
        assertThat(fpdu[515]).isEqualTo((byte) 0xFC);
        fpdu[515] = (byte) 0xFF;
        assertThat(decode(new FpduDecoder(true, true, 0), FpduModel.withGoodCrc(fpdu), 0))
                .containsExactly(Vectors.positive("MARK-MID")
                        .decoded()
                        .path("ulpdus_hex")
                        .get(0)
                        .textValue());
    }

    @Test
    @Conforms({"MPA-046", "MPA-051"})
    void seesAMarkerThatPointsElsewhere() {
        byte[] stream = HexFormat.of().parseHex(Vectors.negative("NEG-MARKER").hex());
        feed(stream, 0, stream.length);
        assertThat(new FpduDecoder(true, true, 0).next(in)).isEqualTo(Result.BAD_MARKER);
    }

    @Test
    @Conforms("MPA-046")
    void seesALeadingMarkerThatPointsElsewhere() {
        byte[] fpdu = FpduModel.encode(0, List.of(new byte[20]), true, true);
        fpdu[3] = 4;
        byte[] mended = FpduModel.withGoodCrc(fpdu);
        feed(mended, 0, mended.length);
        assertThat(new FpduDecoder(true, true, 0).next(in)).isEqualTo(Result.BAD_MARKER);
    }

    @Test
    void theLongestFpduThatCanBeAnnouncedFitsTheBuffer() {
        for (int position = 0; position < 512; position += 4) {
            byte[] stream = FpduModel.encode(position, List.of(new byte[0xFFFF]), true, true);
            assertThat(stream.length).isLessThanOrEqualTo(StagingPool.FPDU_CAPACITY);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"MPA-001", "MPA-026", "MPA-027", "MPA-028", "MPA-044", "MPA-056"})
    void findsWhatTheModelSentInWhateverPiecesItComes(long seed) {
        var random = new SplittableRandom(seed);
        boolean crc = random.nextBoolean();
        boolean markers = random.nextInt(4) > 0;
        int start = FpduModel.randomStart(random);
        List<byte[]> ulpdus = FpduModel.randomUlpdus(random);
        byte[] stream = FpduModel.encode(start, ulpdus, crc, markers);
        var decoder = new FpduDecoder(crc, markers, start);
        int largestPiece = random.nextBoolean() ? 7 : 5_000;
        List<String> found = new ArrayList<>();
        for (int at = 0; at < stream.length; ) {
            int piece = Math.min(1 + random.nextInt(largestPiece), stream.length - at);
            in.compact();
            feed(stream, at, piece);
            at += piece;
            found.addAll(drain(decoder, stream.length - at));
        }
        assertThat(found)
                .as(Seeds.replay(seed))
                .isEqualTo(ulpdus.stream().map(HexFormat.of()::formatHex).toList());
    }

    /** What is found when the stream comes in two pieces. */
    private List<String> decode(FpduDecoder decoder, byte[] stream, int cut) {
        in.clear();
        feed(stream, 0, cut);
        List<String> found = drain(decoder, stream.length - cut);
        feed(stream, cut, stream.length - cut);
        found.addAll(drain(decoder, 0));
        return found;
    }

    /** Headers are read where they are, the rest is placed, in several pieces. */
    private String ulpdu(FpduDecoder decoder) {
        int length = decoder.ulpduLength();
        MemorySegment ulpdu = MemorySegment.ofArray(new byte[length]);
        int done = Math.min(length, FpduDecoder.HEADERS);
        MemorySegment.copy(in.segment(), decoder.ulpduOffset(), ulpdu, 0, done);
        for (int piece = 1; done < length; piece *= 3) {
            int step = Math.min(piece, length - done);
            assertThat(decoder.place(in.segment(), decoder.ulpduOffset() + done, ulpdu, done, step))
                    .isEqualTo(AccessCheck.OK);
            done += step;
        }
        return Octets.hex(ulpdu, 0, length);
    }

    private List<String> drain(FpduDecoder decoder, int stillToCome) {
        List<String> found = new ArrayList<>();
        Result result = decoder.next(in);
        while (result == Result.FPDU) {
            found.add(ulpdu(decoder));
            decoder.consume(in);
            result = decoder.next(in);
        }
        assertThat(result).isEqualTo(Result.INCOMPLETE);
        if (stillToCome > 0) {
            assertThat(decoder.needed())
                    .as("never more than the sender will send")
                    .isBetween(1, stillToCome);
        }
        return found;
    }

    private void feed(byte[] stream, int offset, int length) {
        MemorySegment.copy(MemorySegment.ofArray(stream), offset, in.segment(), in.end(), length);
        in.append(length);
    }
}
