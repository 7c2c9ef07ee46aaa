package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.ALL_RIGHTS;
import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.DOMAIN;
import static io.stag.rnic.rdmap.StreamFixture.QUEUE_PAIR;
import static io.stag.rnic.rdmap.StreamFixture.SINK_STAG;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.memory.SoftMemoryWindow;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Send with Invalidate, and what a peer may not invalidate. */
class InvalidateTest {
    private final StreamFixture fixture = new StreamFixture(Settings.initiator());
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms({"RDMAP-045", "VRB-022", "DDP-018"})
    void theStagIsInvalidBeforeTheReceiveCompletesAndRefusedAfterwards() {
        List<Object> seen = new ArrayList<>();
        GuardedMemory buffer = fixture.receive(1, 8);
        fixture.owner.onReceive = () -> {
            seen.add(fixture.exposedRegion.isValid());
            seen.add(buffer.octets(0, 1)[0]);
        };
        peer.says(
                Segment.write(STAG, BASE, true, new byte[] {1}),
                Segment.sendInvalidate(1, STAG, new byte[] {9}),
                Segment.write(STAG, BASE, true, new byte[] {2}));
        assertThat(seen).containsExactly(false, (byte) 9);
        assertThat(fixture.owner.completions)
                .singleElement()
                .satisfies(
                        completion -> assertThat(completion.invalidatedStag()).isEqualTo(STAG));
        peer.hearsTerminate(0x1100);
        assertThat(fixture.exposed.octets(0, 1)).containsExactly(1);
    }

    @Test
    @Conforms("RDMAP-045")
    void onlyTheWholeMessageInvalidates() {
        fixture.receive(1, 8);
        int opcode = RdmapOpcode.SEND_WITH_INVALIDATE;
        peer.says(Segment.untagged(false, opcode, STAG, RdmapOpcode.SEND_QUEUE, 1, 0, new byte[2]));
        assertThat(fixture.exposedRegion.isValid()).isTrue();
        peer.says(Segment.untagged(true, opcode, STAG, RdmapOpcode.SEND_QUEUE, 1, 2, new byte[2]));
        assertThat(fixture.exposedRegion.isValid()).isFalse();
    }

    @Test
    void invalidatingTwiceIsFine() {
        fixture.receive(1, 8);
        fixture.receive(2, 8);
        peer.says(Segment.sendInvalidate(1, STAG, new byte[0]), Segment.sendInvalidate(2, STAG, new byte[0]));
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L);
        assertThat(fixture.owner.failures).isEmpty();
    }

    @Test
    @Conforms({"VRB-015", "VRB-016"})
    void aWindowOfThisQueuePairIsReturnedToItsDomain() {
        SoftMemoryWindow window = bindWindow(QUEUE_PAIR);
        fixture.receive(1, 8);
        peer.says(Segment.sendInvalidate(1, window.stag(), new byte[0]));
        assertThat(window.isBound()).isFalse();
        assertThat(fixture.exposedRegion.isValid()).isTrue();
    }

    @Test
    @Conforms({"RDMAP-046", "RDMAP-077", "VRB-015", "SEC-005"})
    void whatThePeerMayNotInvalidateStaysAndEndsTheStream() {
        refuses(STAG + 1, "unknown or has another key");
        refuses(0, "unknown");
        refuses(SINK_STAG, "grants peers nothing");
        fixture.register(0x0055_0001, 0, DOMAIN + 1, new GuardedMemory(8).segment(), ALL_RIGHTS);
        refuses(0x0055_0001, "another protection domain");
        SoftMemoryWindow other = bindWindow(QUEUE_PAIR + 1);
        refuses(other.stag(), "bound to another queue pair");
        refuses(STAG, "windows are bound");
        SoftMemoryRegion shared = fixture.register(
                0x0066_0001, 0, new GuardedMemory(8).segment(), ALL_RIGHTS & ~Rights.REMOTE_INVALIDATE);
        refuses(shared.stag(), "without REMOTE_INVALIDATE");
        assertThat(shared.isValid() && fixture.exposedRegion.isValid() && fixture.sinkRegion.isValid())
                .isTrue();
        assertThat(other.isBound()).isTrue();
    }

    @Test
    void aQueuePairWithoutRemoteAccessLetsNothingBeInvalidated() {
        var closed =
                new StreamFixture(Settings.initiator().allowRemoteRead(false).allowRemoteWrite(false));
        var sender = new RawPeer(closed);
        closed.receive(1, 8);
        sender.says(Segment.sendInvalidate(1, STAG, new byte[0]));
        sender.hearsTerminate(0x0109);
        assertThat(closed.exposedRegion.isValid()).isTrue();

        for (boolean read : new boolean[] {false, true}) {
            var half =
                    new StreamFixture(Settings.initiator().allowRemoteRead(read).allowRemoteWrite(!read));
            half.receive(1, 8);
            new RawPeer(half).says(Segment.sendInvalidate(1, STAG, new byte[0]));
            assertThat(half.exposedRegion.isValid()).isFalse();
        }
    }

    /** On a stream of its own, but with the memory of this test. */
    private void refuses(int stag, String fact) {
        var other = new StreamFixture(Settings.initiator(), fixture);
        RecordingOwner owner = other.owner;
        var sender = new RawPeer(other);
        other.receives.receive(1).post();
        sender.says(Segment.sendInvalidate(1, stag, new byte[0]));
        Segment terminate = sender.hearsTerminate(0x0109);
        assertThat(terminate.terminateHeader().headerControl())
                .as("M and D, not R")
                .isEqualTo(0xC000);
        assertThat(owner.failure().detail().fact()).contains(fact);
        assertThat(owner.completions).extracting(Completion::status).containsExactly(CompletionStatus.REM_INV_REQ_ERR);
    }

    private SoftMemoryWindow bindWindow(int queuePair) {
        SoftMemoryWindow window = fixture.window();
        fixture.stags.bind(window, 1, fixture.exposedRegion, 16, 8, Rights.REMOTE_WRITE, DOMAIN, queuePair);
        assertThat(window.isBound()).isTrue();
        return window;
    }
}
