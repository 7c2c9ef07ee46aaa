package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import io.stag.verbs.WorkCompletions;
import io.stag.wire.Vectors;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImmediateTest {
    private final StreamFixture fixture = new StreamFixture(Settings.initiator());
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms({"EXT-001", "EXT-030"})
    void sendsTheVectors() {
        var sending = new StreamFixture(Settings.initiator().firstMsn(7));
        sending.requests
                .immediate(1, 0x0102030405060708L)
                .immediate(2, 0x1122334455667788L)
                .solicited()
                .post();
        assertThat(new RawPeer(sending).hearsOctets())
                .isEqualTo(Vectors.positive("IMM").hex()
                        + Vectors.positive("IMM-SE").hex());
        assertThat(sending.owner.completions)
                .extracting(Completion::operation)
                .containsExactly(Operation.IMMEDIATE, Operation.IMMEDIATE);
    }

    @Test
    @Conforms({"EXT-030", "EXT-031"})
    void takesTheVectorsEachWithAReceive() {
        var receiving = new StreamFixture(Settings.initiator().firstMsn(7));
        var sender = new RawPeer(receiving);
        GuardedMemory buffer = receiving.receive(1, 8);
        receiving.receives.receive(2).post();
        sender.says(Segment.ofVector("IMM"), Segment.ofVector("IMM-SE"));
        int solicited = WorkCompletions.WITH_IMMEDIATE | WorkCompletions.SOLICITED;
        assertThat(receiving.owner.completions)
                .containsExactly(
                        received(1, WorkCompletions.WITH_IMMEDIATE, 0x0102030405060708L),
                        received(2, solicited, 0x1122334455667788L));
        assertThat(buffer.isZero())
                .as("it is in the completion, not in the buffer")
                .isTrue();
        assertThat(receiving.owner.receivesTaken).isEqualTo(2);
    }

    @Test
    @Conforms({"EXT-002", "DDP-012", "RDMAP-005"})
    void ignoresReservedFields() {
        fixture.receive(1, 8);
        peer.says(Segment.immediate(1, 5).with(0, 0x41 | 0x3C, 0x48 | 0x30, 0x12, 0x34, 0x56, 0x78));
        assertThat(fixture.owner.completions).containsExactly(received(1, WorkCompletions.WITH_IMMEDIATE, 5));
        assertThat(fixture.exposedRegion.isValid()).isTrue();
    }

    @Test
    @Conforms({"EXT-032", "DDP-022"})
    void isDeliveredInOrderWithSends() {
        for (int i = 1; i <= 4; i++) {
            fixture.receive(i, 64);
        }
        peer.says(
                Segment.send(1, new byte[3]),
                Segment.immediate(2, 22),
                Segment.send(RdmapOpcode.SEND, 3, 0, false, new byte[30]),
                Segment.send(RdmapOpcode.SEND, 3, 30, true, new byte[3]),
                Segment.immediate(4, 44));
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(fixture.owner.completions).extracting(Completion::immediate).containsExactly(0L, 22L, 0L, 44L);
        assertThat(fixture.owner.completions).extracting(Completion::length).containsExactly(3L, 0L, 33L, 0L);
    }

    @Test
    @Conforms({"EXT-033", "EXT-037"})
    void hasEightOctetsInOneSegment() {
        Segment good = Segment.immediate(1, 5);
        refuses(good.resized(25), 0x02FF);
        refuses(good.resized(27), 0x02FF);
        refuses(good.with(0, 0x01), 0x02FF); // L=0
        refuses(good.with(17, 1), 0x1204); // MO 1
        refuses(good.with(13, 2), 0x1203); // MSN 2
        refuses(good.with(9, 1), 0x0206); // queue 1
        refuses(good.with(0, 0x40), 0x1206); // DDP version 0
        refuses(good.with(1, 0x08), 0x0205); // RDMAP version 0
    }

    private static void refuses(Segment immediate, int code) {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        fixture.receive(1, 64);
        peer.says(immediate);
        peer.hearsTerminate(code);
        assertThat(fixture.owner.completions).extracting(Completion::status).doesNotContain(CompletionStatus.SUCCESS);
    }

    @Test
    @Conforms("DDP-047")
    void needsAReceive() {
        peer.says(Segment.immediate(1, 5));
        peer.hearsTerminate(0x1202);
    }

    @Test
    void insideASendItIsRefused() {
        fixture.receive(1, 64);
        peer.says(Segment.send(RdmapOpcode.SEND, 1, 0, false, new byte[4]), Segment.immediate(1, 5));
        peer.hearsTerminate(0x0206);
    }

    @Test
    @Conforms("EXT-034")
    void aWriteWithImmediateIsBothInThisOrder() {
        SoftMemoryRegion source = fixture.source(pattern(1, 200));
        fixture.requests
                .writeImmediate(1, STAG, BASE, 9)
                .from(source, 0, 200)
                .solicited()
                .post();
        List<Segment> heard = peer.hears();
        assertThat(heard)
                .extracting(Segment::opcode)
                .containsExactly(RdmapOpcode.RDMA_WRITE, RdmapOpcode.IMMEDIATE_DATA_WITH_SOLICITED_EVENT);
        assertThat(fixture.owner.ids()).containsExactly(1L);

        var target = new StreamFixture(Settings.initiator());
        target.receives.receive(4).post();
        new RawPeer(target).says(heard.toArray(Segment[]::new));
        assertThat(target.owner.ids()).containsExactly(4L);
        assertThat(target.exposed.octets(0, 200)).isEqualTo(pattern(1, 200));
    }

    @Test
    void aWriteWithImmediateCompletesWithTheImmediateNotBefore() {
        var sending = new StreamFixture(Settings.initiator());
        var receiver = new RawPeer(sending);
        sending.requests
                .writeImmediate(1, STAG, BASE, 9)
                .from(sending.source(new byte[10]), 0, 10)
                .send(2)
                .post();
        int write = 2 + 14 + 10 + 2 + 4;
        assertThat(receiver.hearsAtMost(write + 31)).hasSize(1);
        assertThat(sending.owner.completions).isEmpty();
        assertThat(receiver.hearsAtMost(32)).extracting(Segment::opcode).containsExactly(RdmapOpcode.IMMEDIATE_DATA);
        assertThat(sending.owner.ids()).containsExactly(1L);
        assertThat(receiver.hearsOne().msn()).isEqualTo(2);
    }

    private static Completion received(long id, int flags, long immediate) {
        return new Completion(id, Operation.RECEIVE_IMMEDIATE, CompletionStatus.SUCCESS, 0, flags, immediate, 0);
    }
}
