package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who speaks first, and with which message (RFC 5044, section 7.1.2; RFC 6581, section 9.2). */
class ReadyToReceiveTest {

    @Test
    @Conforms("CM-025")
    void aResponderSendsNothingBeforeItGotAnFpdu() {
        for (boolean markers : new boolean[] {false, true}) {
            var responder = new StreamFixture(Settings.responder().markersSent(markers));
            var initiator = new RawPeer(responder);
            responder.requests.send(1).write(2, STAG, BASE).post();
            assertThat(responder.stream.hasOutput()).isFalse();
            assertThat(initiator.hearsOctets()).as("not even a marker").isEmpty();
            initiator.saysOctets("001741"); // an FPDU that has only begun
            assertThat(initiator.hearsOctets()).isEmpty();
            assertThat(responder.owner.firstSegments).isZero();
        }
    }

    @Test
    void anyFpduSetsAResponderFree() {
        List<Segment> firsts = List.of(
                Segment.write(0, 0, true, new byte[0]),
                Segment.readRequest(1, 0, 0, 0, 0, 0),
                Segment.send(1, new byte[4]),
                Segment.immediate(1, 4),
                Segment.fetchAdd(1, 0, STAG, BASE, 0, 0));
        for (Segment first : firsts) {
            var responder = new StreamFixture(Settings.responder());
            var initiator = new RawPeer(responder);
            responder.receive(1, 8);
            responder.requests.send(2).post();
            initiator.says(first);
            assertThat(responder.owner.firstSegments).isEqualTo(1);
            assertThat(initiator.hears()).extracting(Segment::opcode).contains(RdmapOpcode.SEND);
            initiator.says(Segment.write(0, 0, true, new byte[0]));
            assertThat(responder.owner.firstSegments).as("told once").isEqualTo(1);
        }
    }

    @Test
    void anInitiatorMaySpeakAtOnce() {
        var initiator = new StreamFixture(Settings.initiator());
        initiator.requests.send(1).post();
        assertThat(new RawPeer(initiator).hears()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(ReadyToReceive.class)
    @Conforms({"CM-054", "CM-055"})
    void anInitiatorSendsTheAgreedMessageFirstAndOnce(ReadyToReceive kind) {
        var fixture = new StreamFixture(Settings.initiator().firstMessage(kind));
        var responder = new RawPeer(fixture);
        fixture.requests.send(1).read(2, STAG, BASE).post();
        assertThat(fixture.stream.isQuiet()).isFalse();
        List<Segment> heard = responder.hears();
        assertThat(heard).hasSize(3);
        Segment expected = switch (kind) {
            case SEND -> Segment.send(1, new byte[0]);
            case WRITE -> Segment.write(0, 0, true, new byte[0]);
            case READ -> Segment.readRequest(1, 0, 0, 0, 0, 0);
        };
        assertThat(heard.getFirst()).isEqualTo(expected);
        assertThat(heard.get(1).msn()).as("it counts on its queue").isEqualTo(kind == ReadyToReceive.SEND ? 2 : 1);
        assertThat(heard.get(2).msn()).isEqualTo(kind == ReadyToReceive.READ ? 2 : 1);
        assertThat(fixture.owner.ids()).as("it has no completion").containsExactly(1L);
    }

    /** Linux siw may not look at the Read before something else arrives. */
    @Test
    void aNudgeDoesNotWaitForTheAnswerToAReadyToReceiveRead() {
        var fixture = new StreamFixture(Settings.initiator().firstMessage(ReadyToReceive.READ));
        var responder = new RawPeer(fixture);
        responder.hears();
        assertThat(fixture.stream.nudge()).isTrue();
        assertThat(responder.hearsOne()).isEqualTo(Segment.write(0, 0, true, new byte[0]));
        assertThat(fixture.stream.probe())
                .as("a Read of the engine is under way")
                .isFalse();
        assertThat(fixture.stream.isQuiet()).isTrue();
        assertThat(fixture.stream.awaitsAnswer()).isTrue();
        responder.says(Segment.readResponse(0, 0, true, new byte[0]));
        assertThat(fixture.stream.awaitsAnswer()).isFalse();
    }

    @Test
    @Conforms("CM-055")
    void notEvenAResponseComesBeforeIt() {
        // Linux siw may send before it has heard anything
        var fixture = new StreamFixture(Settings.initiator().firstMessage(ReadyToReceive.WRITE));
        var responder = new RawPeer(fixture);
        responder.says(Segment.readRequest(1, 0, 0, 0, 0, 0));
        assertThat(responder.hears())
                .extracting(Segment::opcode)
                .containsExactly(RdmapOpcode.RDMA_WRITE, RdmapOpcode.READ_RESPONSE);
    }

    @ParameterizedTest
    @EnumSource(ReadyToReceive.class)
    void aResponderTakesTheAgreedMessageWithoutTellingItsProgram(ReadyToReceive kind) {
        var pair = new StreamPair(
                Settings.initiator().firstMessage(kind),
                Settings.responder().firstMessageTaken(ReadyToReceive.values()),
                new SplittableRandom(1));
        pair.right.receive(1, 8);
        pair.left.receive(2, 8);
        pair.right.requests.send(3).post();
        pair.run();
        assertThat(pair.right.owner.ids()).as("its Send, and no receive").containsExactly(3L);
        assertThat(pair.right.owner.receivesTaken).isZero();
        assertThat(pair.left.owner.ids()).containsExactly(2L);
        pair.left.requests.send(4).post();
        pair.run();
        assertThat(pair.right.owner.ids()).containsExactly(3L, 1L);
        assertThat(pair.left.stream.isQuiet() && pair.right.stream.isQuiet()).isTrue();
    }

    @Test
    void onlyTheFirstEmptySendAndOnlyIfAgreedOnIsReadyToReceive() {
        var agreed = new StreamFixture(Settings.responder().firstMessageTaken(ReadyToReceive.SEND));
        agreed.receive(1, 8);
        new RawPeer(agreed).says(Segment.send(1, new byte[0]), Segment.send(2, new byte[0]));
        assertThat(agreed.owner.ids()).containsExactly(1L);

        var notAgreed = new StreamFixture(Settings.responder().firstMessageTaken(ReadyToReceive.WRITE));
        notAgreed.receive(1, 8);
        new RawPeer(notAgreed).says(Segment.send(1, new byte[0]));
        assertThat(notAgreed.owner.ids()).containsExactly(1L);

        var notEmpty = new StreamFixture(Settings.responder().firstMessageTaken(ReadyToReceive.SEND));
        notEmpty.receive(1, 8);
        new RawPeer(notEmpty).says(Segment.send(1, new byte[1]));
        assertThat(notEmpty.owner.ids()).containsExactly(1L);
    }
}
