package io.stag.rnic.rdmap;

import static io.stag.rnic.rdmap.StreamFixture.BASE;
import static io.stag.rnic.rdmap.StreamFixture.LENGTH;
import static io.stag.rnic.rdmap.StreamFixture.SINK_BASE;
import static io.stag.rnic.rdmap.StreamFixture.SINK_STAG;
import static io.stag.rnic.rdmap.StreamFixture.STAG;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever segments a peer makes up: no exception, nothing outside the registered memory, at most one Terminate. */
class HostilePeerTest {
    private static final int STREAMS = 10;
    private static final int SEGMENTS = 30;
    private static final long[] OFFSETS = {
        0,
        1,
        -1,
        -8,
        BASE,
        BASE + 8,
        BASE - 1,
        BASE + LENGTH - 8,
        BASE + LENGTH - 1,
        BASE + LENGTH,
        SINK_BASE,
        SINK_BASE + 8
    };
    private static final int[] STAGS = {STAG, STAG, STAG, STAG + 1, SINK_STAG, 0, -1};
    private static final int[] SIZES = {0, 1, 8, 64, LENGTH, LENGTH + 1, -1, Integer.MIN_VALUE};

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"SEC-003", "SEC-026", "RDMAP-050", "RDMAP-067"})
    void nothingAPeerSendsDoesHarm(long seed) {
        var random = new SplittableRandom(seed);
        for (int i = 0; i < STREAMS; i++) {
            attack(random, Seeds.replay(seed));
        }
    }

    private static void attack(SplittableRandom random, String replay) {
        var fixture = new StreamFixture(Settings.initiator()
                .emss(random.nextBoolean() ? 100 : 1460)
                .ird(random.nextInt(4))
                .markersReceived(random.nextBoolean()));
        var peer = new RawPeer(fixture);
        GuardedMemory buffer = fixture.receive(1, 64);
        fixture.receive(2, 64);
        fixture.requests
                .read(3, STAG, BASE)
                .into(fixture.sinkRegion, 0, 8)
                .fetchAdd(4, STAG, BASE, 1)
                .into(fixture.sinkRegion, 8, 8)
                .post();
        List<Segment> heard = new ArrayList<>();
        for (int i = 0; i < SEGMENTS; i++) {
            heard.addAll(peer.hears());
            peer.says(bend(segment(random), random));
        }
        heard.addAll(peer.hears());
        int failures = fixture.owner.failures.size();
        assertThat(failures + fixture.owner.terminates.size()).as(replay).isLessThanOrEqualTo(1);
        assertThat(heard.stream().filter(segment -> segment.opcode() == RdmapOpcode.TERMINATE))
                .as("one for a failure of ours, none as an answer, %s", replay)
                .hasSize(failures);
        assertThat(failures == 0 || heard.getLast().opcode() == RdmapOpcode.TERMINATE)
                .as("and nothing after it, %s", replay)
                .isTrue();
        assertThat(fixture.stream.outputFinished())
                .as(replay)
                .isEqualTo(failures + fixture.owner.terminates.size() > 0);
        assertThat(fixture.exposed.guardsAreIntact() && fixture.sink.guardsAreIntact() && buffer.guardsAreIntact())
                .as(replay)
                .isTrue();
        assertThat(fixture.sink.octets(16, LENGTH - 16)).as(replay).containsOnly(0);
    }

    /** Something near to what is allowed. */
    private static Segment segment(SplittableRandom random) {
        int msn = 1 + random.nextInt(3);
        int stag = STAGS[random.nextInt(STAGS.length)];
        long offset = OFFSETS[random.nextInt(OFFSETS.length)];
        int size = SIZES[random.nextInt(SIZES.length)];
        byte[] payload = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(80)];
        boolean last = random.nextInt(3) > 0;
        return switch (random.nextInt(9)) {
            case 0 -> Segment.send(RdmapOpcode.SEND + random.nextInt(4), msn, random.nextInt(3), last, payload);
            case 1 -> Segment.sendInvalidate(msn, stag, payload);
            case 2 -> Segment.write(stag, offset, last, payload);
            case 3 -> Segment.readRequest(msn, stag, offset, size, STAGS[random.nextInt(STAGS.length)], offset);
            case 4 -> Segment.readResponse(stag, offset, last, payload);
            case 5 -> Segment.fetchAdd(msn, msn, stag, offset, 1, size);
            case 6 -> Segment.atomicResponse(msn, 2, offset);
            case 7 -> Segment.immediate(msn, offset);
            default -> random.nextInt(4) == 0 ? Segment.terminate(size) : Segment.write(STAG, BASE, true, payload);
        };
    }

    /** Often as it is, else with some octets changed or another length. */
    private static Segment bend(Segment segment, SplittableRandom random) {
        return switch (random.nextInt(8)) {
            case 0 -> segment.with(random.nextInt(segment.length()), random.nextInt(256));
            case 1 -> segment.with(random.nextInt(2), random.nextInt(256));
            case 2 -> segment.resized(1 + random.nextInt(100));
            default -> segment;
        };
    }
}
