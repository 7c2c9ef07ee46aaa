package io.stag.rnic.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.wire.Vectors;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.TerminateHeader;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every vector of a peer that breaks the protocol once it is in full operation, against both roles. */
class NegativeVectorTest {
    private static final int RECEIVE_LENGTH = 64;
    private static final int M_AND_D = TerminateHeader.SEGMENT_LENGTH_FLAG | TerminateHeader.DDP_HEADER_FLAG;

    static Stream<Arguments> vectors() {
        return Vectors.negative().stream()
                .filter(vector -> !vector.expectTerminate().startsWith("close"))
                .flatMap(vector -> Stream.of(Arguments.of(vector, true), Arguments.of(vector, false)));
    }

    @ParameterizedTest(name = "{0}, initiator {1}")
    @MethodSource("vectors")
    @Conforms({
        "MPA-038",
        "MPA-050",
        "MPA-051",
        "MPA-053",
        "DDP-005",
        "DDP-014",
        "DDP-043",
        "DDP-044",
        "DDP-045",
        "DDP-046",
        "DDP-047",
        "DDP-048",
        "DDP-049",
        "DDP-050",
        "DDP-051",
        "DDP-054",
        "DDP-055",
        "DDP-056",
        "DDP-057",
        "DDP-058",
        "RDMAP-017",
        "RDMAP-030",
        "RDMAP-040",
        "RDMAP-046",
        "RDMAP-050",
        "RDMAP-067",
        "RDMAP-070",
        "RDMAP-072",
        "RDMAP-073",
        "RDMAP-075",
        "RDMAP-076",
        "RDMAP-077",
        "RDMAP-078",
        "EXT-005",
        "EXT-017",
        "EXT-033",
        "EXT-036",
        "EXT-037",
        "EXT-038"
    })
    void drawsItsTerminateAndHasNoEffect(Vectors.Negative vector, boolean initiator) {
        boolean markers = vector.id().equals("NEG-MARKER");
        Settings settings = initiator ? Settings.initiator() : Settings.responder();
        var fixture = new StreamFixture(settings.markersReceived(markers));
        var peer = new RawPeer(fixture);
        GuardedMemory receive =
                vector.id().equals("NEG-NOBUF") ? new GuardedMemory(1) : fixture.receive(1, RECEIVE_LENGTH);

        peer.saysOctets(vector.hex());
        // good messages behind the bad one are dropped without a word
        peer.says(Segment.write(StreamFixture.STAG, StreamFixture.BASE, true, new byte[] {1}));
        peer.says(Segment.send(1, new byte[] {2}));

        Segment terminate = peer.hearsTerminate(acceptedCodes(vector));
        assertHeaders(terminate, HexFormat.of().parseHex(vector.hex()));
        assertThat(fixture.exposed.isZero()).isTrue();
        // the payload of a Send with Invalidate is placed before its STag is looked at
        assertThat(receive.isZero()).isEqualTo(!vector.id().equals("NEG-INV-STAG"));
        assertThat(fixture.exposed.guardsAreIntact() && receive.guardsAreIntact())
                .isTrue();
        assertThat(fixture.owner.completions).extracting(Completion::status).doesNotContain(CompletionStatus.SUCCESS);
        assertExplains(fixture.owner.failure());
        assertThat(fixture.counters.segmentsReceived).isZero();
        assertThat(fixture.owner.firstSegments).isZero();
    }

    private static Integer[] acceptedCodes(Vectors.Negative vector) {
        List<Integer> codes = new ArrayList<>();
        Stream.concat(Stream.of(vector.expectTerminate()), vector.alsoSeen().stream())
                .filter(code -> code.startsWith("0x"))
                .forEach(code -> codes.add(Integer.parseInt(code.substring(2, 6), 16)));
        return codes.toArray(Integer[]::new);
    }

    /** Which headers come with which error: RFC 5040, figure 10. */
    private static void assertHeaders(Segment terminate, byte[] fpdu) {
        TerminateHeader header = terminate.terminateHeader();
        boolean framing = header.layer() == 2;
        boolean tooShort = header.code() == 0x1000;
        if (framing || tooShort) {
            assertThat(header.headerControl()).isZero();
            assertThat(terminate.length()).isEqualTo(22);
            return;
        }
        int length = (fpdu[0] & 0xFF) << 8 | fpdu[1] & 0xFF;
        boolean tagged = (fpdu[2] & 0x80) != 0;
        boolean readRequest =
                header.layer() == 0 && header.errorType() == 1 && (fpdu[3] & 0xF) == RdmapOpcode.READ_REQUEST;
        assertThat(header.headerControl())
                .isEqualTo(readRequest ? M_AND_D | TerminateHeader.RDMA_HEADER_FLAG : M_AND_D);
        assertThat(header.ddpSegmentLength()).isEqualTo(length);
        int headers = readRequest ? 46 : tagged ? 14 : 18;
        assertThat(terminate.terminatedHeaders()).isEqualTo(HexFormat.of().formatHex(fpdu, 2, 2 + headers));
    }

    private static void assertExplains(StreamFailure failure) {
        ErrorDetail detail = failure.detail();
        assertThat(detail.clause()).startsWith("RFC 50");
        assertThat(detail.fact()).isNotBlank();
        assertThat(detail.layer()).isNotEqualTo(ErrorDetail.Layer.VERBS);
    }
}
