package io.stag.simnet;

import java.util.SplittableRandom;

/**
 * What a simulated network does to one direction of a stream. Immutable. Octets are numbered from 0, per direction; a
 * fault "at octet N" happens in place of the delivery of octet N, so that exactly N octets arrive before it, and not at
 * all when fewer than N + 1 octets are sent.
 *
 * @param minDelayNanos shortest time from write to arrival
 * @param maxDelayNanos longest time, stalls not counted
 * @param cutProbability that a piece is cut shorter than the write it comes from; no read passes a cut
 * @param minCutOctets shortest piece of a cut
 * @param maxCutOctets longest piece of a cut; lengths between are drawn evenly over their orders of magnitude
 * @param coalesceProbability that a piece joins the piece before it when that is still under way
 * @param shortWriteProbability that a write takes fewer octets than there is room for
 * @param stallProbability that a piece is held back, and with it all that follows
 * @param maxStallNanos longest stall
 * @param windowOctets octets that may be written before the peer reads
 * @param resetAtOctet both ends see a reset here, or {@link #NEVER}
 * @param resetDiscardsInput whether octets that arrived before a reset but were not read are lost with it (some systems
 *     do so; Linux lets them be read)
 * @param halfCloseAtOctet the receiver sees the end of the stream here, the rest is taken and lost, or {@link #NEVER}
 * @param corruptAtOctet one bit of this octet is inverted, or {@link #NEVER}
 * @param corruptionProbability that one bit is inverted, for each octet
 * @param silenceAtOctet from here on nothing is delivered, neither octets nor end nor reset, and the window fills, as
 *     behind a dead relay; or {@link #NEVER}
 */
public record StreamFaults(
        long minDelayNanos,
        long maxDelayNanos,
        double cutProbability,
        int minCutOctets,
        int maxCutOctets,
        double coalesceProbability,
        double shortWriteProbability,
        double stallProbability,
        long maxStallNanos,
        int windowOctets,
        long resetAtOctet,
        boolean resetDiscardsInput,
        long halfCloseAtOctet,
        long corruptAtOctet,
        double corruptionProbability,
        long silenceAtOctet) {

    /** The octet number of a fault that does not happen. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final StreamFaults NONE = builder().build();

    /** Checks the ranges. */
    public StreamFaults {
        Ranges.delay(minDelayNanos, maxDelayNanos);
        Ranges.probability("cutProbability", cutProbability);
        Ranges.probability("coalesceProbability", coalesceProbability);
        Ranges.probability("shortWriteProbability", shortWriteProbability);
        Ranges.probability("stallProbability", stallProbability);
        Ranges.probability("corruptionProbability", corruptionProbability);
        Ranges.notBelow("minCutOctets", minCutOctets, 1);
        Ranges.notBelow("maxCutOctets", maxCutOctets, minCutOctets);
        Ranges.notBelow("maxStallNanos", maxStallNanos, 0);
        Ranges.notBelow("windowOctets", windowOctets, 1);
        Ranges.notBelow("resetAtOctet", resetAtOctet, 0);
        Ranges.notBelow("halfCloseAtOctet", halfCloseAtOctet, 0);
        Ranges.notBelow("corruptAtOctet", corruptAtOctet, 0);
        Ranges.notBelow("silenceAtOctet", silenceAtOctet, 0);
    }

    /**
     * A perfect stream: 10 microseconds of delay, so that time passes, and a window of 64 KiB.
     *
     * @return no faults
     */
    public static StreamFaults none() {
        return NONE;
    }

    /**
     * A mix of what TCP itself may do: cuts, coalescing, delays, stalls, small windows. All octets arrive.
     *
     * @param random the source; the same state gives the same mix
     * @return the mix
     */
    public static StreamFaults randomBenign(SplittableRandom random) {
        return benign(random).build();
    }

    /**
     * A mix of any faults; about half of the mixes hold one that breaks the stream.
     *
     * @param random the source; the same state gives the same mix
     * @return the mix
     */
    public static StreamFaults random(SplittableRandom random) {
        Builder mix = benign(random);
        long octet = logUniform(random, 1, 1 << 20) - 1L;
        return switch (random.nextInt(12)) {
            case 0 -> mix.resetAt(octet).build();
            case 1 -> mix.resetAt(octet).resetDiscardsInput(true).build();
            case 2 -> mix.halfCloseAt(octet).build();
            case 3 -> mix.corruptAt(octet).build();
            case 4 -> mix.corruption(0.1 / logUniform(random, 1, 1 << 16)).build();
            case 5 -> mix.silenceAt(octet).build();
            default -> mix.build();
        };
    }

    private static Builder benign(SplittableRandom random) {
        Builder mix = builder();
        long minDelay = random.nextLong(100 * MICROSECOND);
        mix.delay(minDelay, minDelay + random.nextLong(MILLISECOND));
        if (random.nextInt(4) != 0) {
            int minCut = random.nextBoolean() ? 1 : logUniform(random, 1, 1500);
            mix.cuts(random.nextDouble(), minCut, logUniform(random, minCut, 1 << 14));
        }
        if (random.nextInt(2) == 0) {
            mix.coalescing(random.nextDouble());
        }
        if (random.nextInt(2) == 0) {
            mix.shortWrites(random.nextDouble());
        }
        if (random.nextInt(2) == 0) {
            mix.stalls(0.1 * random.nextDouble(), (1 + random.nextLong(100)) * MILLISECOND);
        }
        if (random.nextInt(2) == 0) {
            mix.window(logUniform(random, 1, 1 << 17));
        }
        return mix;
    }

    /** Draws from low to high, both included, every order of magnitude with about the same probability. */
    static int logUniform(SplittableRandom random, int low, int high) {
        int lowBits = 32 - Integer.numberOfLeadingZeros(low);
        int highBits = 32 - Integer.numberOfLeadingZeros(high);
        int bits = lowBits + random.nextInt(highBits - lowBits + 1);
        int from = Math.max(low, 1 << (bits - 1));
        int to = (int) Math.min(high, (1L << bits) - 1);
        return from + random.nextInt(to - from + 1);
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
        private double cutProbability;
        private int minCutOctets = 1;
        private int maxCutOctets = 1;
        private double coalesceProbability;
        private double shortWriteProbability;
        private double stallProbability;
        private long maxStallNanos;
        private int windowOctets = 1 << 16;
        private long resetAtOctet = NEVER;
        private boolean resetDiscardsInput;
        private long halfCloseAtOctet = NEVER;
        private long corruptAtOctet = NEVER;
        private double corruptionProbability;
        private long silenceAtOctet = NEVER;

        private Builder() {}

        /**
         * Time from write to arrival.
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
         * Cuts what is written into pieces; no read passes a cut.
         *
         * @param probability that a piece is cut
         * @param minOctets shortest piece, at least 1
         * @param maxOctets longest piece
         * @return this
         */
        public Builder cuts(double probability, int minOctets, int maxOctets) {
            cutProbability = probability;
            minCutOctets = minOctets;
            maxCutOctets = maxOctets;
            return this;
        }

        /**
         * Joins pieces.
         *
         * @param probability that a piece joins the one before it
         * @return this
         */
        public Builder coalescing(double probability) {
            coalesceProbability = probability;
            return this;
        }

        /**
         * Lets writes take less than there is room for.
         *
         * @param probability for each write
         * @return this
         */
        public Builder shortWrites(double probability) {
            shortWriteProbability = probability;
            return this;
        }

        /**
         * Holds pieces back.
         *
         * @param probability for each piece
         * @param maxNanos longest stall
         * @return this
         */
        public Builder stalls(double probability, long maxNanos) {
            stallProbability = probability;
            maxStallNanos = maxNanos;
            return this;
        }

        /**
         * Limits what may be written before the peer reads.
         *
         * @param octets size of the window, at least 1
         * @return this
         */
        public Builder window(int octets) {
            windowOctets = octets;
            return this;
        }

        /**
         * Resets the connection.
         *
         * @param octet in place of this octet
         * @return this
         */
        public Builder resetAt(long octet) {
            resetAtOctet = octet;
            return this;
        }

        /**
         * Whether a reset takes octets with it that had arrived unread.
         *
         * @param discards false as on Linux
         * @return this
         */
        public Builder resetDiscardsInput(boolean discards) {
            resetDiscardsInput = discards;
            return this;
        }

        /**
         * Ends the direction.
         *
         * @param octet in place of this octet
         * @return this
         */
        public Builder halfCloseAt(long octet) {
            halfCloseAtOctet = octet;
            return this;
        }

        /**
         * Inverts one bit.
         *
         * @param octet of this octet
         * @return this
         */
        public Builder corruptAt(long octet) {
            corruptAtOctet = octet;
            return this;
        }

        /**
         * Inverts single bits.
         *
         * @param probability for each octet
         * @return this
         */
        public Builder corruption(double probability) {
            corruptionProbability = probability;
            return this;
        }

        /**
         * Stops delivery for ever.
         *
         * @param octet from this octet on
         * @return this
         */
        public Builder silenceAt(long octet) {
            silenceAtOctet = octet;
            return this;
        }

        /**
         * Checks and ends the building.
         *
         * @return the faults
         */
        public StreamFaults build() {
            return new StreamFaults(
                    minDelayNanos,
                    maxDelayNanos,
                    cutProbability,
                    minCutOctets,
                    maxCutOctets,
                    coalesceProbability,
                    shortWriteProbability,
                    stallProbability,
                    maxStallNanos,
                    windowOctets,
                    resetAtOctet,
                    resetDiscardsInput,
                    halfCloseAtOctet,
                    corruptAtOctet,
                    corruptionProbability,
                    silenceAtOctet);
        }
    }
}
