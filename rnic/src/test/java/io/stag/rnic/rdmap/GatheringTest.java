package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.ALL_RIGHTS;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.verbs.CompletionStatus;
import io.stag.wire.rdmap.TerminateCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payload that is sent from its place, without staging. */
class GatheringTest {
    private static final int LEAST = 100;
    private static final int LENGTH = 1_000;
    private static final int STAG = 0x0055_0001;

    private final StagingBuffer out = new StagingBuffer(20_000);
    private final Splices splices = new Splices();

    private static StreamFixture fixture(boolean crc) {
        StreamFixture fixture = new StreamFixture(Settings.initiator().crc(crc));
        fixture.stream.useGathering(LEAST);
        return fixture;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theSameOctetsGoOutAsWithStaging(boolean crc) {
        byte[] octets = pattern(3, LENGTH);
        StreamFixture gathering = fixture(crc);
        StreamFixture staging = new StreamFixture(Settings.initiator().crc(crc));
        for (StreamFixture fixture : new StreamFixture[] {gathering, staging}) {
            SoftMemoryRegion source = fixture.source(octets);
            fixture.requests.write(1, 7, 8).from(source, 1, LENGTH - 1);
            fixture.requests.write(2, 7, 8).from(source, 0, LEAST - 1);
            fixture.requests.send(3).from(source, 0, 500).from(source, 500, 499);
            fixture.requests.send(4).from(source, 2, LENGTH - 2);
            fixture.requests.post();
        }
        gathering.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        assertThat(splices.count())
                .as("short payload and that of several buffers is staged")
                .isEqualTo(2);
        var joined = new StagingBuffer(10_000);
        assertThat(splices.copyRest(out, 0, joined)).isEqualTo(Splices.COPIED);
        var staged = new StagingBuffer(10_000);
        staging.stream.pollTransmit(staged);
        assertThat(octets(joined)).isEqualTo(octets(staged));
        gathering.stream.transmitted(joined.size());
        assertThat(gathering.owner.ids()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void aPollEndsWhereItWouldBecomeMoreThanEnough() {
        StreamFixture fixture = fixture(true);
        SoftMemoryRegion source = fixture.source(pattern(1, LENGTH));
        fixture.requests.write(1, 7, 8).from(source, 0, LENGTH); // on the wire 1020 octets
        fixture.requests.write(2, 7, 8).from(source, 0, 20); // 40
        fixture.requests.write(3, 7, 8).from(source, 0, LENGTH).post();
        assertThat(polled(fixture, 1)).as("the first FPDU always comes").isEqualTo(1_020);
        assertThat(polled(fixture, 1_059)).isEqualTo(40);
        assertThat(polled(fixture, 1_059)).isEqualTo(1_020);
        fixture.requests.write(4, 7, 8).from(source, 0, 20);
        fixture.requests.write(5, 7, 8).from(source, 0, LENGTH).post();
        assertThat(polled(fixture, 1_060)).isEqualTo(1_060);
        assertThat(fixture.owner.ids()).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void theShortEndOfAMessageGoesAlong() {
        int payload = 8_172; // of a tagged segment; an untagged one has 4 octets fewer
        int end = 4_095;
        StreamFixture fixture = new StreamFixture(Settings.initiator().emss(8_192));
        SoftMemoryRegion source = fixture.source(pattern(1, 2 * payload));
        fixture.requests.write(1, 7, 8).from(source, 0, payload + end); // the end on the wire: 4116 octets
        fixture.requests.write(2, 7, 8).from(source, 0, payload + end + 1); // the same
        fixture.requests.send(3).from(source, 0, payload - 4 + end); // 4120
        fixture.requests.write(4, 7, 8).from(source, 0, 20).post();
        assertThat(polled(fixture, 1)).isEqualTo(8_192 + 4_116);
        assertThat(polled(fixture, 1)).isEqualTo(8_192);
        assertThat(polled(fixture, 1)).as("not a short one").isEqualTo(4_116);
        assertThat(polled(fixture, 1)).isEqualTo(8_192 + 4_120);
        assertThat(polled(fixture, 1)).as("another message").isEqualTo(40);
        fixture.register(STAG, 0, source.segment(), ALL_RIGHTS);
        new RawPeer(fixture).says(Segment.readRequest(1, 7, 8, payload + end, STAG, 0));
        assertThat(polled(fixture, 1)).as("a Read Response").isEqualTo(8_192 + 4_116);
    }

    private int polled(StreamFixture fixture, int enough) {
        fixture.stream.pollTransmit(out, splices, enough);
        int octets = out.size() + splices.total();
        out.clear();
        splices.clear();
        fixture.stream.transmitted(octets);
        return octets;
    }

    @Test
    void everyPieceIsInOneOfTheMemoriesThatACallHolds() {
        StreamFixture fixture = fixture(true);
        SoftMemoryRegion one = fixture.register(STAG, 0, Arena.ofAuto().allocate(LENGTH), ALL_RIGHTS);
        SoftMemoryRegion other = fixture.source(pattern(1, LENGTH));
        for (int i = 0; i < Splices.MOST; i++) {
            fixture.requests.write(i, 7, 8).from(one, 0, LEAST);
        }
        for (int i = 0; i < Splices.MOST; i++) {
            fixture.requests.write(i, 7, 8).from(i % 2 == 0 ? other : one, 0, LEAST);
        }
        fixture.requests.post();
        fixture.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        assertThat(splices.count()).as("of one memory").isEqualTo(Splices.MOST);
        assertThat(splices.memory(0)).isNotEqualTo(MemorySegment.NULL);
        assertThat(splices.memory(1)).isEqualTo(MemorySegment.NULL);
        splices.cut(out, 1);
        assertThat(splices.memory(0)).isNotEqualTo(MemorySegment.NULL);
        splices.clear();
        out.clear();
        fixture.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        assertThat(splices.count()).as("of two memories in turns").isEqualTo(Splices.MOST_MEMORIES);
        for (int i = 0; i < Splices.MOST_MEMORIES; i++) {
            assertThat(splices.address(i)).isEqualTo(splices.memory(i).address());
        }
        splices.cut(out, 3);
        assertThat(splices.memory(2)).isNotEqualTo(MemorySegment.NULL);
        assertThat(splices.memory(3)).isEqualTo(MemorySegment.NULL);
    }

    @Test
    void whatTheStreamDidNotTakeIsCopied() {
        StreamFixture fixture = fixture(true);
        SoftMemoryRegion source = fixture.source(pattern(1, LENGTH));
        fixture.requests.write(1, 7, 8).from(source, 0, LENGTH);
        fixture.requests.write(2, 7, 8).from(source, 0, 20);
        fixture.requests.write(3, 7, 8).from(source, 0, LENGTH - 1).post();
        fixture.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        var whole = new StagingBuffer(10_000);
        splices.copyRest(out, 0, whole);
        byte[] all = octets(whole);
        for (int taken = 0; taken <= all.length; taken++) {
            var rest = new StagingBuffer(4_000);
            assertThat(splices.copyRest(out, taken, rest)).isEqualTo(Splices.COPIED);
            assertThat(octets(rest)).isEqualTo(java.util.Arrays.copyOfRange(all, taken, all.length));
        }
    }

    @Test
    void memoryThatIsGoneBeforeItWasSentEndsTheStreamWithATerminate() {
        StreamFixture fixture = fixture(true);
        Arena arena = Arena.ofShared();
        SoftMemoryRegion gone = fixture.register(STAG, 0, arena.allocate(LENGTH), ALL_RIGHTS);
        SoftMemoryRegion stays = fixture.source(pattern(1, LENGTH));
        fixture.requests.write(1, 7, 8).from(stays, 0, LENGTH);
        fixture.requests.write(2, 7, 8).from(gone, 0, LENGTH);
        fixture.requests.write(3, 7, 8).from(stays, 0, LENGTH).post();
        fixture.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        assertThat(splices.count()).isEqualTo(3);
        arena.close();
        assertThat(splices.firstGone()).isEqualTo(1);
        assertThat(splices.copyRest(out, 0, new StagingBuffer(10_000))).isEqualTo(1);

        fixture.stream.spliceGone(out, splices, 1);
        assertThat(splices.count()).isEqualTo(1);
        var joined = new StagingBuffer(10_000);
        splices.copyRest(out, 0, joined);
        splices.clear();
        fixture.stream.transmitted(joined.size());
        assertThat(fixture.owner.ids()).as("what came before is not touched").containsExactly(1L);
        assertThat(fixture.owner.failure().detail().terminateCode())
                .isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC.wireValue());
        fixture.flush();
        assertThat(fixture.owner.completions)
                .extracting(RecordingOwner.Completion::status)
                .containsExactly(
                        CompletionStatus.SUCCESS, CompletionStatus.LOC_PROT_ERR, CompletionStatus.WR_FLUSH_ERR);
        out.clear();
        fixture.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        fixture.stream.transmitted(out.size());
        assertThat(out.size()).as("the Terminate").isPositive();
        assertThat(fixture.stream.outputFinished()).isTrue();
    }

    @Test
    void memoryThatIsGoneInTheMiddleOfAnFpduIsTheFaultOfItsRequest() {
        StreamFixture fixture = fixture(true);
        Arena arena = Arena.ofShared();
        SoftMemoryRegion gone = fixture.register(STAG, 0, arena.allocate(LENGTH), ALL_RIGHTS);
        fixture.requests.write(1, 7, 8).from(gone, 0, LENGTH).post();
        fixture.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        arena.close();
        fixture.stream.markGone(splices.copyRest(out, 30, new StagingBuffer(10_000)));
        fixture.stream.abandon();
        fixture.flush();
        assertThat(fixture.owner.completions)
                .extracting(RecordingOwner.Completion::status)
                .containsExactly(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void aTerminateIsNotPutBehindPayloadThatMayBeGone() {
        StreamFixture fixture = fixture(true);
        fixture.requests.write(1, 7, 8).from(fixture.source(pattern(1, LENGTH)), 0, LENGTH);
        fixture.requests
                .write(2, 7, 8)
                .from(fixture.sinkRegion, 0, StreamFixture.LENGTH)
                .post();
        fixture.sinkRegion.close();
        fixture.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        assertThat(splices.count()).isEqualTo(1);
        assertThat(fixture.owner.failures).hasSize(1);
        assertThat(fixture.counters.terminatesSent).isZero();
        splices.clear();
        out.clear();
        fixture.stream.pollTransmit(out, splices, Integer.MAX_VALUE);
        assertThat(fixture.counters.terminatesSent).isEqualTo(1);
    }

    private static byte[] octets(StagingBuffer buffer) {
        return buffer.segment().asSlice(buffer.start(), buffer.size()).toArray(ValueLayout.JAVA_BYTE);
    }
}
