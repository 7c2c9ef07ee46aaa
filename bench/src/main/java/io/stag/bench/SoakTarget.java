package io.stag.bench;

import io.stag.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * The end of a soak that is written to. When a round is announced, every octet of its half and the memory around the
 * region are checked. Meanwhile samples are taken from the half under way: an octet there is that of this round or still
 * that of the last but one.
 */
final class SoakTarget extends SoakEnd {
    private static final Duration BETWEEN_SAMPLES = Duration.ofMillis(2);
    private static final int SAMPLES = 256;

    private final SplittableRandom random;
    private volatile long roundsVerified;
    private volatile long samplesTaken;
    private boolean ended;

    SoakTarget(Node node, Arena arena, SoakPlan plan, long seed, BooleanSupplier stop) {
        super(node, arena, plan, EnumSet.of(Access.LOCAL_READ, Access.LOCAL_WRITE, Access.REMOTE_WRITE), stop);
        random = new SplittableRandom(~seed);
    }

    /** Rounds whose octets were all right. */
    long roundsVerified() {
        return roundsVerified;
    }

    /** Octets looked at while they could change. */
    long samplesTaken() {
        return samplesTaken;
    }

    @Override
    public void run() {
        while (!ended) {
            progress(BETWEEN_SAMPLES);
            sample();
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void announced(long round) {
        if (round == END) {
            ended = true;
            return;
        }
        if (round != roundsVerified) {
            throw new Program.Failure("round " + round + " announced instead of " + roundsVerified);
        }
        long wrong = Pattern.firstWrong(memory, plan.base(round), plan.half(), round, 0);
        if (wrong >= 0) {
            throw new Program.Failure("round " + round + ": octet " + wrong + " of " + plan.half() + " is wrong: "
                    + memory.get(ValueLayout.JAVA_BYTE, plan.base(round) + wrong) + " instead of "
                    + Pattern.octet(round, wrong));
        }
        checkGuards();
        roundsVerified++;
        announce(round);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void sample() {
        long round = roundsVerified;
        for (int i = 0; i < SAMPLES && plan.half() > 0; i++) {
            long position = random.nextLong(plan.half());
            byte found = memory.get(ValueLayout.JAVA_BYTE, plan.base(round) + position);
            byte former = round < 2 ? 0 : Pattern.octet(round - 2, position);
            if (found != former && found != Pattern.octet(round, position)) {
                throw new Program.Failure("round " + round + ", octet " + position + ": " + found
                        + " is neither this round's nor the former one's");
            }
        }
        samplesTaken += SAMPLES;
    }
}
