package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.SINK_BASE;
import static io.stag.rnic.rdmap.StreamFixture.SINK_STAG;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and atomics under way: ORD for ours, IRD for the peer's. */
class FlowLimitsTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 16})
    @Conforms({"RDMAP-065", "VRB-010", "EXT-015", "EXT-021"})
    void neverMoreThanOrdRequestsAreUnderWayAndTheOthersWait(int ord) {
        var fixture = new StreamFixture(Settings.initiator().ord(ord));
        var peer = new RawPeer(fixture);
        for (int i = 1; i <= 20; i++) {
            if (i % 3 == 0) {
                fixture.requests.fetchAdd(i, STAG, BASE, 1).into(fixture.sinkRegion, 0, 8);
            } else {
                fixture.requests.read(i, STAG, BASE).into(fixture.sinkRegion, 0, 8);
            }
        }
        fixture.requests.post();
        int sent = 0;
        int answered = 0;
        int atomics = 0;
        var waiting = new ArrayDeque<Segment>();
        while (answered < 20) {
            List<Segment> heard = peer.hears();
            waiting.addAll(heard);
            sent += heard.size();
            assertThat(sent - answered).isEqualTo(Math.min(ord, 20 - answered));
            Segment oldest = waiting.remove();
            if (oldest.opcode() == RdmapOpcode.READ_REQUEST) {
                peer.says(Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[8]));
            } else {
                peer.says(Segment.atomicResponse(
                        ++atomics, oldest.atomicRequestHeader().requestIdentifier(), 0));
            }
            answered++;
            assertThat(fixture.owner.completions).hasSize(answered);
        }
        assertThat(fixture.owner.ids()).isSorted().hasSize(20);
    }

    @Test
    @Conforms("VRB-010")
    void aReadThatWaitsHoldsWhatIsBehindIt() {
        var fixture = new StreamFixture(Settings.initiator().ord(1));
        var peer = new RawPeer(fixture);
        fixture.requests.read(1, STAG, BASE).read(2, STAG, BASE).send(3).post();
        assertThat(peer.hears()).hasSize(1);
        assertThat(fixture.stream.hasOutput()).isFalse();
        peer.says(Segment.readResponse(0, 0, true, new byte[0]));
        assertThat(peer.hears())
                .extracting(Segment::opcode)
                .containsExactly(RdmapOpcode.READ_REQUEST, RdmapOpcode.SEND);
    }

    @Test
    @Conforms("VRB-011")
    void withoutOrdAReadOrAtomicFails() {
        for (boolean atomic : new boolean[] {false, true}) {
            var fixture = new StreamFixture(Settings.initiator().ord(0));
            var peer = new RawPeer(fixture);
            fixture.requests.send(1);
            if (atomic) {
                fixture.requests.fetchAdd(2, STAG, BASE, 1).into(fixture.sinkRegion, 0, 8);
            } else {
                fixture.requests.read(2, STAG, BASE);
            }
            fixture.requests.send(3).post();
            List<Segment> heard = peer.hears();
            assertThat(heard).hasSize(2);
            peer.assertTerminate(heard.getLast(), 0x0000);
            assertThat(fixture.owner.failure().origin()).isEqualTo(Origin.SEND_WORK);
            fixture.flush();
            assertThat(fixture.owner.completions)
                    .extracting(Completion::status)
                    .startsWith(
                            CompletionStatus.SUCCESS, CompletionStatus.LOC_QP_OP_ERR, CompletionStatus.WR_FLUSH_ERR);
        }
    }

    @Test
    @Conforms("RDMAP-065")
    void aReadOfTheEngineItselfCountsToo() {
        var fixture = new StreamFixture(Settings.initiator().ord(2).firstMessage(ReadyToReceive.READ));
        var peer = new RawPeer(fixture);
        fixture.requests.read(1, STAG, BASE).read(2, STAG, BASE).post();
        assertThat(peer.hears()).as("ready-to-receive and one of ours").hasSize(2);
        peer.says(Segment.readResponse(0, 0, true, new byte[0]));
        assertThat(fixture.owner.completions)
                .as("nobody posted ready-to-receive")
                .isEmpty();
        assertThat(peer.hears()).hasSize(1);
    }

    @Test
    void aProbeIsAnEmptyReadWithoutCompletionOneAtATimeAndWaitsForItsTurn() {
        var fixture = new StreamFixture(Settings.initiator().ord(1));
        var peer = new RawPeer(fixture);
        fixture.requests.read(1, STAG, BASE).read(2, STAG, BASE).post();
        peer.hears();
        assertThat(fixture.stream.probe()).isTrue();
        assertThat(fixture.stream.probe()).isFalse();
        assertThat(fixture.stream.hasOutput()).isFalse();
        peer.says(Segment.readResponse(0, 0, true, new byte[0]));
        Segment probe = peer.hearsOne();
        assertThat(probe.msn()).as("before the Read that waits").isEqualTo(2);
        assertThat(probe.readRequestHeader().messageSize()).isZero();
        assertThat(fixture.stream.probe()).isFalse();
        peer.says(Segment.readResponse(0, 0, true, new byte[0]));
        assertThat(fixture.owner.ids()).containsExactly(1L);
        assertThat(fixture.stream.probe()).isTrue();
        peer.hears();
        peer.says(Segment.readResponse(0, 0, true, new byte[0]));
        peer.hears();
        peer.says(Segment.readResponse(0, 0, true, new byte[0]));
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L);
        assertThat(fixture.stream.isQuiet()).isTrue();
    }

    @Test
    void aProbeOfAResponderWaitsUntilItMaySend() {
        var fixture = new StreamFixture(Settings.responder());
        var peer = new RawPeer(fixture);
        assertThat(fixture.stream.probe()).isFalse();
        assertThat(fixture.stream.isQuiet()).isTrue();
        peer.says(Segment.write(0, 0, true, new byte[0]));
        assertThat(fixture.stream.probe()).isTrue();
        assertThat(peer.hearsOne().opcode()).isEqualTo(RdmapOpcode.READ_REQUEST);
    }

    /** The one for ready-to-receive is the responder's business (RFC 6581, section 9.2). */
    @Test
    @Conforms("RDMAP-065")
    void withoutOrdNoReadIsSentButForReadyToReceive() {
        var fixture = new StreamFixture(Settings.initiator().ord(0).firstMessage(ReadyToReceive.READ));
        var peer = new RawPeer(fixture);
        assertThat(peer.hearsOne().opcode()).isEqualTo(RdmapOpcode.READ_REQUEST);
        peer.says(Segment.readResponse(0, 0, true, new byte[0]));
        assertThat(fixture.stream.probe()).isFalse();
        assertThat(peer.hears()).isEmpty();
        assertThat(fixture.owner.failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    @Conforms({"RDMAP-034", "RDMAP-066", "SEC-014", "EXT-015"})
    void moreThanIrdRequestsAreRefused(int ird) {
        var fixture = new StreamFixture(Settings.initiator().ird(ird));
        var peer = new RawPeer(fixture);
        for (int round = 0; round < 3; round++) {
            for (int i = 1; i <= ird; i++) {
                int msn = round * ird + i;
                peer.says(
                        i % 2 == 0
                                ? Segment.fetchAdd(msn, 0, STAG, BASE, 1, 0)
                                : Segment.readRequest(msn, 0, 0, 8, STAG, BASE));
            }
            if (round < 2) {
                assertThat(peer.hears()).hasSize(ird);
            }
        }
        assertThat(fixture.owner.failures).isEmpty();
        peer.says(Segment.readRequest(3 * ird + 1, 0, 0, 0, 0, 0));
        peer.hearsTerminate(0x1203, 0x1202);
        assertThat(fixture.owner.failure().detail().fact()).contains("IRD");
    }
}
