package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What may still come in when a stream has finished: messages of the peer's engine, which carry nothing. */
class AfterFinishTest {
    private static final byte[] NOTHING = new byte[0];

    private final StreamFixture fixture = new StreamFixture(Settings.initiator().ird(1));
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms("VRB-003")
    void whatCarriesNothingIsTakenAndNotAnswered() {
        fixture.receive(1, 8);
        fixture.stream.finish();
        assertThat(peer.saysAfterFinish(
                        Segment.write(0, 0, true, NOTHING),
                        Segment.readRequest(1, 0, 0, 0, 0, 0),
                        Segment.write(0xdead01, 7, true, NOTHING)))
                .isTrue();
        assertThat(fixture.stream.hasOutput()).isFalse();
        assertThat(fixture.stream.outputFinished()).isTrue();
        assertThat(fixture.owner.completions).isEmpty();
        assertThat(fixture.owner.failures).isEmpty();
    }

    @Test
    @Conforms("VRB-009")
    void allElseIsNotTaken() {
        List<Segment> others = List.of(
                Segment.write(STAG, BASE, true, new byte[1]),
                Segment.send(1, NOTHING),
                Segment.send(1, new byte[4]),
                Segment.immediate(1, 4),
                Segment.fetchAdd(1, 0, STAG, BASE, 0, 0),
                Segment.readRequest(1, 0, 0, 1, STAG, BASE),
                Segment.readRequest(2, 0, 0, 0, 0, 0), // 1 is due
                Segment.readResponse(0, 0, true, NOTHING)); // nobody asked
        for (Segment other : others) {
            var finished = new StreamFixture(Settings.initiator());
            finished.receive(1, 8);
            finished.exposed.put(0, new byte[] {42});
            finished.stream.finish();
            assertThat(new RawPeer(finished).saysAfterFinish(other))
                    .as(other.toString())
                    .isFalse();
            assertThat(finished.exposed.octets(0, 1)).as("nothing is placed").containsExactly(42);
            assertThat(finished.stream.hasOutput()).isFalse();
            assertThat(finished.owner.completions).isEmpty();
            assertThat(finished.owner.failures).as("the connection knows").isEmpty();
        }
    }

    @Test
    void theAnswerToAReadOfTheEngineIsTakenOnce() {
        fixture.stream.probe();
        peer.hears();
        fixture.stream.finish();
        assertThat(peer.saysAfterFinish(Segment.readResponse(0, 0, true, NOTHING)))
                .isTrue();
        assertThat(peer.saysAfterFinish(Segment.readResponse(0, 0, true, NOTHING)))
                .isFalse();
    }

    @Test
    void moreReadsOfNothingThanAgreedAreNotTaken() {
        fixture.stream.finish();
        assertThat(peer.saysAfterFinish(Segment.readRequest(1, 0, 0, 0, 0, 0))).isTrue();
        assertThat(peer.saysAfterFinish(Segment.readRequest(2, 0, 0, 0, 0, 0))).isFalse();
    }

    @Test
    void anEmptySendIsTakenOnlyAsTheFirstMessageAgreedOn() {
        var responder = new StreamFixture(Settings.responder().firstMessageTaken(ReadyToReceive.SEND));
        var initiator = new RawPeer(responder);
        responder.stream.finish();
        assertThat(initiator.saysAfterFinish(Segment.send(1, NOTHING))).isTrue();
        assertThat(responder.owner.firstSegments).isEqualTo(1);
        assertThat(initiator.saysAfterFinish(Segment.send(2, NOTHING))).isFalse();
    }
}
