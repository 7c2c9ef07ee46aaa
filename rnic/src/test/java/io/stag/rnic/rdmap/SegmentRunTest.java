package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.ALL_RIGHTS;
import static io.stag.rnic.rdmap.StreamFixture.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.memory.SoftMemoryRegion;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.verbs.CompletionStatus;
import io.stag.wire.rdmap.TerminateCode;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments of a message that are made in a row, beside the same message made segment by segment. */
class SegmentRunTest {
    private static final int STAG = 0x0055_0001;
    private static final int FPDU = 1_436; // of a full segment, a multiple of 4
    private static final int PAYLOAD = FPDU - 20;
    private static final int ONE_BY_ONE = 1;

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void theOctetsAreThoseOfSegmentsMadeOneByOne(long seed) {
        var random = new SplittableRandom(seed);
        int emss = random.nextInt(134, 3_000);
        Settings settings = Settings.initiator()
                .emss(emss)
                .crc(random.nextBoolean())
                .markersSent(random.nextBoolean())
                .ird(4);
        long work = random.nextLong();
        StreamFixture row = fixture(settings, new SplittableRandom(work), emss);
        StreamFixture single = fixture(settings, new SplittableRandom(work), emss);
        byte[] inRows = poll(row, random, Integer.MAX_VALUE);
        byte[] oneByOne = poll(single, random, ONE_BY_ONE);
        assertThat(inRows).isEqualTo(oneByOne);
        assertThat(row.counters.segmentsSent).isEqualTo(single.counters.segmentsSent);
        assertThat(row.exposedRegion.snapshot()).isEqualTo(single.exposedRegion.snapshot());
        assertThat(row.owner.ids()).isEqualTo(single.owner.ids()).isNotEmpty();
        assertThat(row.owner.failures).isEmpty();
    }

    /** Writes, Sends and answers to Reads, of one to four pieces each. */
    private static StreamFixture fixture(Settings settings, SplittableRandom random, int emss) {
        var fixture = new StreamFixture(settings);
        SoftMemoryRegion source = fixture.source(pattern(1, 25 * emss));
        for (int id = 1; id <= 6; id++) {
            switch (random.nextInt(4)) {
                case 0 -> fixture.requests.send(id).solicited();
                case 1 -> fixture.requests.sendInvalidate(id, STAG);
                default -> fixture.requests.write(id, STAG, random.nextLong());
            }
            for (int piece = random.nextInt(4); piece >= 0; piece--) {
                int length = random.nextInt(6 * emss);
                fixture.requests.from(source, random.nextInt(19 * emss), length);
            }
        }
        fixture.requests.post();
        int readable = 10 * emss;
        fixture.register(STAG, 0, fixture.source(pattern(9, readable)).segment(), ALL_RIGHTS);
        new RawPeer(fixture)
                .says(
                        Segment.readRequest(1, 7, 8, random.nextInt(readable), STAG, 0),
                        Segment.readRequest(2, 7, 8, StreamFixture.LENGTH, StreamFixture.STAG, StreamFixture.BASE));
        return fixture;
    }

    private static byte[] poll(StreamFixture fixture, SplittableRandom random, int enough) {
        var octets = new ByteArrayOutputStream();
        while (fixture.stream.hasOutput()) {
            int capacity = enough == ONE_BY_ONE ? StagingPool.FPDU_CAPACITY : random.nextInt(4_000, 40_000);
            octets.writeBytes(poll(fixture, capacity, enough));
        }
        return octets.toByteArray();
    }

    private static byte[] poll(StreamFixture fixture, int capacity, int enough) {
        var out = new StagingBuffer(capacity);
        fixture.stream.pollTransmit(out, null, enough);
        fixture.stream.transmitted(out.size());
        return out.segment().asSlice(out.start(), out.size()).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void aRowEndsWhereThereIsNoRoomOrWhereItIsEnough() {
        var fixture = new StreamFixture(Settings.initiator().emss(FPDU));
        int length = 20 * PAYLOAD;
        fixture.requests
                .write(1, 7, 8)
                .from(fixture.source(pattern(1, length)), 0, length)
                .post();
        assertThat(poll(fixture, 5 * FPDU, Integer.MAX_VALUE)).hasSize(5 * FPDU);
        assertThat(poll(fixture, 6 * FPDU - 1, Integer.MAX_VALUE)).hasSize(5 * FPDU);
        assertThat(poll(fixture, 20 * FPDU, 3 * FPDU + 1)).hasSize(3 * FPDU);
        assertThat(poll(fixture, 20 * FPDU, 20 * FPDU)).hasSize(7 * FPDU);
        assertThat(fixture.owner.ids()).containsExactly(1L);
        assertThat(fixture.counters.segmentsSent).isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowLeavesRoomForItsMarkers(boolean read) {
        int fpdu = 136; // of which most have no marker, and some one
        int length = 40 * (fpdu - 22);
        for (int capacity = 10 * fpdu; capacity <= 30 * fpdu; capacity += 4) {
            var fixture = new StreamFixture(Settings.initiator().emss(fpdu).markersSent(true));
            SoftMemoryRegion region = fixture.source(pattern(1, length));
            if (read) {
                fixture.register(STAG, 0, region.segment(), ALL_RIGHTS);
                new RawPeer(fixture).says(Segment.readRequest(1, 7, 8, length, STAG, 0));
            } else {
                fixture.requests.write(1, 7, 8).from(region, 0, length).post();
            }
            assertThat(poll(fixture, capacity, Integer.MAX_VALUE))
                    .as("room for %d octets", capacity)
                    .hasSizeGreaterThan(capacity - fpdu - 4)
                    .hasSizeLessThanOrEqualTo(capacity);
        }
    }

    @Test
    void theLastSegmentOfAnAnswerIsMarkedAlsoWhereItIsAsLongAsTheOthers() {
        var fixture = new StreamFixture(Settings.initiator().emss(FPDU));
        int length = 4 * PAYLOAD;
        fixture.register(STAG, 0, fixture.source(pattern(1, length)).segment(), ALL_RIGHTS);
        var peer = new RawPeer(fixture);
        peer.says(Segment.readRequest(1, 7, 8, length, STAG, 0));
        assertThat(peer.hears()).extracting(Segment::isLast).containsExactly(false, false, false, true);
        assertThat(fixture.counters.readsServed).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"freed", "deregistered", "registered anew"})
    void memoryThatIsGoneBetweenTwoRowsEndsTheStreamWithATerminate(String how) {
        var fixture = new StreamFixture(Settings.initiator().emss(FPDU));
        Arena arena = Arena.ofShared();
        int length = 20 * PAYLOAD;
        SoftMemoryRegion gone = fixture.register(STAG, 0, arena.allocate(length), ALL_RIGHTS);
        fixture.requests.send(1).from(gone, 0, length).post();
        assertThat(poll(fixture, 5 * FPDU, Integer.MAX_VALUE)).hasSize(5 * FPDU);
        switch (how) {
            case "freed" -> arena.close();
            case "deregistered" -> gone.close();
            default -> gone.reregister(Arena.ofAuto().allocate(length), gone.rights());
        }
        assertThat(poll(fixture, 5 * FPDU, Integer.MAX_VALUE))
                .as("nothing but the Terminate")
                .isNotEmpty()
                .hasSizeLessThan(FPDU);
        assertThat(fixture.owner.failure().detail().terminateCode())
                .isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC.wireValue());
        assertThat(fixture.counters.terminatesSent).isEqualTo(1);
        fixture.flush();
        assertThat(fixture.owner.completions)
                .extracting(RecordingOwner.Completion::status)
                .containsExactly(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void aReadWhoseMemoryIsInvalidatedBetweenTwoRowsIsNotAnsweredFurther() {
        var fixture = new StreamFixture(Settings.initiator().emss(FPDU));
        int length = 20 * PAYLOAD;
        SoftMemoryRegion region = fixture.source(pattern(1, length));
        fixture.register(STAG, 0, region.segment(), ALL_RIGHTS);
        var peer = new RawPeer(fixture);
        peer.says(Segment.readRequest(1, 7, 8, length, STAG, 0));
        assertThat(peer.hearsAtMost(5 * FPDU)).hasSize(5);
        fixture.stags.invalidate(STAG, StreamFixture.DOMAIN, StreamFixture.QUEUE_PAIR, false, false);
        peer.assertTerminate(peer.hearsOne(), TerminateCode.RDMAP_INVALID_STAG.wireValue());
        assertThat(fixture.counters.readsServed).isZero();
    }
}
