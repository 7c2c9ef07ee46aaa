package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.ALL_RIGHTS;
import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.LENGTH;
import static io.stag.rnic.rdmap.StreamFixture.SINK_BASE;
import static io.stag.rnic.rdmap.StreamFixture.SINK_STAG;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.rnic.rdmap.StreamFailure.Origin;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import io.stag.wire.Vectors;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadTest {
    private static final int OTHER_STAG = 0x0055_0001;
    private static final int MULPDU_128 = 100; // EMSS; 114 octets of payload in a response segment

    private final StreamFixture fixture = new StreamFixture(Settings.initiator().emss(MULPDU_128));
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms({"RDMAP-001", "RDMAP-006", "RDMAP-008", "RDMAP-010", "RDMAP-025", "RDMAP-028", "DDP-021"})
    void asksAsTheVectorDoes() {
        fixture.requests.read(1, STAG, BASE).into(fixture.sinkRegion, 0, 200).post();
        assertThat(peer.hearsOctets()).isEqualTo(Vectors.positive("READ-REQ").hex());
        assertThat(fixture.owner.completions).isEmpty();
    }

    @Test
    @Conforms("RDMAP-010")
    void asksForNothingAsTheVectorDoes() {
        var second = new StreamFixture(Settings.initiator().firstMsn(2));
        second.requests.read(1, 0, 0).into(second.sinkRegion, 0, 0).post();
        assertThat(new RawPeer(second).hearsOctets())
                .isEqualTo(Vectors.positive("READ-REQ-ZERO").hex());
    }

    @Test
    @Conforms({"RDMAP-011", "RDMAP-024", "RDMAP-026", "RDMAP-029", "RDMAP-033", "DDP-008", "DDP-019", "DDP-029"})
    void answersAsTheVectorsDo() {
        fixture.exposed.put(0, pattern(1, 200));
        fixture.receive(1, 64);
        peer.says(Segment.ofVector("READ-REQ"));
        assertThat(peer.hearsOctets())
                .isEqualTo(Vectors.positive("READ-RESP-1").hex()
                        + Vectors.positive("READ-RESP-2").hex());
        assertThat(fixture.owner.completions).as("no matter of the program").isEmpty();
        assertThat(fixture.owner.receivesTaken).isZero();
        assertThat(fixture.counters.readsServed).isEqualTo(1);
        assertThat(fixture.counters.messagesReceived).isEqualTo(1);
        assertThat(fixture.exposedRegion.snapshot().remoteReads()).isEqualTo(2);
    }

    @Test
    @Conforms({"RDMAP-031", "RDMAP-032", "SEC-009", "VRB-014"})
    void answersAnEmptyReadWithoutLookingAtItsSource() {
        var closed = new StreamFixture(Settings.initiator().firstMsn(2).allowRemoteRead(false));
        var reader = new RawPeer(closed);
        reader.says(Segment.ofVector("READ-REQ-ZERO"));
        assertThat(reader.hearsOctets())
                .isEqualTo(Vectors.positive("READ-RESP-ZERO").hex());
    }

    @Test
    @Conforms("RDMAP-011")
    void copiesSinkStagAndOffsetWithoutLookingAtThem() {
        peer.says(Segment.readRequest(1, 0, -2, 10, STAG, BASE), Segment.readRequest(2, 0xFFFFFFFF, -1, 0, STAG, BASE));
        List<Segment> heard = peer.hears();
        assertThat(heard)
                .containsExactly(
                        Segment.readResponse(0, -2, true, new byte[10]),
                        Segment.readResponse(0xFFFFFFFF, -1, true, new byte[0]));
    }

    @Test
    @Conforms({"RDMAP-035", "RDMAP-061"})
    void completesWhenTheLastSegmentOfTheResponseIsPlaced() {
        fixture.requests.read(1, STAG, BASE).into(fixture.sinkRegion, 0, 200).post();
        peer.hears();
        peer.says(Segment.ofVector("READ-RESP-1"));
        assertThat(fixture.owner.completions).isEmpty();
        assertThat(fixture.sink.octets(0, 114)).isEqualTo(pattern(1, 114));
        peer.says(Segment.ofVector("READ-RESP-2"));
        assertThat(fixture.owner.completions)
                .containsExactly(new Completion(1, Operation.RDMA_READ, CompletionStatus.SUCCESS, 200, 0, 0, 0));
        assertThat(fixture.sink.octets(0, 200)).isEqualTo(pattern(1, 200));
        assertThat(fixture.sink.octets(200, LENGTH - 200)).containsOnly(0);
    }

    @Test
    void scattersTheResponseOverSeveralBuffers() {
        var first = new GuardedMemory(100);
        var second = new GuardedMemory(100);
        SoftMemoryRegion firstRegion = fixture.register(first);
        SoftMemoryRegion secondRegion = fixture.register(second);
        fixture.requests
                .read(1, STAG, BASE)
                .into(firstRegion, 7, 0)
                .into(firstRegion, 90, 10)
                .into(secondRegion, 0, 100)
                .into(secondRegion, 0, 0)
                .into(firstRegion, 0, 90)
                .post();
        ReadRequestHeader request = peer.hearsOne().readRequestHeader();
        assertThat(request.messageSize()).isEqualTo(200);
        byte[] data = pattern(1, 200);
        int stag = request.sinkStag();
        long at = request.sinkTaggedOffset();
        peer.says(
                Segment.readResponse(stag, at, false, Arrays.copyOfRange(data, 0, 60)),
                Segment.readResponse(stag, at + 60, true, Arrays.copyOfRange(data, 60, 200)));
        assertThat(first.octets(90, 10)).isEqualTo(Arrays.copyOfRange(data, 0, 10));
        assertThat(second.octets()).isEqualTo(Arrays.copyOfRange(data, 10, 110));
        assertThat(first.octets(0, 90)).isEqualTo(Arrays.copyOfRange(data, 110, 200));
        assertThat(fixture.owner.ids()).containsExactly(1L);
    }

    @Test
    @Conforms({"RDMAP-027", "RDMAP-034", "RDMAP-036", "RDMAP-062"})
    void answersInTheOrderOfTheRequests() {
        int[] sizes = {256, 0, 1, 200, 114, 115, 0, 7};
        for (int i = 0; i < sizes.length; i++) {
            peer.says(Segment.readRequest(i + 1, i, 1000L * i, sizes[i], STAG, BASE));
        }
        List<Segment> responses = peer.hears();
        assertThat(responses).extracting(Segment::stag).isSorted();
        for (int i = 0; i < sizes.length; i++) {
            int read = i;
            List<Segment> response =
                    responses.stream().filter(segment -> segment.stag() == read).toList();
            assertThat(response.stream()
                            .mapToInt(segment -> segment.payload().length)
                            .sum())
                    .isEqualTo(sizes[i]);
            assertThat(response.getLast().isLast()).isTrue();
            assertThat(response.stream().filter(Segment::isLast)).hasSize(1);
        }
    }

    @Test
    @Conforms({"RDMAP-054", "RDMAP-027"})
    void responsesBelongToTheOldestRead() {
        fixture.requests
                .read(1, STAG, BASE)
                .into(fixture.sinkRegion, 0, 4)
                .read(2, STAG, BASE)
                .into(fixture.sinkRegion, 8, 4)
                .post();
        assertThat(peer.hears()).extracting(Segment::msn).containsExactly(1, 2);
        peer.says(Segment.readResponse(SINK_STAG, SINK_BASE, true, pattern(1, 4)));
        assertThat(fixture.owner.ids()).containsExactly(1L);
        peer.says(Segment.readResponse(SINK_STAG, SINK_BASE + 8, true, pattern(9, 4)));
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L);
    }

    @Test
    @Conforms("RDMAP-037")
    void refusesAResponseThatDoesNotFitTheRequest() {
        refusesResponse(0x1100, Segment.readResponse(STAG, SINK_BASE, true, new byte[200]));
        refusesResponse(0x1101, Segment.readResponse(SINK_STAG, SINK_BASE + 1, true, new byte[200]));
        refusesResponse(0x1101, Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[201]));
        refusesResponse(0x1101, Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[199]));
        refusesResponse(0x1101, Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[0]));
        refusesResponse(0x1101, Segment.readResponse(SINK_STAG, SINK_BASE, false, new byte[200]));
    }

    private static void refusesResponse(int code, Segment response) {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        fixture.requests.read(1, STAG, BASE).into(fixture.sinkRegion, 0, 200).post();
        peer.hears();
        peer.says(response);
        peer.hearsTerminate(code);
        assertThat(fixture.sink.isZero()).isTrue();
        assertThat(fixture.exposed.isZero()).isTrue();
        assertThat(fixture.owner.failure().origin()).isEqualTo(Origin.SEND_WORK);
        fixture.flush();
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .containsExactly(CompletionStatus.BAD_RESP_ERR, CompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    @Conforms("DDP-031")
    void anEmptyResponseMayNameAnyStag() {
        fixture.requests.read(1, STAG, BASE).post();
        peer.hears();
        peer.says(Segment.readResponse(77, 88, true, new byte[0]));
        assertThat(fixture.owner.ids()).containsExactly(1L);
    }

    @Test
    void aResponseToASinkThatIsGoneFailsTheRead() {
        fixture.requests.read(1, STAG, BASE).into(fixture.sinkRegion, 0, 200).post();
        peer.hears();
        fixture.sinkRegion.close();
        peer.says(Segment.ofVector("READ-RESP-1"));
        peer.hearsTerminate(0x1100);
        assertThat(fixture.sink.isZero()).isTrue();
        fixture.flush();
        assertThat(fixture.owner.completions.getFirst().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void aReadWhoseSinkIsGoneNeverCompletesWell() {
        fixture.requests.read(1, STAG, BASE).into(fixture.sinkRegion, 0, 8).post();
        peer.hears();
        fixture.sinkRegion.close();
        peer.says(Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[8]));
        fixture.flush();
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .containsExactly(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void aLateResponseDoesNotReachMemoryRegisteredAfterItsRequest() {
        SoftMemoryRegion region = fixture.register(new GuardedMemory(8));
        fixture.requests.read(1, STAG, BASE).into(region, 0, 8).post();
        ReadRequestHeader request = peer.hearsOne().readRequestHeader();
        var other = new GuardedMemory(8);
        region.reregister(other.segment(), region.rights());
        peer.says(Segment.readResponse(request.sinkStag(), request.sinkTaggedOffset(), true, pattern(1, 8)));
        peer.hearsTerminate(0x1100);
        assertThat(other.isZero()).isTrue();
    }

    @Test
    @Conforms("RDMAP-071")
    void aReadIntoMemoryThatMayNotBeWrittenIsNotSent() {
        SoftMemoryRegion readOnly = fixture.register(OTHER_STAG, 0, new GuardedMemory(8).segment(), Rights.LOCAL_READ);
        fixture.requests.read(1, STAG, BASE).into(readOnly, 0, 8).post();
        List<Segment> heard = peer.hears();
        assertThat(heard).hasSize(1);
        peer.assertTerminate(heard.getFirst(), 0x0000);
        assertThat(fixture.owner.failure().status()).isEqualTo(CompletionStatus.LOC_ACCESS_ERR);
    }

    @Test
    @Conforms({"RDMAP-078", "RDMAP-079"})
    void sourcesThatThePeerMayNotReadAreRefused() {
        var memory = new GuardedMemory(64);
        SoftMemoryRegion refusing = fixture.register(OTHER_STAG, 0, memory.segment(), ALL_RIGHTS & ~Rights.REMOTE_READ);
        peer.says(Segment.readRequest(1, 1, 2, 8, OTHER_STAG, 0));
        Segment terminate = peer.hearsTerminate(0x0102);
        assertThat(refusing.snapshot().refused()).isEqualTo(1);
        assertThat(terminate.terminatedHeaders())
                .isEqualTo(Segment.readRequest(1, 1, 2, 8, OTHER_STAG, 0).toString());

        var other = new StreamFixture(Settings.initiator());
        other.register(OTHER_STAG, 0, StreamFixture.DOMAIN + 1, memory.segment(), ALL_RIGHTS);
        var reader = new RawPeer(other);
        reader.says(Segment.readRequest(1, 1, 2, 8, OTHER_STAG, 0));
        reader.hearsTerminate(0x0103);
    }

    @Test
    void aQueuePairThatAllowsNoReadsRefusesThem() {
        var closed = new StreamFixture(Settings.initiator().allowRemoteRead(false));
        var reader = new RawPeer(closed);
        reader.says(Segment.readRequest(1, 1, 2, 1, STAG, BASE));
        reader.hearsTerminate(0x1201);
    }

    @Test
    @Conforms({"RDMAP-012", "RDMAP-016", "RDMAP-073"})
    void theTerminateIsTheOneOfTheVector() {
        peer.says(Segment.readRequest(1, SINK_STAG, SINK_BASE, 200, 0x99999900, BASE));
        assertThat(peer.hearsOctets())
                .isEqualTo(Vectors.positive("TERM-RDMAP-READ-STAG").hex());
    }

    @Test
    void requestsThatAreNotOneWholeSegmentAreRefused() {
        Segment good = Segment.readRequest(1, 1, 2, 8, STAG, BASE);
        refusesRequest(good.with(0, 0x01), 0x0207); // L=0
        refusesRequest(good.with(17, 1), 0x0207); // MO 1
        refusesRequest(good.resized(45), 0x0207);
        refusesRequest(good.resized(47), 0x0207);
        refusesRequest(good.with(13, 2), 0x1203); // MSN 2
        refusesRequest(good.with(13, 0), 0x1203); // MSN 0
        refusesRequest(good.with(9, 0), 0x0206); // queue 0
        refusesRequest(good.with(9, 3), 0x0206); // queue 3
        refusesRequest(good.with(9, 4), 0x1201); // queue 4
    }

    private static void refusesRequest(Segment request, int code) {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        peer.says(request);
        peer.hearsTerminate(code);
    }

    @Test
    @Conforms("RDMAP-018")
    void aReadThatBreaksOffShowsWhatIsLeftOfIt() {
        fixture.exposed.put(0, pattern(1, LENGTH));
        peer.says(
                Segment.readRequest(1, 1, 2, 1, STAG, BASE),
                Segment.readRequest(2, SINK_STAG, SINK_BASE, 250, STAG, BASE + 6),
                Segment.readRequest(3, 1, 2, 1, STAG, BASE));
        fixture.requests.send(1).post();
        assertThat(peer.hearsAtMost(24 + 136)).hasSize(2);
        fixture.exposedRegion.close();
        List<Segment> heard = peer.hears();
        assertThat(heard).as("neither other responses nor own messages").hasSize(1);
        peer.assertTerminate(heard.getFirst(), 0x0100);
        Segment left = Segment.readRequest(2, SINK_STAG, SINK_BASE + 114, 250 - 114, STAG, BASE + 6 + 114);
        assertThat(heard.getFirst().terminatedHeaders()).isEqualTo(left.toString());
        assertThat(heard.getFirst().terminateHeader().headerControl()).isEqualTo(0xE000);
        assertThat(heard.getFirst().terminateHeader().ddpSegmentLength()).isEqualTo(46);
        assertThat(fixture.owner.failure().detail().fact()).contains("114 of them answered");
    }

    @Test
    void invalidatesTheSinkAfterwardsIfAsked() {
        fixture.requests
                .readInvalidate(1, STAG, BASE)
                .into(fixture.sinkRegion, 0, 4)
                .post();
        peer.hears();
        assertThat(fixture.sinkRegion.isValid()).isTrue();
        peer.says(Segment.readResponse(SINK_STAG, SINK_BASE, true, pattern(1, 4)));
        assertThat(fixture.sinkRegion.isValid()).isFalse();
        assertThat(fixture.sink.octets(0, 4)).isEqualTo(pattern(1, 4));
        assertThat(fixture.owner.ids()).containsExactly(1L);
    }

    @Test
    @Conforms("RDMAP-075")
    void aResponseThatNobodyAskedForIsRefused() {
        fixture.requests
                .fetchAdd(1, STAG, BASE, 1)
                .into(fixture.sinkRegion, 0, 8)
                .post();
        assertThat(peer.hearsOne().opcode()).isEqualTo(RdmapOpcode.ATOMIC_REQUEST);
        peer.says(Segment.readResponse(SINK_STAG, SINK_BASE, true, new byte[8]));
        peer.hearsTerminate(0x0206);
    }
}
