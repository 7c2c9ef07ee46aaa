package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.mpa.FpduEncoder;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.simnet.Conforms;
import io.stag.wire.Vectors;
import io.stag.wire.mpa.Fpdu;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentationTest {
    private static final int MEBIBYTE = 1 << 20;

    static Stream<JsonNode> mulpdus() {
        return Vectors.table("mulpdu");
    }

    @ParameterizedTest
    @MethodSource("mulpdus")
    @Conforms({"MPA-002", "MPA-003", "MPA-004", "MPA-039", "MPA-041", "DDP-025"})
    void fillsSegmentsUpToTheMulpduOfTheTable(JsonNode row) {
        int emss = row.path("emss").intValue();
        assertFilled(emss, false, row.path("without_markers").intValue());
        assertFilled(emss, true, row.path("with_markers").intValue());
    }

    @Test
    @Conforms({"MPA-005", "MPA-004"})
    void noSegmentIsLongerThanTheLongestUlpdu() {
        assertFilled(65_483, false, Math.min(Fpdu.MAX_ULPDU, 65_483 - 6 - 3));
        assertFilled(1_000_000, false, Fpdu.MAX_ULPDU);
        assertFilled(Integer.MAX_VALUE, true, Fpdu.MAX_ULPDU);
    }

    @Test
    @Conforms({"MPA-040", "MPA-004"})
    void noSmallSegmentSizeMakesTheMulpduSmallerThan128() {
        for (int emss = 64; emss < 134; emss++) {
            assertFilled(emss, false, 128);
        }
    }

    private static void assertFilled(int emss, boolean markers, int mulpdu) {
        var fixture = new StreamFixture(Settings.initiator().emss(emss).markersSent(markers));
        int length = Math.min(MEBIBYTE, 20 * mulpdu);
        SoftMemoryRegion source = fixture.source(new byte[length]);
        fixture.requests
                .send(1)
                .from(source, 0, length)
                .write(2, STAG, BASE)
                .from(source, 0, length)
                .post();
        List<Segment> heard = new RawPeer(fixture).hears();
        assertThat(heard)
                .filteredOn(segment -> !segment.isLast())
                .extracting(Segment::length)
                .containsOnly(mulpdu);
        assertThat(heard)
                .filteredOn(Segment::isLast)
                .hasSize(2)
                .allSatisfy(segment -> assertThat(segment.length()).isLessThanOrEqualTo(mulpdu));
        assertThat(heard.stream()
                        .filter(segment -> segment.opcode() == RdmapOpcode.SEND)
                        .mapToInt(segment -> segment.payload().length)
                        .sum())
                .isEqualTo(length);
    }

    @Test
    @Conforms({"MPA-001", "DDP-008", "DDP-009", "DDP-028", "DDP-029", "DDP-033", "DDP-013"})
    void offsetsGrowWithoutGapAndTheLastSegmentIsMarkedOnlyThere() {
        var fixture = new StreamFixture(Settings.initiator());
        byte[] payload = pattern(1, 10_000);
        SoftMemoryRegion source = fixture.source(payload);
        fixture.requests
                .send(1)
                .from(source, 0, payload.length)
                .write(2, STAG, -5000)
                .from(source, 0, payload.length)
                .post();
        List<Segment> heard = new RawPeer(fixture).hears();
        int next = 0;
        for (Segment segment : heard) {
            long offset = segment.isTagged() ? segment.taggedOffset() + 5000 : segment.messageOffset();
            assertThat(offset).isEqualTo(next);
            byte[] part = segment.payload();
            assertThat(part).isEqualTo(Arrays.copyOfRange(payload, next, next + part.length));
            next += part.length;
            assertThat(segment.isLast()).isEqualTo(next == payload.length);
            next = next == payload.length ? 0 : next;
        }
        assertThat(fixture.counters.segmentsSent).isEqualTo(heard.size());
        assertThat(fixture.counters.messagesSent).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Conforms({"DDP-027", "DDP-036", "MPA-019"})
    void aLongTransferArrivesWhole(boolean markers) {
        int length = 4 * MEBIBYTE;
        byte[] data = new byte[length];
        new SplittableRandom(3).nextBytes(data);
        var pair = new StreamPair(
                Settings.initiator().markersSent(markers).emss(9000),
                Settings.responder().markersReceived(markers),
                new SplittableRandom(4));
        GuardedMemory received = pair.right.receive(1, length);
        var target = new GuardedMemory(length);
        SoftMemoryRegion targetRegion = pair.right.register(target);
        SoftMemoryRegion source = pair.left.source(data);
        pair.left
                .requests
                .write(1, targetRegion.stag(), targetRegion.remoteOffset(0))
                .from(source, 0, length)
                .send(2)
                .from(source, 0, length)
                .post();
        pair.run();
        assertThat(pair.right.owner.completions).extracting(Completion::length).containsExactly((long) length);
        assertThat(Arrays.equals(received.octets(), data)).isTrue();
        assertThat(Arrays.equals(target.octets(), data)).isTrue();
        assertThat(received.guardsAreIntact() && target.guardsAreIntact()).isTrue();
    }

    @Test
    @Conforms({"MPA-019", "MPA-021", "CM-028"})
    void markersGoIntoTheStreamIfThePeerAskedForThem() {
        var fixture = new StreamFixture(Settings.initiator().markersSent(true));
        fixture.requests
                .send(1)
                .from(fixture.source("hello".getBytes(US_ASCII)), 0, 5)
                .post();
        assertThat(new RawPeer(fixture).hearsOctets())
                .isEqualTo(Vectors.positive("MARK-FIRST").hex());
    }

    @Test
    @Conforms({"CM-028"})
    void noMarkersGoIntoTheStreamOtherwise() {
        var fixture = new StreamFixture(Settings.initiator().markersReceived(true));
        fixture.requests
                .send(1)
                .from(fixture.source("hello".getBytes(US_ASCII)), 0, 5)
                .post();
        assertThat(new RawPeer(fixture).hearsOctets())
                .isEqualTo(Vectors.positive("SEND-HELLO").hex());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 17, 100_000})
    @Conforms({"MPA-044", "MPA-056"})
    void piecesOfAnySizeAreTaken(int piece) {
        var fixture = new StreamFixture(Settings.responder().markersReceived(true));
        var peer = new RawPeer(fixture);
        String stream = Vectors.positive("MARK-MULTI").hex();
        var memory = new GuardedMemory(1500);
        fixture.exposedRegion.close();
        fixture.register(STAG, BASE, memory.segment(), StreamFixture.ALL_RIGHTS);
        for (int at = 0; at < stream.length(); at += 2 * piece) {
            peer.saysOctets(stream.substring(at, Math.min(at + 2 * piece, stream.length())));
        }
        assertThat(fixture.owner.failures).isEmpty();
        assertThat(fixture.counters.segmentsReceived).isEqualTo(1);
        byte[] payload = HexFormat.of()
                .parseHex(Vectors.positive("MARK-MULTI")
                        .decoded()
                        .path("ulpdus_hex")
                        .get(0)
                        .textValue());
        assertThat(memory.octets()).isEqualTo(Arrays.copyOfRange(payload, 14, 1514));
    }

    @Test
    void takesAtMostAsManyFpdusAsTheDriverAllows() {
        var fixture = new StreamFixture(Settings.responder());
        for (int i = 1; i <= 5; i++) {
            fixture.receive(i, 8);
        }
        var in = new StagingBuffer(4096);
        var encoder = new FpduEncoder(true, false, 0);
        for (int i = 1; i <= 5; i++) {
            byte[] octets = Segment.send(i, new byte[8]).octets();
            int at = encoder.begin(in, octets.length);
            MemorySegment.copy(octets, 0, in.segment(), ValueLayout.JAVA_BYTE, at, octets.length);
            encoder.end();
        }
        assertThat(fixture.stream.received(in, 2)).isEqualTo(2);
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L);
        assertThat(fixture.stream.received(in, 9)).isEqualTo(3);
        assertThat(in.size()).isZero();
    }
}
