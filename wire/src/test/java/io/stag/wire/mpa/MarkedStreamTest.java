package io.stag.wire.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.wire.Octets;
import io.stag.wire.Vectors;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MarkedStreamTest {
    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#markedStreams")
    @Conforms({"MPA-009", "MPA-015", "MPA-017", "MPA-020", "MPA-021", "MPA-022", "MPA-023", "MPA-024"})
    void writesTheStream(Vectors.Positive vector) {
        List<byte[]> ulpdus = new ArrayList<>();
        vector.decoded()
                .path("ulpdus_hex")
                .forEach(hex -> ulpdus.add(HexFormat.of().parseHex(hex.textValue())));
        byte[] stream = MarkedStream.encode(0, ulpdus, useCrc(vector));
        assertThat(HexFormat.of().formatHex(stream)).isEqualTo(vector.hex());
    }

    @ParameterizedTest
    @MethodSource("io.stag.wire.Vectors#markedStreams")
    @Conforms({"MPA-009", "MPA-015", "MPA-020", "MPA-021", "MPA-022", "MPA-023", "MPA-024"})
    void readsTheStream(Vectors.Positive vector) {
        byte[] stream = HexFormat.of().parseHex(vector.hex());
        List<MarkedStream.Received> received = MarkedStream.decode(0, stream, useCrc(vector));
        JsonNode expected = vector.decoded().path("fpdus");
        assertThat(received).hasSize(expected.size());
        for (int i = 0; i < received.size(); i++) {
            MarkedStream.Received fpdu = received.get(i);
            JsonNode fields = expected.get(i);
            assertThat(fpdu.position()).isEqualTo(fields.path("stream_offset").intValue());
            assertThat(fpdu.lengthField()).isEqualTo(fields.path("fpdu_start").intValue());
            assertThat(fpdu.wireLength())
                    .isEqualTo(fields.path("length_on_wire").intValue());
            assertThat(fpdu.ulpdu()).hasSize(fields.path("ulpdu_length").intValue());
            assertThat(fpdu.crcHex()).isEqualTo(fields.path("crc_hex").textValue());
            List<MarkedStream.Mark> markers = new ArrayList<>();
            for (JsonNode marker : fields.path("markers")) {
                markers.add(new MarkedStream.Mark(
                        marker.path("stream_offset").intValue(),
                        marker.path("fpduptr").intValue()));
            }
            assertThat(fpdu.markers()).isEqualTo(markers);
            assertThat(HexFormat.of().formatHex(fpdu.ulpdu()))
                    .isEqualTo(vector.decoded().path("ulpdus_hex").get(i).textValue());
        }
    }

    @Test
    void seesAMarkerThatPointsElsewhere() {
        byte[] stream = HexFormat.of().parseHex(Vectors.negative("NEG-MARKER").hex());
        assertThatThrownBy(() -> MarkedStream.decode(0, stream, true)).hasMessage("Marker at 512 points 504 back");
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"MPA-020", "MPA-025", "MPA-026"})
    void aLongStreamHasAMarkerInEveryIntervalAcrossTheWrapOfPositions(long seed) {
        var random = new SplittableRandom(seed);
        int startPosition = random.nextBoolean() ? 0 : -4 * random.nextInt(2_000);
        int largest = random.nextBoolean() ? 40 : 3_000;
        List<byte[]> ulpdus = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            byte[] ulpdu = new byte[1 + random.nextInt(largest)];
            random.nextBytes(ulpdu);
            ulpdus.add(ulpdu);
        }
        byte[] stream = MarkedStream.encode(startPosition, ulpdus, true);
        List<MarkedStream.Received> received = MarkedStream.decode(startPosition, stream, true);

        assertThat(received).as(Seeds.replay(seed)).hasSize(ulpdus.size());
        int expectedMarker = Marker.distanceToNext(startPosition);
        for (int i = 0; i < received.size(); i++) {
            MarkedStream.Received fpdu = received.get(i);
            assertThat(fpdu.ulpdu()).as(Seeds.replay(seed)).isEqualTo(ulpdus.get(i));
            for (MarkedStream.Mark marker : fpdu.markers()) {
                assertThat(marker.position()).as(Seeds.replay(seed)).isEqualTo(expectedMarker);
                int target = marker.fpduPtr() == 0
                        ? marker.position() + Marker.LENGTH
                        : marker.position() - marker.fpduPtr();
                assertThat(target).as(Seeds.replay(seed)).isEqualTo(fpdu.lengthField());
                expectedMarker += Marker.INTERVAL;
            }
        }
        assertThat(expectedMarker).as(Seeds.replay(seed)).isGreaterThanOrEqualTo(stream.length);
    }

    @Test
    void aMarkerDueAfterTheLastFpduIsLeftToTheNextOne() {
        byte[] first = MarkedStream.encode(0, List.of(new byte[502]), true);
        assertThat(first).hasSize(512);
        String next = Octets.hex(Octets.of(MarkedStream.encode(512, List.of(new byte[22]), true)), 0, 6);
        assertThat(next).isEqualTo("000000000016");
    }

    private static boolean useCrc(Vectors.Positive vector) {
        return vector.decoded().path("crc_enabled").booleanValue();
    }
}
