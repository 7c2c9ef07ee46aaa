package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.SINK_BASE;
import static io.stag.rnic.rdmap.StreamFixture.SINK_STAG;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.VerbsException;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OrderingTest {
    private final StreamFixture fixture = new StreamFixture(Settings.initiator());
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms({"DDP-032", "RDMAP-043", "RDMAP-056", "EXT-018"})
    void messagesGoOutInTheOrderOfPosting() {
        fixture.requests
                .send(1)
                .write(2, STAG, BASE)
                .read(3, STAG, BASE)
                .into(fixture.sinkRegion, 0, 8)
                .immediate(4, 4)
                .fetchAdd(5, STAG, BASE, 1)
                .into(fixture.sinkRegion, 0, 8)
                .send(6)
                .post();
        assertThat(peer.hears())
                .extracting(Segment::opcode)
                .containsExactly(
                        RdmapOpcode.SEND,
                        RdmapOpcode.RDMA_WRITE,
                        RdmapOpcode.READ_REQUEST,
                        RdmapOpcode.IMMEDIATE_DATA,
                        RdmapOpcode.ATOMIC_REQUEST,
                        RdmapOpcode.SEND);
    }

    @Test
    @Conforms("RDMAP-057")
    void aMessageIsCompleteWhenTheStreamTookTheLastOfItsOctets() {
        fixture.requests
                .send(1)
                .from(fixture.source(new byte[8]), 0, 8)
                .write(2, STAG, BASE)
                .post();
        var out = new StagingBuffer(1024);
        fixture.stream.pollTransmit(out);
        int send = 2 + 18 + 8 + 4;
        fixture.stream.transmitted(send - 1);
        assertThat(fixture.owner.completions).isEmpty();
        fixture.stream.transmitted(1);
        assertThat(fixture.owner.ids()).containsExactly(1L);
        fixture.stream.transmitted(out.size() - send - 1);
        assertThat(fixture.owner.ids()).containsExactly(1L);
        fixture.stream.transmitted(1);
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L);
    }

    @Test
    @Conforms({"RDMAP-058", "RDMAP-061", "VRB-021"})
    void completionsComeInTheOrderOfPostingHoweverLateARead() {
        fixture.requests
                .send(1)
                .read(2, STAG, BASE)
                .into(fixture.sinkRegion, 0, 8)
                .send(3)
                .write(4, STAG, BASE)
                .post();
        assertThat(peer.hears()).as("nothing waits for the response").hasSize(4);
        assertThat(fixture.owner.ids()).containsExactly(1L);
        peer.says(Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[8]));
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    @Conforms("VRB-017")
    void unsignalledRequestsCompleteSilentlyUnlessTheyFail() {
        fixture.requests
                .send(1)
                .unsignaled()
                .send(2)
                .read(3, STAG, BASE)
                .unsignaled()
                .into(fixture.sinkRegion, 0, 8)
                .post();
        peer.hears();
        assertThat(fixture.owner.ids()).containsExactly(2L);
        assertThat(fixture.sendQueue.size()).as("only the Read holds a place").isEqualTo(1);
        fixture.requests.send(4).unsignaled().post();
        peer.says(Segment.terminate(0x0207));
        fixture.flush();
        assertThat(fixture.owner.ids()).containsExactly(2L, 3L, 4L);
    }

    @Test
    @Conforms("VRB-023")
    void aReadFenceHoldsARequestAndAllBehindItUntilReadsAndAtomicsAreComplete() {
        fixture.requests
                .read(1, STAG, BASE)
                .into(fixture.sinkRegion, 0, 8)
                .fetchAdd(2, STAG, BASE, 1)
                .into(fixture.sinkRegion, 8, 8)
                .send(3)
                .readFence()
                .write(4, STAG, BASE)
                .post();
        List<Segment> heard = peer.hears();
        assertThat(heard).hasSize(2);
        peer.says(Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[8]));
        assertThat(fixture.stream.hasOutput()).isFalse();
        peer.says(Segment.atomicResponse(1, heard.get(1).atomicRequestHeader().requestIdentifier(), 0));
        assertThat(peer.hears()).extracting(Segment::opcode).containsExactly(RdmapOpcode.SEND, RdmapOpcode.RDMA_WRITE);
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    @Conforms("VRB-023")
    void aReadFenceWithoutReadsHoldsNothingAndIsNotForReads() {
        fixture.requests
                .write(1, STAG, BASE)
                .readFence()
                .immediate(2, 0)
                .readFence()
                .post();
        assertThat(peer.hears()).hasSize(2);
        assertThatThrownBy(() -> fixture.requests.read(1, STAG, BASE).readFence())
                .isInstanceOf(VerbsException.class);
    }

    @Test
    @Conforms("VRB-023")
    void aLocalFenceWaitsForEverythingBeforeIt() {
        fixture.requests
                .read(1, STAG, BASE)
                .into(fixture.sinkRegion, 0, 8)
                .send(2)
                .invalidate(3, STAG)
                .localFence()
                .send(4)
                .post();
        assertThat(peer.hears()).hasSize(2);
        assertThat(fixture.exposedRegion.isValid()).isTrue();
        peer.says(Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[8]));
        assertThat(peer.hears()).hasSize(1);
        assertThat(fixture.exposedRegion.isValid()).isFalse();
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void responsesAndOwnMessagesTakeTurns() {
        for (int i = 1; i <= 12; i++) {
            peer.says(Segment.readRequest(i, i, 0, 4, STAG, BASE));
            fixture.requests.send(i);
        }
        fixture.requests.post();
        var order = new StringBuilder();
        peer.hears().forEach(segment -> order.append(segment.opcode() == RdmapOpcode.SEND ? 's' : 'r'));
        assertThat(order).hasToString("rrrrsrrrrsrrrrs" + "s".repeat(9));
    }

    @Test
    @Conforms({"RDMAP-055", "RDMAP-060"})
    void aReadSeesTheWritesBeforeIt() {
        peer.says(Segment.write(STAG, BASE, true, pattern(1, 8)), Segment.readRequest(1, 0, 0, 8, STAG, BASE));
        assertThat(peer.hearsOne().payload()).isEqualTo(pattern(1, 8));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"RDMAP-055", "RDMAP-024", "DDP-035", "DDP-036", "RDMAP-041"})
    void whatIsWrittenIsReadBack(long seed) {
        StreamPair pair = StreamPair.plain(seed);
        StreamFixture writer = pair.left;
        for (int round = 0; round < 10; round++) {
            byte[] data = pattern((int) seed + round, 200);
            writer.requests
                    .write(2 * round, STAG, BASE)
                    .from(writer.source(data), 0, 200)
                    .read(2 * round + 1, STAG, BASE)
                    .into(writer.sinkRegion, 0, 200)
                    .post();
            pair.run();
            assertThat(writer.sink.octets(0, 200)).as(Seeds.replay(seed)).isEqualTo(data);
        }
        assertThat(writer.owner.ids()).as(Seeds.replay(seed)).isSorted().hasSize(20);
        assertThat(writer.owner.completions).extracting(Completion::status).containsOnly(CompletionStatus.SUCCESS);
    }
}
