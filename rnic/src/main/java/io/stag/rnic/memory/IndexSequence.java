package io.stag.rnic.memory;

import java.util.random.RandomGenerator;

/**
 * All numbers of 24 bits in a secret order: a counter, enciphered by a Feistel network of keyed rounds. So the next
 * STag is hard to guess, neighbours in time are far apart, and an index returns only after all others (RFC 5042,
 * section 6.1.1).
 */
final class IndexSequence {
    static final int BITS = 24;

    private static final int HALF_BITS = BITS / 2;
    private static final int HALF_MASK = (1 << HALF_BITS) - 1;
    private static final int ROUNDS = 8;

    private final long[] roundKeys = new long[ROUNDS];
    private int counter;

    IndexSequence(RandomGenerator random) {
        for (int i = 0; i < ROUNDS; i++) {
            roundKeys[i] = random.nextLong();
        }
    }

    int next() {
        int left = counter >>> HALF_BITS & HALF_MASK;
        int right = counter & HALF_MASK;
        counter++;
        for (long key : roundKeys) {
            int mixed = left ^ mix(right ^ key);
            left = right;
            right = mixed;
        }
        return left << HALF_BITS | right;
    }

    /** Every bit of the argument changes about half the bits of the result (the finaliser of SplitMix64). */
    private static int mix(long value) {
        long z = value;
        z = (z ^ z >>> 30) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ z >>> 27) * 0x94d0_49bb_1331_11ebL;
        return (int) (z >>> 40) & HALF_MASK;
    }
}
