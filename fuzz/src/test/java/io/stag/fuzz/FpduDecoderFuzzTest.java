package io.stag.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stag.rnic.mpa.FpduDecoder;
import io.stag.rnic.mpa.FpduDecoder.Result;
import io.stag.rnic.mpa.FpduEncoder;
import io.stag.rnic.mpa.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Framing against {@link SlowFraming}: any octets, cut anywhere, with and without markers and CRC.
 *
 * <p>Input: flags, start position (2 octets), octets per piece, octet to damage (2), then the stream, or its ULPDUs each
 * after its length (2).
 */
class FpduDecoderFuzzTest {
    private static final int CRC = 1;
    private static final int MARKERS = 2;
    private static final int REPAIRED = 4;
    private static final int ENCODED = 8;
    private static final int NEAR_THE_WRAP = 16;
    private static final int MOST_FPDUS = 64;

    private static final StagingBuffer IN = new StagingBuffer(2 * SlowFraming.LONGEST_FPDU);
    private static final StagingBuffer OUT = new StagingBuffer(2 * SlowFraming.LONGEST_FPDU);

    @FuzzTest
    void findsWhatASlowDecoderFinds(byte[] data) {
        var input = new Input(data);
        int flags = input.u8();
        boolean crc = (flags & CRC) != 0;
        boolean markers = (flags & MARKERS) != 0;
        int position = input.u16() * 4 | ((flags & NEAR_THE_WRAP) != 0 ? 0xFFFC_0000 : 0);
        int piece = 1 + input.u8();
        int damaged = input.u16();
        var slow = new SlowFraming(markers);
        byte[] stream;
        if ((flags & ENCODED) != 0) {
            stream = encode(input, slow, crc, markers, position);
            if (damaged < stream.length) {
                stream[damaged] ^= 1;
            }
        } else {
            stream = input.rest();
            if ((flags & REPAIRED) != 0) {
                slow.repair(stream, position);
            }
        }
        decode(stream, piece, slow, new FpduDecoder(crc, markers, position), crc, position);
    }

    private static byte[] encode(Input input, SlowFraming slow, boolean crc, boolean markers, int position) {
        var encoder = new FpduEncoder(crc, markers, position);
        OUT.clear();
        for (int i = 0; i < MOST_FPDUS && !input.isEmpty(); i++) {
            byte[] ulpdu = input.octets(input.u16());
            int start = OUT.end();
            int wireLength = encoder.wireLength(ulpdu.length);
            if (wireLength > OUT.room()) {
                break;
            }
            int at = encoder.begin(OUT, ulpdu.length);
            MemorySegment.copy(ulpdu, 0, OUT.segment(), ValueLayout.JAVA_BYTE, at, ulpdu.length);
            encoder.end();
            Check.equal(OUT.end() - start, wireLength, "octets of the FPDU");
            byte[] expected = slow.encode(ulpdu, position + start, crc);
            Check.that(Arrays.equals(octets(OUT, start, wireLength), expected), "the FPDU as by the RFC");
        }
        return octets(OUT, 0, OUT.size());
    }

    private static void decode(
            byte[] stream, int piece, SlowFraming slow, FpduDecoder decoder, boolean crc, int position) {
        IN.clear();
        int fed = 0;
        int taken = 0;
        SlowFraming.Found next = slow.find(stream, taken, position + taken);
        while (true) {
            Found expected = Found.of(next, fed - taken, crc);
            Result result = decoder.next(IN);
            Check.that(result == expected.result(), () -> result + " where " + expected.result() + " is right");
            switch (result) {
                case INCOMPLETE -> {
                    Check.that(decoder.needed() > 0, "something is needed");
                    Check.that(decoder.needed() <= expected.missing(), "no more is asked for than belongs to the FPDU");
                    if (fed == stream.length) {
                        return;
                    }
                    int step = Math.min(piece, stream.length - fed);
                    if (IN.room() < step) {
                        IN.compact();
                    }
                    MemorySegment.copy(stream, fed, IN.segment(), ValueLayout.JAVA_BYTE, IN.end(), step);
                    IN.append(step);
                    fed += step;
                }
                case FPDU -> {
                    byte[] ulpdu = new byte[decoder.ulpduLength()];
                    int headers = Math.min(ulpdu.length, FpduDecoder.HEADERS);
                    MemorySegment whole = MemorySegment.ofArray(ulpdu);
                    MemorySegment.copy(IN.segment(), decoder.ulpduOffset(), whole, 0, headers);
                    decoder.place(
                            IN.segment(), decoder.ulpduOffset() + headers, whole, headers, ulpdu.length - headers);
                    Check.that(Arrays.equals(ulpdu, expected.slow().ulpdu()), "the ULPDU");
                    decoder.consume(IN);
                    taken += expected.slow().wireLength();
                    Check.equal(IN.size(), fed - taken, "octets left");
                    next = slow.find(stream, taken, position + taken);
                }
                case BAD_CRC, BAD_MARKER -> {
                    return;
                }
            }
        }
    }

    /** What the slow decoder says when only the first {@code there} octets have come. */
    private record Found(SlowFraming.Found slow, Result result, int missing) {
        static Found of(SlowFraming.Found slow, int there, boolean crc) {
            Result result = !slow.whole() || there < slow.wireLength()
                    ? Result.INCOMPLETE
                    : crc && !slow.crcRight() ? Result.BAD_CRC : slow.markersRight() ? Result.FPDU : Result.BAD_MARKER;
            return new Found(slow, result, slow.wireLength() - there);
        }
    }

    private static byte[] octets(StagingBuffer buffer, int offset, int length) {
        return buffer.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }
}
