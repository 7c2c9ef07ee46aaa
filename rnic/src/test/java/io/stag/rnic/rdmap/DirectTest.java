package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.ALL_RIGHTS;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.mpa.FpduEncoder;
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

/** Payload that is sent from its place and put into its place without staging. */
class DirectTest {
    private static final int LEAST = 100;
    private static final int LENGTH = 1_000;
    private static final int STAG = 0x0055_0001;

    private final StagingBuffer out = new StagingBuffer(10_000);
    private final StagingBuffer in = new StagingBuffer(10_000);
    private final Splices splices = new Splices();
    private final GuardedMemory target = new GuardedMemory(LENGTH);
    private SoftMemoryRegion exposed;

    private static StreamFixture fixture(boolean crc) {
        StreamFixture fixture = new StreamFixture(Settings.initiator().crc(crc));
        fixture.stream.useDirect(LEAST, LEAST);
        return fixture;
    }

    // sending

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

    private int polled(StreamFixture fixture, int enough) {
        fixture.stream.pollTransmit(out, splices, enough);
        int octets = out.size() + splices.total();
        out.clear();
        splices.clear();
        fixture.stream.transmitted(octets);
        return octets;
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

    // receiving

    private StreamFixture receiver() {
        StreamFixture fixture = fixture(false);
        exposed = fixture.register(STAG, 0, target.segment(), ALL_RIGHTS);
        return fixture;
    }

    private static byte[] fpdu(boolean crc, Segment segment) {
        var made = new StagingBuffer(4_000);
        var encoder = new FpduEncoder(crc, false, 0);
        byte[] octets = segment.octets();
        int at = encoder.begin(made, octets.length);
        MemorySegment.copy(octets, 0, made.segment(), ValueLayout.JAVA_BYTE, at, octets.length);
        encoder.end();
        return octets(made);
    }

    /** Octets come in, to where the stream wants them. @return how many went there without staging */
    private int feed(StreamFixture fixture, byte[] octets, int from, int to) {
        int direct = 0;
        int at = from;
        while (at < to) {
            DirectTarget wanted = fixture.stream.direct().target(in);
            if (wanted != null) {
                int step = Math.min(to - at, wanted.length());
                MemorySegment.copy(MemorySegment.ofArray(octets), at, wanted.memory(), wanted.offset(), step);
                fixture.stream.direct().placed(step);
                direct += step;
                at += step;
            } else {
                int step = Math.min(to - at, 64);
                MemorySegment.copy(octets, at, in.segment(), ValueLayout.JAVA_BYTE, in.end(), step);
                in.append(step);
                at += step;
            }
            fixture.stream.received(in, Integer.MAX_VALUE);
        }
        return direct;
    }

    @Test
    void aQueuePairWithoutRemoteWritesTakesNoLargeOnesEither() {
        var closed = new StreamFixture(Settings.initiator().crc(false).allowRemoteWrite(false));
        closed.stream.useDirect(LEAST, LEAST);
        closed.register(STAG, 0, target.segment(), ALL_RIGHTS);
        byte[] octets = fpdu(false, Segment.write(STAG, 5, true, pattern(9, 900)));
        assertThat(feed(closed, octets, 0, octets.length)).isZero();
        assertThat(closed.owner.failure().detail().terminateCode())
                .isEqualTo(TerminateCode.DDP_TAGGED_STAG_NOT_ASSOCIATED.wireValue());
        assertThat(target.octets(0, LENGTH)).containsOnly(0);
    }

    @Test
    void aLargeWriteIsPutIntoItsPlaceWhileItComes() {
        StreamFixture fixture = receiver();
        byte[] octets = fpdu(false, Segment.write(STAG, 5, true, pattern(9, 900)));
        int direct = feed(fixture, octets, 0, 500);
        assertThat(target.octets(5, 400)).isEqualTo(pattern(9, 400));
        assertThat(fixture.counters.writesReceived).isZero();
        direct += feed(fixture, octets, 500, octets.length);
        assertThat(direct).isGreaterThan(700);
        assertThat(target.octets(5, 900)).isEqualTo(pattern(9, 900));
        assertThat(target.octets(905, 95)).containsOnly(0);
        assertThat(fixture.counters.writesReceived).isEqualTo(1);
        assertThat(in.size()).isZero();
    }

    @Test
    void aLargeSendFillsSeveralBuffers() {
        StreamFixture fixture = receiver();
        var first = new GuardedMemory(300);
        var second = new GuardedMemory(700);
        fixture.receives
                .receive(4)
                .into(fixture.register(first), 0, 300)
                .into(fixture.register(second), 10, 690)
                .post();
        byte[] octets = fpdu(false, Segment.send(1, pattern(9, 950)));
        assertThat(feed(fixture, octets, 0, octets.length)).isGreaterThan(700);
        assertThat(first.octets()).isEqualTo(pattern(9, 300));
        assertThat(second.octets(10, 650)).isEqualTo(pattern(9 + 7 * 300, 650));
        assertThat(fixture.owner.completions.getFirst().length()).isEqualTo(950);
    }

    @Test
    void aHeaderMayComeOctetByOctet() {
        StreamFixture fixture = receiver();
        byte[] octets = fpdu(false, Segment.write(STAG, 5, true, pattern(9, 900)));
        for (int i = 0; i < octets.length; i++) {
            feed(fixture, octets, i, i + 1);
            int payload =
                    Math.max(0, i + 1 - 20); // what came with the headers of an untagged segment waits for the next
            assertThat(target.octets(5, payload)).isEqualTo(pattern(9, payload));
            assertThat(fixture.counters.segmentsReceived).isEqualTo(i + 1 < octets.length ? 0 : 1);
        }
        assertThat(target.octets(0, 5)).containsOnly(0);
        assertThat(fixture.stream.direct().isUnderWay()).isFalse();
    }

    @Test
    void whatIsMissingIsKnownWhileAnFpduIsUnderWay() {
        StreamFixture fixture = receiver();
        byte[] octets = fpdu(false, Segment.write(STAG, 5, true, pattern(9, 900)));
        for (int i = 0; i < octets.length; i += 50) {
            feed(fixture, octets, i, Math.min(i + 50, octets.length));
            if (i + 50 < octets.length) {
                assertThat(fixture.stream.octetsNeeded()).isEqualTo(octets.length - i - 50);
            }
        }
    }

    @Test
    void anFpduThatIsTooLongIsRefusedWithoutPlacing() {
        StreamFixture fixture = receiver();
        byte[] octets = fpdu(false, Segment.write(STAG, 0, true, pattern(9, 900)));
        octets[0] = (byte) 0xFF;
        feed(fixture, octets, 0, 300);
        assertThat(target.isZero()).isTrue();
    }

    @Test
    void withCrcNothingIsPlacedBeforeTheFpduIsWhole() {
        StreamFixture fixture = fixture(true);
        fixture.register(STAG, 0, target.segment(), ALL_RIGHTS);
        byte[] octets = fpdu(true, Segment.write(STAG, 5, true, pattern(9, 900)));
        assertThat(feed(fixture, octets, 0, octets.length - 1)).isZero();
        assertThat(target.isZero()).isTrue();
    }

    @Test
    void aWrongHeaderIsRefusedBeforeItsPayloadComes() {
        StreamFixture fixture = receiver();
        byte[] octets = fpdu(false, Segment.write(STAG, 101, true, pattern(9, 900)));
        feed(fixture, octets, 0, 200);
        assertThat(fixture.owner.failure().detail().terminateCode())
                .isEqualTo(TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS.wireValue());
        assertThat(target.isZero()).isTrue();
        assertThat(fixture.stream.direct().target(in)).isNull();
    }

    @Test
    void aRegionThatIsClosedHalfwayGetsNoMore() {
        StreamFixture fixture = receiver();
        byte[] octets = fpdu(false, Segment.write(STAG, 0, true, pattern(9, 900)));
        feed(fixture, octets, 0, 300);
        exposed.close();
        byte[] before = target.octets();
        feed(fixture, octets, 300, octets.length);
        assertThat(target.octets()).isEqualTo(before);
        assertThat(fixture.owner.failure().detail().terminateCode())
                .isEqualTo(TerminateCode.DDP_TAGGED_INVALID_STAG.wireValue());
    }

    @Test
    void memoryThatIsGoneWhenItIsReadIntoEndsTheStream() {
        StreamFixture fixture = receiver();
        byte[] octets = fpdu(false, Segment.write(STAG, 0, true, pattern(9, 900)));
        feed(fixture, octets, 0, 300);
        assertThat(fixture.stream.direct().target(in)).isNotNull();
        fixture.stream.direct().targetGone();
        assertThat(fixture.owner.failures).hasSize(1);
        assertThat(fixture.stream.direct().isUnderWay()).isFalse();
    }

    @Test
    void aLargeFpduLetsExpectAnother() {
        StreamFixture fixture = receiver();
        assertThat(fixture.stream.direct().expectsLarge()).isFalse();
        byte[] large = fpdu(false, Segment.write(STAG, 0, true, pattern(9, 900)));
        feed(fixture, large, 0, large.length);
        assertThat(fixture.stream.direct().expectsLarge()).isTrue();
        byte[] small = fpdu(false, Segment.write(STAG, 0, true, pattern(9, 9)));
        feed(fixture, small, 0, small.length);
        assertThat(fixture.stream.direct().expectsLarge()).isFalse();
    }

    private static byte[] octets(StagingBuffer buffer) {
        return buffer.segment().asSlice(buffer.start(), buffer.size()).toArray(ValueLayout.JAVA_BYTE);
    }
}
