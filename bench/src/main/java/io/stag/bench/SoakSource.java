package io.stag.bench;

import io.stag.verbs.Access;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** The writing end of a soak. */
final class SoakSource extends SoakEnd {
    private static final int LIST = 64;

    private final SplittableRandom random;
    private final BooleanSupplier timeIsUp;
    private volatile long writesDone; // written by the source's thread only
    private volatile long octetsDone;
    private int targetStag;
    private long verified = END;
    private int listed;

    SoakSource(Node node, Arena arena, SoakPlan plan, long seed, BooleanSupplier timeIsUp, BooleanSupplier stop) {
        super(node, arena, plan, EnumSet.of(Access.LOCAL_READ), stop);
        this.random = new SplittableRandom(seed);
        this.timeIsUp = timeIsUp;
    }

    /** Small writes posted. */
    long writesDone() {
        return writesDone;
    }

    /** Octets of large writes posted. */
    long octetsDone() {
        return octetsDone;
    }

    void writeTo(int stag) {
        targetStag = stag;
    }

    @Override
    void announced(long round) {
        verified = round;
    }

    @Override
    public void run() {
        long round = 0;
        while (!timeIsUp.getAsBoolean() && (writesDone < plan.writes() || octetsDone < plan.octets())) {
            awaitVerified(round - 2); // until then both halves of this parity are in use
            Pattern.fill(memory, plan.base(round), plan.half(), round, 0);
            write(round);
            announce(round);
            round++;
        }
        awaitVerified(round - 1);
        announce(END);
        makeRoom(DEPTH);
    }

    private void awaitVerified(long round) {
        while (verified < round) {
            progress(Duration.ofMillis(100));
        }
    }

    /** Writes every octet of the half once, in pieces of random length, small and large ones mixed. */
    private void write(long round) {
        long base = plan.base(round);
        long small = 0;
        long large = 0;
        long smallPerLarge =
                Math.max(1, plan.smallArea() / plan.smallMean() * plan.largeMean() / (1 + plan.largeArea()));
        int odds = (int) Math.min(Integer.MAX_VALUE - 1, smallPerLarge) + 1;
        long writes = 0;
        while (small < plan.smallArea() || large < plan.largeArea()) {
            boolean isSmall = large == plan.largeArea() || (small < plan.smallArea() && random.nextInt(odds) != 0);
            if (isSmall) {
                long length = piece(plan.smallMean(), plan.smallArea() - small);
                append(base + small, length);
                small += length;
                writes++;
            } else {
                long length = piece(plan.largeMean(), plan.largeArea() - large);
                append(base + plan.smallArea() + large, length);
                large += length;
            }
        }
        flush();
        count(writes, large);
    }

    private long piece(int mean, long left) {
        return Math.min(left, random.nextLong(1, 2L * mean));
    }

    private void append(long offset, long length) {
        if (listed == 0) {
            makeRoom(LIST);
        }
        listed++;
        sends.write(nextId(), targetStag, offset).from(region, offset, length);
        if (listed == LIST) {
            flush();
        } else {
            sends.unsignaled();
        }
    }

    /** Posts the list; its last request may be unsignalled, then a later one reports for it. */
    private void flush() {
        if (listed > 0) {
            post(listed);
            listed = 0;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void count(long writes, long octets) {
        writesDone += writes;
        octetsDone += octets;
    }
}
