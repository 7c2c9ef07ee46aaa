package io.stag.bench;

/**
 * How a soak is cut into rounds. In a round every octet of one half of the target memory is written once: the small area
 * by small writes, the large one by large writes. Rounds use the halves in turn, so that one is verified while the
 * other is written.
 *
 * @param writes small writes wanted in all
 * @param octets octets wanted in all by large writes
 * @param smallMean mean length of a small write
 * @param largeMean mean length of a large write
 * @param smallArea octets written by small writes per round
 * @param largeArea octets written by large writes per round
 */
record SoakPlan(long writes, long octets, int smallMean, int largeMean, long smallArea, long largeArea) {
    private static final long WRITES_PER_ROUND = 16_384;
    private static final long OCTETS_PER_ROUND = 16L << 20;
    private static final int ALIGNMENT = 64;

    static SoakPlan of(long writes, long octets, int smallMean, int largeMean) {
        long rounds =
                Math.max(1, Math.max(Math.ceilDiv(writes, WRITES_PER_ROUND), Math.ceilDiv(octets, OCTETS_PER_ROUND)));
        return new SoakPlan(
                writes,
                octets,
                smallMean,
                largeMean,
                aligned(Math.ceilDiv(writes, rounds) * smallMean),
                aligned(Math.ceilDiv(octets, rounds)));
    }

    private static long aligned(long area) {
        return Math.ceilDiv(area, ALIGNMENT) * ALIGNMENT;
    }

    /** Octets written per round. */
    long half() {
        return smallArea + largeArea;
    }

    /** Where in the memory a round writes. */
    long base(long round) {
        return (round & 1) * half();
    }
}
