package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.VerbsException;
import io.stag.wire.Vectors;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SendTest {
    private static final int MULPDU_128 = 100; // EMSS

    @ParameterizedTest
    @ValueSource(strings = {"SEND-HELLO", "SEND-HELLO-NOCRC", "SEND-ZERO", "SEND-SE", "SEND-INV", "SEND-SE-INV"})
    @Conforms({
        "MPA-008",
        "DDP-007",
        "DDP-011",
        "DDP-013",
        "DDP-016",
        "DDP-024",
        "DDP-030",
        "RDMAP-001",
        "RDMAP-002",
        "RDMAP-003",
        "RDMAP-004",
        "RDMAP-006",
        "RDMAP-007",
        "RDMAP-008",
        "RDMAP-038",
        "RDMAP-044",
        "MPA-007"
    })
    void sendsTheVector(String id) {
        Vectors.Positive vector = Vectors.positive(id);
        var fixture = new StreamFixture(settingsOf(vector));
        int opcode = vector.ddp().path("opcode").intValue();
        byte[] payload = payloadOf(vector);
        if (RdmapOpcode.invalidates(opcode)) {
            fixture.requests.sendInvalidate(1, (int) Vectors.number(vector.ddp().path("invalidate_stag")));
        } else {
            fixture.requests.send(1);
        }
        if (RdmapOpcode.solicitsEvent(opcode)) {
            fixture.requests.solicited();
        }
        fixture.requests.from(fixture.source(payload), 0, payload.length).post();
        assertThat(new RawPeer(fixture).hearsOctets()).isEqualTo(vector.hex());
        assertThat(fixture.owner.completions).containsExactly(success(1, Operation.SEND));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SEND-HELLO", "SEND-HELLO-NOCRC", "SEND-ZERO", "SEND-SE", "SEND-INV", "SEND-SE-INV"})
    @Conforms({"DDP-004", "DDP-018", "DDP-037", "RDMAP-039", "RDMAP-042", "RDMAP-059"})
    void takesTheVector(String id) {
        Vectors.Positive vector = Vectors.positive(id);
        var fixture = new StreamFixture(settingsOf(vector));
        byte[] payload = payloadOf(vector);
        GuardedMemory buffer = fixture.receive(5, 64);
        new RawPeer(fixture).saysOctets(vector.hex());

        int opcode = vector.ddp().path("opcode").intValue();
        assertThat(fixture.owner.completions).hasSize(1);
        Completion completion = fixture.owner.completions.getFirst();
        assertThat(completion.id()).isEqualTo(5);
        assertThat(completion.operation()).isEqualTo(Operation.RECEIVE);
        assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(completion.length()).isEqualTo(payload.length);
        assertThat(completion.isSolicited()).isEqualTo(RdmapOpcode.solicitsEvent(opcode));
        assertThat(completion.hasInvalidatedStag()).isEqualTo(RdmapOpcode.invalidates(opcode));
        assertThat(completion.invalidatedStag()).isEqualTo(RdmapOpcode.invalidates(opcode) ? StreamFixture.STAG : 0);
        assertThat(buffer.octets(0, payload.length)).isEqualTo(payload);
        assertThat(buffer.octets(payload.length, 64 - payload.length)).containsOnly(0);
    }

    @Test
    @Conforms({"DDP-008", "DDP-009", "DDP-017", "DDP-020", "DDP-022", "DDP-024", "DDP-028", "DDP-033"})
    void cutsALongMessageAsTheVectorsDo() {
        var fixture = new StreamFixture(Settings.initiator().emss(MULPDU_128).firstMsn(6));
        byte[] payload = payloadOf(Vectors.positive("SEND-SEG-1"), Vectors.positive("SEND-SEG-2"));
        fixture.requests.send(1).from(fixture.source(payload), 0, 150).post();
        assertThat(new RawPeer(fixture).hearsOctets())
                .isEqualTo(Vectors.positive("SEND-SEG-1").hex()
                        + Vectors.positive("SEND-SEG-2").hex());
    }

    @Test
    @Conforms({"DDP-017", "DDP-022"})
    void everySegmentOfASendWithInvalidateCarriesTheStag() {
        var fixture = new StreamFixture(Settings.initiator().emss(MULPDU_128));
        fixture.requests
                .sendInvalidate(1, 0xABCD)
                .from(fixture.source(new byte[300]), 0, 300)
                .post();
        List<Segment> heard = new RawPeer(fixture).hears();
        assertThat(heard).hasSize(3).allSatisfy(segment -> {
            assertThat(segment.opcode()).isEqualTo(RdmapOpcode.SEND_WITH_INVALIDATE);
            assertThat(segment.invalidateStag()).isEqualTo(0xABCD);
            assertThat(segment.msn()).isEqualTo(1);
        });
        assertThat(heard).extracting(Segment::isLast).containsExactly(false, false, true);
    }

    @Test
    @Conforms({"DDP-010", "DDP-036", "DDP-037", "RDMAP-053"})
    void deliversALongMessageWhenItsLastSegmentIsPlaced() {
        var fixture = new StreamFixture(Settings.initiator().firstMsn(6));
        var peer = new RawPeer(fixture);
        GuardedMemory buffer = fixture.receive(5, 200);
        peer.says(Segment.ofVector("SEND-SEG-1"));
        assertThat(fixture.owner.completions).isEmpty();
        assertThat(buffer.octets(0, 110)).isEqualTo(pattern(3, 110));
        peer.says(Segment.ofVector("SEND-SEG-2"));
        assertThat(fixture.owner.completions).extracting(Completion::length).containsExactly(150L);
        assertThat(buffer.octets(0, 150))
                .isEqualTo(payloadOf(Vectors.positive("SEND-SEG-1"), Vectors.positive("SEND-SEG-2")));
    }

    @Test
    @Conforms({"DDP-021", "DDP-022", "DDP-023"})
    void msnsCountMessagesFromOneAndWrapToZero() {
        var fixture = new StreamFixture(Settings.initiator().emss(MULPDU_128));
        for (int i = 0; i < 3; i++) {
            fixture.requests.send(i).from(fixture.source(new byte[150]), 0, 150).post();
        }
        assertThat(new RawPeer(fixture).hears()).extracting(Segment::msn).containsExactly(1, 1, 2, 2, 3, 3);

        var wrapping = new StreamFixture(Settings.initiator().firstMsn(-1));
        var peer = new RawPeer(wrapping);
        wrapping.requests.send(1).inline(memory("last")).send(2).post();
        assertThat(peer.hearsOctets())
                .startsWith(Vectors.positive("SEND-MSN-WRAP").hex());
        wrapping.requests.send(3).post();
        assertThat(peer.hearsOne().msn()).as("the one before was 0").isEqualTo(1);
    }

    @Test
    @Conforms("DDP-023")
    void takesMessagesAcrossTheWrapOfTheMsn() {
        var fixture = new StreamFixture(Settings.initiator().firstMsn(-1));
        var peer = new RawPeer(fixture);
        fixture.receive(1, 8);
        fixture.receive(2, 8);
        peer.saysOctets(Vectors.positive("SEND-MSN-WRAP").hex());
        peer.says(Segment.send(0, new byte[] {1}));
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L);
    }

    @Test
    @Conforms("RDMAP-039")
    void everySendTakesOneReceiveAlsoAnEmptyOne() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        fixture.receives.receive(1).receive(2).post(); // without buffers: for empty messages
        fixture.receive(3, 8);
        peer.says(Segment.send(1, new byte[0]), Segment.send(2, new byte[0]), Segment.send(3, new byte[8]));
        assertThat(fixture.owner.completions).extracting(Completion::length).containsExactly(0L, 0L, 8L);
        assertThat(fixture.owner.receivesTaken).isEqualTo(3);
    }

    @Test
    @Conforms("VRB-018")
    void gathersFromSeveralBuffersAndScattersToSeveralEmptyOnesAmongThem() {
        byte[] payload = pattern(9, 300);
        var sender = new StreamFixture(Settings.initiator().emss(MULPDU_128));
        SoftMemoryRegion source = sender.source(payload);
        sender.requests
                .send(1)
                .from(source, 5, 0)
                .from(source, 0, 100)
                .from(source, 100, 1)
                .from(source, 0, 0)
                .from(source, 101, 199)
                .from(source, 0, 0)
                .post();
        List<Segment> segments = new RawPeer(sender).hears();

        var receiver = new StreamFixture(Settings.initiator());
        var first = new GuardedMemory(120);
        var second = new GuardedMemory(200);
        receiver.receives
                .receive(1)
                .into(receiver.register(second), 0, 0)
                .into(receiver.register(first), 10, 107)
                .into(receiver.register(first), 0, 0)
                .into(receiver.register(second), 0, 193)
                .post();
        new RawPeer(receiver).says(segments.toArray(Segment[]::new));
        assertThat(receiver.owner.completions).extracting(Completion::length).containsExactly(300L);
        assertThat(HexFormat.of().formatHex(first.octets(10, 107))
                        + HexFormat.of().formatHex(second.octets(0, 193)))
                .isEqualTo(HexFormat.of().formatHex(payload));
        assertThat(first.octets(0, 10)).containsOnly(0);
        assertThat(first.octets(117, 3)).containsOnly(0);
        assertThat(second.octets(193, 7)).containsOnly(0);
    }

    @Test
    void inlinePayloadIsTakenWhenPosted() {
        var fixture = new StreamFixture(Settings.initiator());
        byte[] hello = "hello".getBytes(US_ASCII);
        fixture.requests.send(1).inline(MemorySegment.ofArray(hello)).post();
        hello[0] = 0;
        assertThat(new RawPeer(fixture).hearsOctets())
                .isEqualTo(Vectors.positive("SEND-HELLO").hex());
    }

    @Test
    @Conforms({"DDP-012", "RDMAP-005", "RDMAP-009"})
    void ignoresReservedBitsAndTheInvalidateFieldOfAPlainSend() {
        var fixture = new StreamFixture(Settings.initiator());
        fixture.receive(1, 8);
        new RawPeer(fixture)
                .says(Segment.send(1, new byte[8]).with(0, 0x41 | 0x3C, 0x43 | 0x30, 0x12, 0x34, 0x56, 0x78));
        assertThat(fixture.owner.completions).containsExactly(received(1, 8));
        assertThat(fixture.exposedRegion.isValid()).isTrue();
    }

    @Test
    @Conforms({"RDMAP-041", "RDMAP-053", "DDP-035"})
    void deliversInOrderEachOnce() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        for (int i = 1; i <= 5; i++) {
            fixture.receive(i, 100);
        }
        for (int i = 1; i <= 5; i++) {
            peer.says(
                    Segment.send(RdmapOpcode.SEND, i, 0, false, new byte[10 * i]),
                    Segment.send(RdmapOpcode.SEND, i, 10 * i, true, new byte[i]));
        }
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(fixture.counters.messagesReceived).isEqualTo(5);
        assertThat(fixture.counters.segmentsReceived).isEqualTo(10);
        assertThat(fixture.owner.completions).extracting(Completion::length).containsExactly(11L, 22L, 33L, 44L, 55L);
    }

    @Test
    @Conforms({"DDP-049", "RDMAP-040", "DDP-056"})
    void refusesASendThatOutgrowsItsReceiveInALaterSegment() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        GuardedMemory buffer = fixture.receive(1, 10);
        peer.says(
                Segment.send(RdmapOpcode.SEND, 1, 0, false, pattern(1, 6)),
                Segment.send(RdmapOpcode.SEND, 1, 6, true, pattern(50, 5)));
        peer.hearsTerminate(0x1205);
        assertThat(buffer.octets(6, 4)).containsOnly(0);
        assertThat(buffer.guardsAreIntact()).isTrue();
        assertThat(fixture.owner.completions)
                .extracting(Completion::id, Completion::status)
                .containsExactly(tuple(1L, CompletionStatus.LOC_LEN_ERR));
        assertThat(fixture.owner.failure().origin()).isEqualTo(Origin.RECEIVE_WORK);
        assertThat(fixture.owner.failure().detail().layer()).isEqualTo(ErrorDetail.Layer.DDP);
        assertThat(fixture.owner.failure().detail().fact()).contains("11 octets", "receive of 10");
    }

    @Test
    @Conforms("DDP-048")
    void refusesAMessageOffsetThatIsNotDue() {
        for (int offset : new int[] {0, 5, 7, -1}) {
            var fixture = new StreamFixture(Settings.initiator());
            var peer = new RawPeer(fixture);
            fixture.receive(1, 64);
            peer.says(
                    Segment.send(RdmapOpcode.SEND, 1, 0, false, new byte[6]),
                    Segment.send(RdmapOpcode.SEND, 1, offset, true, new byte[5]));
            peer.hearsTerminate(0x1204);
        }
    }

    @Test
    @Conforms("DDP-050")
    void refusesTheNextMessageInsideAnother() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        fixture.receive(1, 64);
        fixture.receive(2, 64);
        peer.says(
                Segment.send(RdmapOpcode.SEND, 1, 0, false, new byte[6]),
                Segment.send(RdmapOpcode.SEND, 2, 0, true, new byte[5]));
        peer.hearsTerminate(0x1203);
        fixture.flush();
        assertThat(fixture.owner.ids()).as("the receive in progress first").containsExactly(99L, 1L, 2L);
    }

    @Test
    @Conforms("RDMAP-075")
    void refusesAMessageThatChangesItsKind() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        fixture.receive(1, 64);
        peer.says(
                Segment.send(RdmapOpcode.SEND, 1, 0, false, new byte[6]),
                Segment.send(RdmapOpcode.SEND_WITH_SOLICITED_EVENT, 1, 6, true, new byte[5]));
        peer.hearsTerminate(0x0206);
    }

    @Test
    void aReceiveWhoseBufferIsGoneFailsWithoutTellingThePeerMore() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        var buffer = new GuardedMemory(64);
        SoftMemoryRegion region = fixture.register(buffer);
        fixture.receives.receive(1).into(region, 0, 64).post();
        region.close();
        peer.says(Segment.send(1, new byte[] {1}));
        Segment terminate = peer.hearsTerminate(0x0000);
        assertThat(terminate.terminateHeader().headerControl()).isZero();
        assertThat(buffer.isZero()).isTrue();
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .containsExactly(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void aReceiveIntoMemoryThatTheProgramTookAwayFails() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        Arena arena = Arena.ofShared();
        SoftMemoryRegion region = fixture.register(0x7777_0000, 0, arena.allocate(8), StreamFixture.ALL_RIGHTS);
        fixture.receives.receive(1).into(region, 0, 8).post();
        arena.close();
        peer.says(Segment.send(1, new byte[] {1}));
        peer.hearsTerminate(0x0000);
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .containsExactly(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void aReceiveIntoMemoryThatMayNotBeWrittenFails() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        var buffer = new GuardedMemory(8);
        SoftMemoryRegion readOnly = fixture.register(buffer, Rights.LOCAL_READ);
        fixture.receives.receive(1).into(readOnly, 0, 8).post();
        peer.says(Segment.send(1, new byte[] {1}));
        peer.hearsTerminate(0x0000);
        assertThat(buffer.isZero()).isTrue();
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .containsExactly(CompletionStatus.LOC_ACCESS_ERR);
    }

    @Test
    @Conforms({"RDMAP-071", "DDP-060"})
    void aSendWhoseBufferIsGoneFailsAndATerminateTakesItsPlace() {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        SoftMemoryRegion region = fixture.source(new byte[64]);
        fixture.requests.send(1).send(2).from(region, 0, 64).send(3).post();
        region.close();
        List<Segment> heard = peer.hears();
        assertThat(heard).hasSize(2);
        assertThat(heard.getFirst().msn()).isEqualTo(1);
        peer.assertTerminate(heard.getLast(), 0x0000);
        assertThat(heard.getLast().length()).as("without headers").isEqualTo(22);
        assertThat(fixture.owner.failure().origin()).isEqualTo(Origin.SEND_WORK);
        fixture.flush();
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .containsExactly(
                        CompletionStatus.SUCCESS,
                        CompletionStatus.LOC_PROT_ERR,
                        CompletionStatus.WR_FLUSH_ERR,
                        CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void aSendWhoseBufferVanishesHalfwayStopsBetweenSegments() {
        var fixture = new StreamFixture(Settings.initiator().emss(MULPDU_128));
        SoftMemoryRegion region = fixture.source(new byte[300]);
        fixture.requests.send(1).from(region, 0, 300).send(2).post();
        var peer = new RawPeer(fixture);
        assertThat(peer.hearsAtMost(136)).hasSize(1);
        region.close();
        List<Segment> heard = peer.hears();
        assertThat(heard).hasSize(1);
        peer.assertTerminate(heard.getFirst(), 0x0000);
    }

    @Test
    @Conforms("DDP-026")
    void messagesAreShorterThanTwoToThe32() {
        var fixture = new StreamFixture(Settings.initiator());
        SoftMemoryRegion huge = fixture.register(
                0x7777_0000, 0, MemorySegment.ofAddress(4096).reinterpret(1L << 32), StreamFixture.ALL_RIGHTS);
        fixture.requests.send(1).from(huge, 0, (1L << 32) - 1);
        assertThatThrownBy(() -> fixture.requests.from(huge, 0, 1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("2^32");
    }

    private static Settings settingsOf(Vectors.Positive vector) {
        return Settings.initiator()
                .crc(vector.decoded().path("crc_enabled").booleanValue())
                .firstMsn(vector.ddp().path("msn").intValue());
    }

    private static byte[] payloadOf(Vectors.Positive... vectors) {
        var payload = new StringBuilder();
        for (Vectors.Positive vector : vectors) {
            payload.append(vector.ddp().path("payload_hex").textValue());
        }
        return HexFormat.of().parseHex(payload);
    }

    private static MemorySegment memory(String text) {
        return MemorySegment.ofArray(text.getBytes(US_ASCII));
    }

    private static Completion success(long id, Operation operation) {
        return new Completion(id, operation, CompletionStatus.SUCCESS, 0, 0, 0, 0);
    }

    private static Completion received(long id, long length) {
        return new Completion(id, Operation.RECEIVE, CompletionStatus.SUCCESS, length, 0, 0, 0);
    }
}
