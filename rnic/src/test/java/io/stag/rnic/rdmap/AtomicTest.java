package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.ALL_RIGHTS;
import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.LENGTH;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.rdmap.RecordingOwner.Completion;
import io.stag.simnet.Conforms;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.Operation;
import io.stag.verbs.VerbsException;
import io.stag.wire.Vectors;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AtomicTest {
    private static final int OTHER_STAG = 0x0055_0001;
    private static final int IDENTIFIER = 22; // offset of the Request Identifier in the segment

    private final StreamFixture fixture = new StreamFixture(Settings.initiator());
    private final RawPeer peer = new RawPeer(fixture);

    @Test
    @Conforms({"EXT-001", "EXT-010", "EXT-012", "EXT-013", "EXT-014"})
    void asksAsTheVectorsDo() {
        var asking = new StreamFixture(Settings.initiator().firstMsn(3));
        asking.requests
                .fetchAdd(1, STAG, BASE, 1)
                .into(asking.sinkRegion, 0, 8)
                .compareSwap(2, STAG, BASE + 8, 0, 0x1111222233334444L)
                .into(asking.sinkRegion, 8, 8)
                .post();
        List<Segment> heard = new RawPeer(asking).hears();
        // the identifier is ours to choose
        assertThat(heard)
                .containsExactly(
                        Segment.ofVector("ATOMIC-FETCHADD").with(IDENTIFIER, identifierOf(heard.get(0))),
                        Segment.ofVector("ATOMIC-CMPSWAP").with(IDENTIFIER, identifierOf(heard.get(1))));
        assertThat(identifierOf(heard.get(0))).isNotEqualTo(identifierOf(heard.get(1)));
    }

    @Test
    @Conforms({"EXT-011", "EXT-016", "EXT-019", "EXT-020", "DDP-021"})
    void answersAsTheVectorDoes() {
        word(0, 41);
        fixture.receive(1, 64);
        peer.says(Segment.readRequest(1, 0, 0, 0, 0, 0), Segment.readRequest(2, 0, 0, 0, 0, 0));
        peer.hears();
        peer.says(Segment.ofVector("ATOMIC-FETCHADD"));
        assertThat(peer.hearsOctets()).isEqualTo(Vectors.positive("ATOMIC-RESP").hex());
        assertThat(word(0)).isEqualTo(42);
        assertThat(fixture.owner.completions).as("no matter of the program").isEmpty();
        assertThat(fixture.counters.atomicsServed).isEqualTo(1);
        assertThat(fixture.exposedRegion.snapshot().remoteReads()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("fetchAdds")
    @Conforms({"EXT-003", "EXT-006", "EXT-009"})
    void addsAsTheTableSays(JsonNode row) {
        word(16, Vectors.number(row.path("original")));
        peer.says(Segment.fetchAdd(
                1, 5, STAG, BASE + 16, Vectors.number(row.path("add")), Vectors.number(row.path("mask"))));
        assertThat(peer.hearsOne().atomicResponseHeader().originalRemoteDataValue())
                .isEqualTo(Vectors.number(row.path("original")));
        assertThat(word(16)).isEqualTo(Vectors.number(row.path("result")));
    }

    static Stream<JsonNode> fetchAdds() {
        return Vectors.table("atomic_fetch_add");
    }

    @ParameterizedTest
    @MethodSource("compareSwaps")
    @Conforms({"EXT-003", "EXT-007", "EXT-009"})
    void swapsAsTheTableSays(JsonNode row) {
        var asking = new StreamFixture(Settings.initiator());
        asking.requests
                .compareSwap(
                        1,
                        STAG,
                        BASE + 16,
                        Vectors.number(row.path("compare")),
                        Vectors.number(row.path("compare_mask")),
                        Vectors.number(row.path("swap")),
                        Vectors.number(row.path("swap_mask")))
                .into(asking.sinkRegion, 0, 8)
                .post();
        word(16, Vectors.number(row.path("original")));
        peer.says(new RawPeer(asking).hearsOne());
        assertThat(peer.hearsOne().atomicResponseHeader().originalRemoteDataValue())
                .isEqualTo(Vectors.number(row.path("original")));
        assertThat(word(16)).isEqualTo(Vectors.number(row.path("result")));
    }

    static Stream<JsonNode> compareSwaps() {
        return Vectors.table("atomic_cmp_swap");
    }

    @Test
    @Conforms({"EXT-009", "EXT-022", "EXT-028"})
    void completesWithTheResponseAndPutsTheValueThereInTheOrderOfThisMachine() {
        fixture.requests
                .fetchAdd(1, STAG, BASE, 1)
                .into(fixture.sinkRegion, 8, 8)
                .post();
        int identifier = peer.hearsOne().atomicRequestHeader().requestIdentifier();
        assertThat(fixture.owner.completions).isEmpty();
        peer.says(Segment.atomicResponse(1, identifier, 0x0102030405060708L));
        assertThat(fixture.owner.completions)
                .containsExactly(new Completion(1, Operation.FETCH_ADD, CompletionStatus.SUCCESS, 8, 0, 0, 0));
        assertThat(fixture.sink.segment().get(JAVA_LONG, 8)).isEqualTo(0x0102030405060708L);
        assertThat(fixture.sink.octets(0, 8)).containsOnly(0);
        assertThat(fixture.sink.octets(16, LENGTH - 16)).containsOnly(0);
    }

    @Test
    @Conforms({"EXT-015", "EXT-018", "EXT-021", "EXT-024", "EXT-027", "EXT-029"})
    void manyAtomicsAndReadsAreDoneAndAnsweredInOrder() {
        for (int i = 1; i <= 16; i++) {
            peer.says(
                    i % 4 == 0
                            ? Segment.readRequest(i, i, 0, 8, STAG, BASE)
                            : Segment.fetchAdd(i, i, STAG, BASE, 1, 0));
        }
        List<Segment> heard = peer.hears();
        assertThat(heard).hasSize(16);
        int msn = 1;
        for (int i = 1; i <= 16; i++) {
            Segment response = heard.get(i - 1);
            if (i % 4 == 0) {
                assertThat(response.opcode()).isEqualTo(RdmapOpcode.READ_RESPONSE);
                assertThat(response.stag()).isEqualTo(i);
                assertThat(response.payload()[0])
                        .as("what the atomics before it left")
                        .isEqualTo((byte) (i - i / 4));
            } else {
                assertThat(response.queue()).isEqualTo(RdmapOpcode.ATOMIC_RESPONSE_QUEUE);
                assertThat(response.msn()).isEqualTo(msn++);
                assertThat(response.atomicResponseHeader().originalRequestIdentifier())
                        .isEqualTo(i);
                assertThat(response.atomicResponseHeader().originalRemoteDataValue())
                        .isEqualTo(i - 1 - (i - 1) / 4);
            }
        }
    }

    @Test
    @Conforms("EXT-026")
    void seesWhatAWriteBeforeItPlaced() {
        peer.says(
                Segment.write(STAG, BASE, true, new byte[] {1, 1, 1, 1, 1, 1, 1, 1}),
                Segment.fetchAdd(1, 1, STAG, BASE, 1, 0));
        assertThat(peer.hearsOne().atomicResponseHeader().originalRemoteDataValue())
                .isEqualTo(0x0101010101010101L);
    }

    @Test
    @Conforms({"EXT-002", "EXT-013", "EXT-014", "DDP-012", "RDMAP-005"})
    void ignoresReservedFieldsAndTheCompareFieldsOfAFetchAdd() {
        Segment request = Segment.fetchAdd(1, 1, STAG, BASE, 3, 0)
                .with(0, 0x41 | 0x3C, 0x4A | 0x30, 1, 2, 3, 4)
                .with(18, 0xFF, 0xFF, 0xFF, 0xF0)
                .with(54, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        peer.says(request);
        assertThat(peer.hearsOne().opcode()).isEqualTo(RdmapOpcode.ATOMIC_RESPONSE);
        assertThat(word(0)).isEqualTo(3);
    }

    @Test
    @Conforms({"EXT-005", "EXT-008", "EXT-038"})
    void anAddressThatIsNoMultipleOfEightIsRefusedAndTheMemoryUntouched() {
        Segment swap = Segment.ofVector("ATOMIC-CMPSWAP").with(13, 1);
        for (int odd = 1; odd < 8; odd++) {
            refuses(Segment.fetchAdd(1, 1, STAG, BASE + odd, 1, 0), 0x0207);
            refuses(swap.with(37, 8 + odd), 0x0207);
        }
    }

    @Test
    @Conforms({"EXT-017", "EXT-036", "EXT-037"})
    void requestsThatBreakARuleAreRefused() {
        Segment good = Segment.fetchAdd(1, 1, STAG, BASE, 1, 0);
        for (int opcode = 0; opcode < 16; opcode++) {
            if (opcode != 0 && opcode != 2) {
                refuses(good.with(21, opcode), 0x0206);
            }
        }
        refuses(Segment.fetchAdd(1, 1, STAG + 1, BASE, 1, 0), 0x0100);
        refuses(Segment.fetchAdd(1, 1, STAG, BASE - 8, 1, 0), 0x0101);
        refuses(Segment.fetchAdd(1, 1, STAG, BASE + LENGTH, 1, 0), 0x0101);
        refuses(Segment.fetchAdd(1, 1, STAG, BASE + LENGTH - 4, 1, 0), 0x0101);
        refuses(Segment.fetchAdd(1, 1, STAG, -4, 1, 0), 0x0104);
        refuses(good.with(0, 0x01), 0x0207); // L=0
        refuses(good.with(17, 1), 0x0207); // MO 1
        refuses(good.resized(69), 0x0207);
        refuses(good.resized(71), 0x0207);
        refuses(good.with(13, 2), 0x1203); // MSN 2
        refuses(good.with(9, 0), 0x0206); // queue 0
        refuses(good.with(0, 0x42), 0x1206); // DDP version 2
        refuses(good.with(1, 0x8A), 0x0205); // RDMAP version 2
    }

    @Test
    @Conforms("EXT-036")
    void memoryThatThePeerMayNotChangeAtomicallyIsRefused() {
        var memory = new GuardedMemory(8);
        fixture.register(OTHER_STAG, 0, memory.segment(), ALL_RIGHTS & ~Rights.REMOTE_ATOMIC);
        peer.says(Segment.fetchAdd(1, 1, OTHER_STAG, 0, 1, 0));
        peer.hearsTerminate(0x0102);
        assertThat(memory.isZero()).isTrue();

        var other = new StreamFixture(Settings.initiator());
        other.register(OTHER_STAG, 0, StreamFixture.DOMAIN + 1, memory.segment(), ALL_RIGHTS);
        var stranger = new RawPeer(other);
        stranger.says(Segment.fetchAdd(1, 1, OTHER_STAG, 0, 1, 0));
        stranger.hearsTerminate(0x0103);

        var closed = new StreamFixture(Settings.initiator().allowRemoteRead(false));
        var barred = new RawPeer(closed);
        barred.says(Segment.fetchAdd(1, 1, STAG, BASE, 1, 0));
        barred.hearsTerminate(0x1201);
    }

    @Test
    @Conforms("EXT-036")
    void anAtomicWhoseMemoryGoesWhileItWaitsShowsItsHeader() {
        peer.says(Segment.fetchAdd(1, 1, STAG, BASE, 1, 0), Segment.send(1, new byte[0]));
        fixture.exposedRegion.close();
        List<Segment> heard = peer.hears();
        assertThat(heard).as("no Terminate for the Send as well").hasSize(1);

        var other = new StreamFixture(Settings.initiator());
        var asker = new RawPeer(other);
        asker.says(Segment.fetchAdd(1, 1, STAG, BASE, 1, 0), Segment.write(0, 0, true, new byte[0]));
        other.exposedRegion.close();
        Segment terminate = asker.hearsOne();
        asker.assertTerminate(terminate, 0x0100);
        assertThat(terminate.terminateHeader().headerControl()).isEqualTo(0xC000);
        assertThat(terminate.terminateHeader().ddpSegmentLength()).isEqualTo(70);
        assertThat(terminate.terminatedHeaders())
                .isEqualTo(Segment.fetchAdd(1, 1, STAG, BASE, 1, 0).resized(18).toString());
        assertThat(other.exposed.isZero()).isTrue();
    }

    @Test
    @Conforms("EXT-023")
    void responsesThatDoNotFitAreRefused() {
        refusesResponse(0x0206, identifier -> Segment.atomicResponse(1, identifier + 1, 0));
        refusesResponse(0x1203, identifier -> Segment.atomicResponse(2, identifier, 0));
        refusesResponse(
                0x0207, identifier -> Segment.atomicResponse(1, identifier, 0).resized(29));
        refusesResponse(
                0x0207, identifier -> Segment.atomicResponse(1, identifier, 0).with(0, 0x01));
        refusesResponse(
                0x0207, identifier -> Segment.atomicResponse(1, identifier, 0).with(17, 1));

        peer.says(Segment.atomicResponse(1, 1, 0));
        peer.hearsTerminate(0x0206);

        var reading = new StreamFixture(Settings.initiator());
        var liar = new RawPeer(reading);
        reading.requests.read(1, STAG, BASE).into(reading.sinkRegion, 0, 8).post();
        liar.hears();
        liar.says(Segment.atomicResponse(1, StreamFixture.SINK_STAG, 0));
        liar.hearsTerminate(0x0206);
    }

    private interface Answer {
        Segment to(int identifier);
    }

    private static void refusesResponse(int code, Answer answer) {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        fixture.requests
                .fetchAdd(1, STAG, BASE, 1)
                .into(fixture.sinkRegion, 0, 8)
                .post();
        int identifier = peer.hearsOne().atomicRequestHeader().requestIdentifier();
        peer.says(answer.to(identifier));
        peer.hearsTerminate(code);
        assertThat(fixture.sink.isZero()).isTrue();
    }

    @Test
    @Conforms("EXT-035")
    void anAtomicWhoseResultHasNoPlaceIsNotSent() {
        SoftMemoryRegion readOnly = fixture.register(OTHER_STAG, 0, new GuardedMemory(8).segment(), Rights.LOCAL_READ);
        fixture.requests.fetchAdd(1, STAG, BASE, 1).into(readOnly, 0, 8).post();
        Segment terminate = peer.hearsOne();
        peer.assertTerminate(terminate, 0x0000);
        assertThat(terminate.length()).as("without headers").isEqualTo(22);
        assertThat(fixture.owner.failure().status()).isEqualTo(CompletionStatus.LOC_ACCESS_ERR);
        assertThatThrownBy(() -> fixture.requests.fetchAdd(1, STAG, BASE, 1).post())
                .isInstanceOf(VerbsException.class);
    }

    @Test
    void aResultWhosePlaceIsGoneIsOurOwnFault() {
        SoftMemoryRegion result = fixture.register(new GuardedMemory(8));
        fixture.requests.fetchAdd(1, STAG, BASE, 1).into(result, 0, 8).post();
        int identifier = peer.hearsOne().atomicRequestHeader().requestIdentifier();
        result.close();
        peer.says(Segment.atomicResponse(1, identifier, 0));
        peer.hearsTerminate(0x0000);
        assertThat(fixture.owner.failure().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        assertThat(fixture.owner.completions).as("it never completes well").isEmpty();
    }

    @Test
    @Conforms("EXT-039")
    void aPeerWithoutAtomicsFailsTheProbeAsAnOperationError() {
        fixture.requests
                .fetchAdd(1, STAG, BASE, 0)
                .into(fixture.sinkRegion, 0, 8)
                .post();
        Segment probe = peer.hearsOne();
        // the peer's Terminate: code, M and D, length and header of our request
        byte[] headers = HexFormat.of().parseHex("0206c0000046" + probe.resized(18));
        peer.says(Segment.untagged(true, RdmapOpcode.TERMINATE, 0, RdmapOpcode.TERMINATE_QUEUE, 1, 0, headers));
        fixture.flush();
        assertThat(fixture.owner.completions)
                .extracting(Completion::status)
                .containsExactly(CompletionStatus.REM_OP_ERR);
        assertThat(fixture.owner.terminates.getFirst().terminateCode()).isEqualTo(0x0206);
    }

    @Test
    @Conforms("EXT-004")
    void additionsThroughManyStreamsAtOnceAreAllCounted() throws InterruptedException {
        int streams = 8;
        int additions = 10_000;
        var shared = new GuardedMemory(8);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < streams; i++) {
            var one = new StreamFixture(Settings.initiator());
            one.register(OTHER_STAG, 0, shared.segment(), ALL_RIGHTS);
            var adder = new RawPeer(one);
            threads.add(Thread.ofPlatform().name("stag-test-adder-" + i).start(() -> {
                for (int msn = 1; msn <= additions; msn++) {
                    adder.says(Segment.fetchAdd(msn, 1, OTHER_STAG, 0, 1, msn % 2 == 0 ? 0 : 1L << 63));
                    adder.hearsOctets();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(shared.segment().get(JAVA_LONG, 0)).isEqualTo((long) streams * additions);
    }

    private static void refuses(Segment request, Integer... codes) {
        var fixture = new StreamFixture(Settings.initiator());
        var peer = new RawPeer(fixture);
        peer.says(request);
        Segment terminate = peer.hearsTerminate(codes);
        assertThat(terminate.terminateHeader().headerControl())
                .as("M and D, not R")
                .isEqualTo(0xC000);
        assertThat(fixture.exposed.isZero()).isTrue();
        assertThat(fixture.exposed.guardsAreIntact()).isTrue();
    }

    private static int[] identifierOf(Segment request) {
        int identifier = request.atomicRequestHeader().requestIdentifier();
        return new int[] {identifier >>> 24, identifier >>> 16 & 0xFF, identifier >>> 8 & 0xFF, identifier & 0xFF};
    }

    private long word(int offset) {
        return fixture.exposed.segment().get(JAVA_LONG, offset);
    }

    private void word(int offset, long value) {
        fixture.exposed.segment().set(JAVA_LONG, offset, value);
    }
}
