package io.stag.rnic.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.simnet.Seeds;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two streams, random work both ways, octets cut as the seed wills. */
class StreamSimulationTest {
    private static final int[] SEGMENT_SIZES = {100, 536, 1448, 1460, 8960, 65_483};
    private static final int POSTS = 120;

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({
        "MPA-019",
        "MPA-044",
        "DDP-027",
        "DDP-032",
        "DDP-035",
        "DDP-036",
        "RDMAP-020",
        "RDMAP-024",
        "RDMAP-027",
        "RDMAP-029",
        "RDMAP-035",
        "RDMAP-036",
        "RDMAP-041",
        "RDMAP-043",
        "RDMAP-053",
        "RDMAP-054",
        "RDMAP-056",
        "RDMAP-058",
        "RDMAP-062",
        "RDMAP-063",
        "EXT-003",
        "EXT-019",
        "EXT-022",
        "EXT-024",
        "EXT-032",
        "EXT-034",
        "VRB-017",
        "VRB-021",
        "SEC-003"
    })
    void everythingPostedHappensOnceInOrderAndNowhereElse(long seed) {
        var run = new Run(seed);
        run.start();
        run.pair.run();
        run.left.assertEverythingDone(Seeds.replay(seed));
        run.right.assertEverythingDone(Seeds.replay(seed));
        assertThat(run.pair.octetsUnderWay()).as(Seeds.replay(seed)).isZero();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"MPA-006", "MPA-038", "MPA-050", "MPA-053", "DDP-056", "DDP-057", "RDMAP-068"})
    void aDamagedOctetIsNoticedAndNothingOfItIsPlaced(long seed) {
        var run = new Run(seed, true);
        run.pair.damageOctet(run.random.nextInt(30_000));
        run.finishWithFault(seed);
        boolean noticed = run.left.fixture.owner.failures.size() + run.right.fixture.owner.failures.size() > 0;
        boolean awaitsMore = run.pair.octetsUnderWay() > 0; // a length that grew
        assertThat(noticed || awaitsMore || !run.pair.isDamaged())
                .as(Seeds.replay(seed))
                .isTrue();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"DDP-051", "DDP-056", "DDP-057", "RDMAP-050", "RDMAP-068", "RDMAP-070"})
    void aForbiddenWriteEndsTheStreamOnBothSides(long seed) {
        var run = new Run(seed);
        int when = run.random.nextInt(POSTS);
        RandomWork culprit = run.random.nextBoolean() ? run.left : run.right;
        run.start(when);
        while (!culprit.canPost()) {
            run.pair.step();
        }
        culprit.postForbiddenWrite();
        run.start(POSTS - when);
        run.finishWithFault(seed);
        RandomWork victim = culprit == run.left ? run.right : run.left;
        assertThat(victim.fixture.owner.failure().detail().terminateCode())
                .as(Seeds.replay(seed))
                .isEqualTo(0x1100);
        assertThat(culprit.fixture.owner.terminates)
                .as(Seeds.replay(seed))
                .singleElement()
                .satisfies(detail -> assertThat(detail.terminateCode()).isEqualTo(0x1100));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    @Conforms({"MPA-047"})
    void aConnectionThatBreaksAnywhereLeavesEveryRequestAccountedFor(long seed) {
        var run = new Run(seed);
        run.start(run.random.nextInt(POSTS));
        for (int steps = run.random.nextInt(200); steps > 0 && run.pair.step(); steps--) {
            continue;
        }
        run.left.fixture.stream.abandon();
        run.right.fixture.stream.abandon();
        run.finishWithFault(seed);
    }

    /** Two sides and the random choices of one seed. */
    private static final class Run {
        final SplittableRandom random;
        final StreamPair pair;
        final RandomWork left;
        final RandomWork right;

        Run(long seed) {
            this(seed, new SplittableRandom(seed).nextInt(4) > 0);
        }

        Run(long seed, boolean crc) {
            random = new SplittableRandom(seed);
            boolean markersToRight = random.nextBoolean();
            boolean markersToLeft = random.nextBoolean();
            int leftOrd = 1 + random.nextInt(8);
            int rightOrd = 1 + random.nextInt(8);
            ReadyToReceive[] kinds = ReadyToReceive.values();
            Settings leftSettings = Settings.initiator()
                    .crc(crc)
                    .markersSent(markersToRight)
                    .markersReceived(markersToLeft)
                    .emss(segmentSize())
                    .ord(leftOrd)
                    .ird(rightOrd)
                    .firstMessage(kinds[random.nextInt(kinds.length)]);
            Settings rightSettings = Settings.responder()
                    .crc(crc)
                    .markersSent(markersToLeft)
                    .markersReceived(markersToRight)
                    .emss(segmentSize())
                    .ord(rightOrd)
                    .ird(leftOrd)
                    .firstMessageTaken(kinds);
            pair = new StreamPair(leftSettings, rightSettings, random);
            left = new RandomWork(pair.left, random);
            right = new RandomWork(pair.right, random);
            RandomWork.connect(left, right);
        }

        void start() {
            start(POSTS);
        }

        /** Posts on both sides while octets move. */
        void start(int posts) {
            for (int i = 0; i < posts; i++) {
                (random.nextBoolean() ? left : right).post();
                for (int steps = random.nextInt(4); steps > 0; steps--) {
                    pair.step();
                }
            }
        }

        void finishWithFault(long seed) {
            start();
            pair.run();
            left.fixture.flush();
            right.fixture.flush();
            left.assertAccountedFor(Seeds.replay(seed));
            right.assertAccountedFor(Seeds.replay(seed));
        }

        private int segmentSize() {
            return SEGMENT_SIZES[random.nextInt(SEGMENT_SIZES.length)];
        }
    }
}
