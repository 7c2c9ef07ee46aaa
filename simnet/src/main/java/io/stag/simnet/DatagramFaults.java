package io.stag.simnet;

import java.util.SplittableRandom;

/**
 * What a simulated network does to datagrams. Immutable. Datagrams of one sender to one receiver keep their order
 * unless reordering is drawn.
 *
 * @param minDelayNanos shortest time from sending to arrival
 * @param maxDelayNanos longest time, reordering not counted
 * @param lossProbability that a datagram (or a fragment) is lost
 * @param duplicationProbability that a datagram arrives twice
 * @param reorderProbability that a datagram is held back by up to {@code maxReorderNanos}, and may be overtaken
 * @param maxReorderNanos longest such time
 * @param corruptionProbability that one bit of a datagram is inverted
 * @param truncationProbability that a datagram loses its tail
 * @param mtuOctets longest payload that travels in one piece
 * @param fragments whether longer datagrams travel as fragments, each with its own chance of loss; if not, they are
 *     dropped
 */
public record DatagramFaults(
        long minDelayNanos,
        long maxDelayNanos,
        double lossProbability,
        double duplicationProbability,
        double reorderProbability,
        long maxReorderNanos,
        double corruptionProbability,
        double truncationProbability,
        int mtuOctets,
        boolean fragments) {

    /** Longest payload of a datagram over IPv4. */
    public static final int MAX_PAYLOAD = 65_507;

    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final DatagramFaults NONE = builder().build();

    /** Checks the ranges. */
    public DatagramFaults {
        Ranges.delay(minDelayNanos, maxDelayNanos);
        Ranges.probability("lossProbability", lossProbability);
        Ranges.probability("duplicationProbability", duplicationProbability);
        Ranges.probability("reorderProbability", reorderProbability);
        Ranges.notBelow("maxReorderNanos", maxReorderNanos, 0);
        Ranges.probability("corruptionProbability", corruptionProbability);
        Ranges.probability("truncationProbability", truncationProbability);
        Ranges.notBelow("mtuOctets", mtuOctets, 1);
    }

    /**
     * Every datagram arrives once, whole, in order, after 10 microseconds.
     *
     * @return no faults
     */
    public static DatagramFaults none() {
        return NONE;
    }

    /**
     * A mix of faults.
     *
     * @param random the source; the same state gives the same mix
     * @return the mix
     */
    public static DatagramFaults random(SplittableRandom random) {
        Builder mix = builder();
        long minDelay = random.nextLong(100 * MICROSECOND);
        mix.delay(minDelay, minDelay + random.nextLong(MILLISECOND));
        if (random.nextInt(2) == 0) {
            mix.loss(0.3 * random.nextDouble());
        }
        if (random.nextInt(2) == 0) {
            mix.duplication(0.3 * random.nextDouble());
        }
        if (random.nextInt(2) == 0) {
            mix.reordering(0.5 * random.nextDouble(), (1 + random.nextLong(10)) * MILLISECOND);
        }
        if (random.nextInt(4) == 0) {
            mix.corruption(0.1 * random.nextDouble());
        }
        if (random.nextInt(4) == 0) {
            mix.truncation(0.1 * random.nextDouble());
        }
        if (random.nextInt(4) == 0) {
            mix.mtu(576 + random.nextInt(9000 - 576), random.nextBoolean());
        }
        return mix.build();
    }

    /**
     * Starts from {@link #none()}.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Names the faults one by one; what is not named does not happen. */
    public static final class Builder {
        private long minDelayNanos = 10 * MICROSECOND;
        private long maxDelayNanos = 10 * MICROSECOND;
        private double lossProbability;
        private double duplicationProbability;
        private double reorderProbability;
        private long maxReorderNanos;
        private double corruptionProbability;
        private double truncationProbability;
        private int mtuOctets = MAX_PAYLOAD;
        private boolean fragments;

        private Builder() {}

        /**
         * Time from sending to arrival.
         *
         * @param minNanos shortest
         * @param maxNanos longest
         * @return this
         */
        public Builder delay(long minNanos, long maxNanos) {
            minDelayNanos = minNanos;
            maxDelayNanos = maxNanos;
            return this;
        }

        /**
         * Loses datagrams.
         *
         * @param probability for each datagram or fragment
         * @return this
         */
        public Builder loss(double probability) {
            lossProbability = probability;
            return this;
        }

        /**
         * Repeats datagrams.
         *
         * @param probability for each datagram
         * @return this
         */
        public Builder duplication(double probability) {
            duplicationProbability = probability;
            return this;
        }

        /**
         * Lets datagrams be overtaken.
         *
         * @param probability for each datagram
         * @param maxNanos longest time that one is held back
         * @return this
         */
        public Builder reordering(double probability, long maxNanos) {
            reorderProbability = probability;
            maxReorderNanos = maxNanos;
            return this;
        }

        /**
         * Inverts one bit.
         *
         * @param probability for each datagram
         * @return this
         */
        public Builder corruption(double probability) {
            corruptionProbability = probability;
            return this;
        }

        /**
         * Cuts the tail off.
         *
         * @param probability for each datagram
         * @return this
         */
        public Builder truncation(double probability) {
            truncationProbability = probability;
            return this;
        }

        /**
         * Limits the payload.
         *
         * @param octets longest payload that travels in one piece
         * @param fragmenting whether longer ones travel as fragments rather than being dropped
         * @return this
         */
        public Builder mtu(int octets, boolean fragmenting) {
            mtuOctets = octets;
            fragments = fragmenting;
            return this;
        }

        /**
         * Checks and ends the building.
         *
         * @return the faults
         */
        public DatagramFaults build() {
            return new DatagramFaults(
                    minDelayNanos,
                    maxDelayNanos,
                    lossProbability,
                    duplicationProbability,
                    reorderProbability,
                    maxReorderNanos,
                    corruptionProbability,
                    truncationProbability,
                    mtuOctets,
                    fragments);
        }
    }
}
