package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.wire.Vectors;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.TerminateCode;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TerminateTest {
    private final StreamFixture fixture = new StreamFixture(Settings.initiator());
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms({"RDMAP-001", "RDMAP-008", "RDMAP-012", "RDMAP-014", "RDMAP-015", "RDMAP-047", "DDP-021", "DDP-058"})
    void theTerminateForAMissingReceiveIsTheOneOfTheVector() {
        var ninth = new StreamFixture(Settings.initiator().firstMsn(9));
        var sender = new RawPeer(ninth);
        sender.says(Segment.send(9, new byte[16]));
        assertThat(sender.hearsOctets())
                .isEqualTo(Vectors.positive("TERM-DDP-NOBUF").hex());
    }

    @Test
    @Conforms({"RDMAP-012", "RDMAP-013", "MPA-050"})
    void terminatesWithoutHeadersAreThoseOfTheVectors() {
        fixture.stream.terminate(
                TerminateCode.RDMAP_LOCAL_CATASTROPHIC, Layer.VERBS, "RDMA verbs §6.2.2", "asked for", Origin.LOCAL);
        assertThat(peer.hearsOctets())
                .isEqualTo(Vectors.positive("TERM-LOCAL-CATASTROPHIC").hex());

        var other = new StreamFixture(Settings.initiator());
        other.stream.terminate(
                TerminateCode.MPA_NO_MATCHING_RTR, Layer.MPA, "RFC 6581 §9.2", "no common type", Origin.LOCAL);
        assertThat(new RawPeer(other).hearsOctets())
                .isEqualTo(Vectors.positive("TERM-MPA-NO-RTR").hex());

        var damaged = new StreamFixture(Settings.responder());
        var noise = new RawPeer(damaged);
        noise.saysOctets(Vectors.negative("NEG-BAD-CRC").hex());
        assertThat(noise.hearsOctets())
                .isEqualTo(Vectors.positive("TERM-MPA-CRC").hex());
    }

    @Test
    @Conforms({"MPA-006", "MPA-053", "MPA-054", "DDP-057"})
    void nothingOfADamagedFpduOrOfWhatFollowsIsPlaced() {
        fixture.receive(1, 64);
        Segment write = Segment.write(STAG, BASE, true, new byte[] {1, 2, 3});
        String good = "0011" + write + "00" + "00000000"; // pad 1, CRC wrong
        peer.saysOctets(good);
        peer.says(write, Segment.send(1, new byte[] {1}));
        assertThat(fixture.exposed.isZero()).isTrue();
        assertThat(fixture.owner.completions).isEmpty();
        assertThat(fixture.owner.failure().detail().layer()).isEqualTo(Layer.MPA);
        peer.hearsTerminate(0x2002);
    }

    @Test
    @Conforms({"MPA-047"})
    void nothingOfAnFpduThatIsNotWholeIsPlaced() {
        String fpdu = "0011" + Segment.write(STAG, BASE, true, new byte[] {1, 2, 3});
        var unchecked = new StreamFixture(Settings.initiator().crc(false));
        var slow = new RawPeer(unchecked);
        slow.saysOctets(fpdu);
        slow.saysOctets("00" + "000000");
        assertThat(unchecked.exposed.isZero()).isTrue();
        assertThat(unchecked.stream.octetsNeeded()).isEqualTo(1);
        slow.saysOctets("00");
        assertThat(unchecked.exposed.octets(0, 3)).containsExactly(1, 2, 3);
    }

    @Test
    @Conforms({"RDMAP-074", "DDP-056", "DDP-057"})
    void theFirstErrorIsTheOneReported() {
        peer.says(
                Segment.write(STAG, BASE, true, new byte[] {1}),
                Segment.write(0x77, 5, true, new byte[] {2}),
                Segment.send(1, new byte[1]),
                Segment.readRequest(9, 0, 0, 1, 2, 3));
        assertThat(fixture.exposed.octets(0, 1))
                .as("what came before it counts")
                .containsExactly(1);
        Segment terminate = peer.hearsTerminate(0x1100);
        assertThat(terminate.terminatedHeaders())
                .isEqualTo(Segment.write(0x77, 5, true, new byte[0]).toString());
        fixture.stream.terminate(TerminateCode.RDMAP_CATASTROPHIC_STREAM, Layer.VERBS, "", "later", Origin.LOCAL);
        assertThat(fixture.owner.failures).hasSize(1);
        assertThat(peer.hears()).isEmpty();
    }

    @Test
    @Conforms({"RDMAP-050", "DDP-005", "DDP-044"})
    void goesOutBehindWhatIsStagedAndEndsTheStream() {
        fixture.requests.send(1).send(2).post();
        peer.hears();
        fixture.requests
                .send(3)
                .read(4, STAG, BASE)
                .into(fixture.sinkRegion, 0, 8)
                .post();
        peer.says(Segment.readRequest(1, 0, 0, 8, STAG, BASE), Segment.write(0x77, 5, true, new byte[] {2}));
        peer.hearsTerminate(0x1100);
        assertThat(fixture.stream.isQuiet()).isFalse();
        fixture.flush();
        assertThat(fixture.owner.ids()).startsWith(1L, 2L, 3L, 4L);
    }

    @Test
    @Conforms("RDMAP-050")
    void anOwnerThatEndsTheStreamInACompletionSendsNothingElse() {
        fixture.requests.invalidate(1, STAG).post();
        fixture.owner.onSend = () -> {
            fixture.stream.terminate(TerminateCode.RDMAP_CATASTROPHIC_STREAM, Layer.VERBS, "", "full", Origin.LOCAL);
            fixture.requests.send(2).post();
        };
        Segment terminate = peer.hearsOne();
        fixture.owner.onSend = () -> {};
        peer.assertTerminate(terminate, 0x0207);
    }

    @Test
    void waitsForRoom() {
        peer.says(Segment.write(0x77, 5, true, new byte[] {2}));
        assertThat(peer.hearsAtMost(43)).isEmpty();
        assertThat(fixture.stream.hasOutput()).isTrue();
        assertThat(fixture.stream.outputFinished()).isFalse();
        assertThat(peer.hearsAtMost(44)).hasSize(1);
        assertThat(fixture.stream.outputFinished()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(TerminateCode.class)
    @Conforms({"RDMAP-048", "RDMAP-049", "RDMAP-051", "DDP-059", "VRB-005"})
    void isTakenWithoutAReceiveToldToTheOwnerAndNotAnswered(TerminateCode code) {
        fixture.requests.send(1).post();
        peer.says(Segment.terminate(code.wireValue()));
        assertThat(fixture.owner.terminates)
                .extracting(ErrorDetail::terminateCode)
                .containsExactly(code.wireValue());
        assertThat(fixture.owner.terminates.getFirst().fact()).contains(code.meaning());
        assertThat(fixture.stream.hasOutput()).isFalse();
        assertThat(peer.hearsOctets()).isEmpty();
        assertThat(fixture.stream.outputFinished()).as("now close").isTrue();
        assertThat(fixture.owner.failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TERM-DDP-NOBUF",
                "TERM-RDMAP-READ-STAG",
                "TERM-DDP-TAGGED-BOUNDS",
                "TERM-LOCAL-CATASTROPHIC",
                "TERM-MPA-CRC",
                "TERM-MPA-NO-RTR"
            })
    @Conforms({"RDMAP-013", "RDMAP-048", "RDMAP-049"})
    void takesTheVectorsAlsoWithReservedBitsSet(String id) {
        Segment terminate = Segment.ofVector(id);
        byte[] octets = terminate.octets();
        peer.says(terminate.with(0, 0x7D, 0x77, 1, 2, 3, 4).with(20, octets[20] | 0x1F, 0xFF));
        assertThat(fixture.owner.terminates)
                .extracting(ErrorDetail::terminateCode)
                .containsExactly(terminate.terminateHeader().code());
    }

    @Test
    void anUnassignedCodeIsToldAsItIs() {
        peer.says(Segment.terminate(0x0F42));
        assertThat(fixture.owner.terminates.getFirst().terminateCode()).isEqualTo(0x0F42);
    }

    @Test
    void swappedNibblesOfLinuxSiwAreUnderstood() {
        peer.says(Segment.terminate(0x2102));
        assertThat(fixture.owner.terminates.getFirst().terminateCode()).isEqualTo(0x1202);
        assertThat(fixture.owner.terminates.getFirst().fact()).contains("siw");
    }

    /** What siw sends when it meets an atomic or immediate data. */
    @Test
    void aCodeWithAMeaningInEitherOrderIsToldWithBoth() {
        peer.says(Segment.terminate(0x2006));
        assertThat(fixture.owner.terminates.getFirst().terminateCode()).isEqualTo(0x2006);
        assertThat(fixture.owner.terminates.getFirst().fact())
                .contains(
                        TerminateCode.MPA_INSUFFICIENT_IRD.meaning(), TerminateCode.RDMAP_UNEXPECTED_OPCODE.meaning());
    }

    @Test
    @Conforms({"RDMAP-068", "RDMAP-070"})
    void theReadThatThePeerNamesFailsAndAllOthersAreFlushed() {
        fixture.requests
                .read(1, 5, 0)
                .into(fixture.sinkRegion, 0, 8)
                .read(2, 0x99999900, 0)
                .into(fixture.sinkRegion, 8, 8)
                .send(3)
                .post();
        fixture.receive(4, 8);
        List<Segment> heard = peer.hears();
        peer.says(terminateOf(0x0100, heard.get(1)));
        fixture.flush();
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .containsExactly(
                        CompletionStatus.WR_FLUSH_ERR,
                        CompletionStatus.REM_ACCESS_ERR,
                        CompletionStatus.WR_FLUSH_ERR,
                        CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void malformedTerminatesEndTheStreamWithoutAnswer() {
        Segment good = Segment.terminate(0x0207);
        endsSilently(good.with(13, 2), "MSN 2");
        endsSilently(good.with(17, 4), "message offset 4");
        endsSilently(good.with(0, 0x01), "malformed");
        endsSilently(good.with(9, 0), "queue 0");
        endsSilently(good.with(9, 3), "queue 3");
        endsSilently(good.with(9, 4), "queue 4");
        endsSilently(good.with(6, 0xFF), "queue 4278190082");
        endsSilently(good.resized(21), "of 3 octets");
    }

    private static void endsSilently(Segment terminate, String fact) {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        peer.says(terminate);
        assertThat(fixture.owner.terminates).hasSize(1);
        assertThat(fixture.owner.terminates.getFirst().fact()).contains("malformed", fact);
        assertThat(fixture.stream.hasOutput()).isFalse();
        assertThat(fixture.stream.outputFinished()).isTrue();
    }

    @Test
    void segmentsOfImpossibleSizeAreRefused() {
        for (int length : new int[] {1, 2, 13}) {
            refuses(Segment.write(1, 2, true, new byte[0]).resized(length));
        }
        for (int length : new int[] {14, 17}) {
            refuses(Segment.send(1, new byte[0]).resized(length));
        }
        refuses(Segment.write(STAG, BASE, true, new byte[64_755]));
        refuses(Segment.write(STAG, BASE, true, new byte[65_521]));
    }

    private static void refuses(Segment segment) {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        peer.says(segment);
        peer.hearsTerminate(0x1000);
    }

    @Test
    @Conforms({"RDMAP-003", "DDP-014", "RDMAP-006", "RDMAP-075", "RDMAP-076"})
    void everyOtherVersionAndEveryMisplacedOpcodeIsRefused() {
        for (int control = 0; control < 256; control++) {
            for (int rdmap = 0; rdmap < 256; rdmap++) {
                boolean tagged = (control & 0x80) != 0;
                int opcode = rdmap & 0xF;
                boolean fits = RdmapOpcode.isKnown(opcode) && RdmapOpcode.isTagged(opcode) == tagged;
                int expected = (control & 3) != 1
                        ? (tagged ? 0x1104 : 0x1206)
                        : (rdmap & 0xC0) != 0x40 ? 0x0205 : fits ? 0 : 0x0206;
                if (expected != 0 && (control & 0x3C) == 0 && (rdmap & 0x30) == 0) {
                    var strict = new StreamFixture(Settings.initiator());
                    new RawPeer(strict).says(Segment.send(1, new byte[4]).with(0, control, rdmap));
                    assertThat(strict.owner.failure().detail().terminateCode()).isEqualTo(expected);
                }
            }
        }
    }

    @Test
    @Conforms("CM-025")
    void aResponderThatHasHeardNothingClosesWithoutATerminate() {
        var silent = new StreamFixture(Settings.responder());
        silent.stream.terminate(
                TerminateCode.RDMAP_LOCAL_CATASTROPHIC, Layer.VERBS, "RDMA verbs §6.2.2", "asked for", Origin.LOCAL);
        assertThat(silent.stream.hasOutput()).isFalse();
        assertThat(new RawPeer(silent).hearsOctets()).isEmpty();
        assertThat(silent.stream.outputFinished()).isTrue();
        assertThat(silent.owner.failures).hasSize(1);
    }

    @Test
    @Conforms("DDP-040")
    void aStreamThatFinishesSendsWhatIsStagedAndNoMore() {
        fixture.requests.send(1).post();
        var staged = new StagingBuffer(1024);
        fixture.stream.pollTransmit(staged);
        fixture.requests.send(2).post();
        fixture.stream.finish();
        assertThat(fixture.stream.hasOutput()).isFalse();
        assertThat(fixture.stream.outputFinished()).isFalse();
        fixture.stream.transmitted(staged.size());
        assertThat(fixture.stream.outputFinished()).isTrue();
        assertThat(fixture.owner.ids()).containsExactly(1L);
    }

    @Test
    void anAbandonedStreamSaysAndTakesNothing() {
        fixture.receive(1, 8);
        fixture.requests.send(1).post();
        fixture.stream.abandon();
        peer.says(Segment.send(1, new byte[1]));
        assertThat(fixture.stream.hasOutput()).isFalse();
        assertThat(fixture.owner.completions).isEmpty();
        fixture.stream.terminate(TerminateCode.RDMAP_CATASTROPHIC_STREAM, Layer.VERBS, "", "later", Origin.LOCAL);
        assertThat(fixture.owner.failures).isEmpty();
    }

    /** A Terminate with the DDP header of one of our segments, and with that of a Read Request. */
    private static Segment terminateOf(int code, Segment offender) {
        String headers = "%04xe000%04x".formatted(code, offender.length()) + offender;
        return Segment.untagged(
                true,
                RdmapOpcode.TERMINATE,
                0,
                RdmapOpcode.TERMINATE_QUEUE,
                1,
                0,
                HexFormat.of().parseHex(headers));
    }
}
