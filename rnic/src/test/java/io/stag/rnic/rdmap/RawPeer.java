package io.stag.rnic.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.mpa.FpduDecoder;
import io.stag.rnic.mpa.FpduEncoder;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A peer that speaks octets: says whatever a test wants and hears every segment. */
final class RawPeer {
    private final StreamFixture fixture;
    private final RdmaStream stream;
    private final FpduEncoder encoder;
    private final FpduDecoder decoder;
    private int segmentsSaid;
    private final StagingBuffer toStream = new StagingBuffer(StagingPool.FPDU_CAPACITY);
    private final StagingBuffer fromStream = new StagingBuffer(StagingPool.FPDU_CAPACITY);

    RawPeer(StreamFixture fixture) {
        this.fixture = fixture;
        stream = fixture.stream;
        encoder = new FpduEncoder(stream.settings.crc(), stream.settings.markersReceived(), 0);
        decoder = new FpduDecoder(stream.settings.crc(), stream.settings.markersSent(), 0);
    }

    /** Sends each segment in an FPDU of its own, all at once. */
    void says(Segment... segments) {
        stage(segments);
        stream.received(toStream, Integer.MAX_VALUE);
    }

    /** Like {@link #says}, to a stream that was told to finish. @return whether that may come */
    boolean saysAfterFinish(Segment... segments) {
        stage(segments);
        return stream.receivedAfterFinish(toStream);
    }

    private void stage(Segment... segments) {
        for (Segment segment : segments) {
            byte[] octets = segment.octets();
            int at = encoder.begin(toStream, octets.length);
            MemorySegment.copy(octets, 0, toStream.segment(), ValueLayout.JAVA_BYTE, at, octets.length);
            encoder.end();
            segmentsSaid++;
        }
    }

    /** Sends octets as they are. */
    void saysOctets(String hex) {
        byte[] octets = HexFormat.of().parseHex(hex);
        MemorySegment.copy(octets, 0, toStream.segment(), ValueLayout.JAVA_BYTE, toStream.end(), octets.length);
        toStream.append(octets.length);
        stream.received(toStream, Integer.MAX_VALUE);
    }

    /** All segments that the stream has to send now; it learns at once that they have left. */
    List<Segment> hears() {
        List<Segment> heard = new ArrayList<>();
        while (stream.hasOutput()) {
            stream.pollTransmit(fromStream);
            if (fromStream.size() == 0) {
                break; // there were requests without octets
            }
            heard.addAll(decode(fromStream));
        }
        return heard;
    }

    /** What the stream sends when there is room for so many octets only. */
    List<Segment> hearsAtMost(int octets) {
        var small = new StagingBuffer(octets);
        stream.pollTransmit(small);
        return decode(small);
    }

    private List<Segment> decode(StagingBuffer polled) {
        stream.transmitted(polled.size());
        List<Segment> heard = new ArrayList<>();
        FpduDecoder.Result result = decoder.next(polled);
        while (result == FpduDecoder.Result.FPDU) {
            byte[] octets = new byte[decoder.ulpduLength()];
            decoder.place(polled.segment(), decoder.ulpduOffset(), MemorySegment.ofArray(octets), 0, octets.length);
            heard.add(new Segment(octets));
            decoder.consume(polled);
            result = decoder.next(polled);
        }
        assertThat(result).as("whole FPDUs only").isEqualTo(FpduDecoder.Result.INCOMPLETE);
        assertThat(polled.size()).as("whole FPDUs only").isZero();
        return heard;
    }

    /** The octets that the stream has to send now. */
    String hearsOctets() {
        stream.pollTransmit(fromStream);
        byte[] octets = new byte[fromStream.size()];
        MemorySegment.copy(fromStream.segment(), ValueLayout.JAVA_BYTE, fromStream.start(), octets, 0, octets.length);
        fromStream.clear();
        stream.transmitted(octets.length);
        return HexFormat.of().formatHex(octets);
    }

    /** The only segment that the stream has to send now. */
    Segment hearsOne() {
        List<Segment> heard = hears();
        assertThat(heard).hasSize(1);
        return heard.getFirst();
    }

    /** The Terminate that is all the stream sends, the last thing ever, and whose code is one of these. */
    Segment hearsTerminate(Integer... codes) {
        assertThat(fixture.owner.failures).as("told to the owner").hasSize(1);
        assertThat(fixture.counters.segmentsReceived)
                .as("the segment at fault does not count")
                .isLessThan(Math.max(1, segmentsSaid));
        assertThat(stream.outputFinished())
                .as("the sending direction stays open for it")
                .isFalse();
        Segment terminate = hearsOne();
        assertTerminate(terminate, codes);
        return terminate;
    }

    /** Checks a Terminate, and that nothing comes after it. */
    void assertTerminate(Segment terminate, Integer... codes) {
        assertThat(terminate.opcode()).isEqualTo(RdmapOpcode.TERMINATE);
        assertThat(terminate.isTagged()).isFalse();
        assertThat(terminate.isLast()).isTrue();
        assertThat(terminate.queue()).isEqualTo(RdmapOpcode.TERMINATE_QUEUE);
        assertThat(terminate.msn()).isEqualTo(1);
        assertThat(terminate.messageOffset()).isZero();
        assertThat(terminate.invalidateStag()).isZero();
        assertThat(terminate.terminateHeader().code())
                .as("0x%04x", terminate.terminateHeader().code())
                .isIn((Object[]) codes);
        assertThat(fixture.owner.failure().detail().terminateCode())
                .isEqualTo(terminate.terminateHeader().code());
        assertThat(stream.outputFinished()).isTrue();
        fixture.requests.send(99).post();
        assertThat(stream.hasOutput()).isFalse();
        assertThat(hearsOctets()).as("nothing after a Terminate").isEmpty();
    }
}
