package io.stag.rnic.rdmap;

import io.stag.rnic.mpa.Splices;
import io.stag.rnic.mpa.StagingBuffer;
import io.stag.rnic.mpa.StagingPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Two streams connected through memory that cuts the octets as a seed wills. */
final class StreamPair {
    private static final int SMALL_CUT = 40;

    final StreamFixture left;
    final StreamFixture right;
    private final SplittableRandom random;
    private final Link toRight;
    private final Link toLeft;

    /** Connects them; the caller sees to it that the settings fit together. */
    StreamPair(Settings left, Settings right, SplittableRandom random) {
        this.left = new StreamFixture(left);
        this.right = new StreamFixture(right);
        this.random = random;
        toRight = new Link(this.left.stream, this.right.stream);
        toLeft = new Link(this.right.stream, this.left.stream);
    }

    /** Settings as in the vectors; the left one is the initiator. */
    static StreamPair plain(long seed) {
        return new StreamPair(Settings.initiator(), Settings.responder(), new SplittableRandom(seed));
    }

    /** Moves some octets in some direction. @return false when there was nothing to move */
    boolean step() {
        boolean rightFirst = random.nextBoolean();
        return rightFirst ? toRight.move() || toLeft.move() : toLeft.move() || toRight.move();
    }

    /** Goes on until nothing moves any more. */
    void run() {
        while (step()) {
            continue;
        }
    }

    /** Flips a bit of an octet of the one or the other direction, once so many octets went that way. */
    void damageOctet(int position) {
        Link link = random.nextBoolean() ? toRight : toLeft;
        link.octetsUntilDamage = position;
    }

    /** Whether that has happened. */
    boolean isDamaged() {
        return toRight.damaged || toLeft.damaged;
    }

    /** Octets on their way in either direction. */
    int octetsUnderWay() {
        return toRight.out.size() + toRight.in.size() + toLeft.out.size() + toLeft.in.size();
    }

    private final class Link {
        private final RdmaStream from;
        private final RdmaStream to;
        private final StagingBuffer out = new StagingBuffer(randomCapacity());
        private final StagingBuffer in = new StagingBuffer(randomCapacity());
        private final int largestCut = random.nextBoolean() ? SMALL_CUT : in.capacity();
        private long octetsUntilDamage = Long.MAX_VALUE;
        private boolean damaged;
        private final boolean gathering = random.nextBoolean();
        private final StagingBuffer polled = new StagingBuffer(out.capacity());
        private final Splices splices = new Splices();

        Link(RdmaStream from, RdmaStream to) {
            this.from = from;
            this.to = to;
            if (gathering) {
                from.useGathering(1 + random.nextInt(200));
            }
        }

        boolean move() {
            boolean polled = from.hasOutput() && poll();
            int cut = cut();
            if (cut > 0) {
                MemorySegment.copy(out.segment(), out.start(), in.segment(), in.end(), cut);
                damage(cut);
                out.consume(cut);
                in.append(cut);
                from.transmitted(cut);
            }
            int taken = to.received(in, 1 + random.nextInt(4));
            return polled || cut > 0 || taken > 0;
        }

        private void damage(int cut) {
            if (octetsUntilDamage < cut && !damaged) {
                long at = in.end() + octetsUntilDamage;
                byte octet = in.segment().get(ValueLayout.JAVA_BYTE, at);
                in.segment().set(ValueLayout.JAVA_BYTE, at, (byte) (octet ^ 1 << random.nextInt(8)));
                damaged = true;
            }
            octetsUntilDamage -= cut;
        }

        private boolean poll() {
            int before = out.size();
            out.compact();
            if (!gathering) {
                from.pollTransmit(out);
            } else if (before == 0) {
                from.pollTransmit(polled, splices, Integer.MAX_VALUE);
                splices.copyRest(polled, 0, out);
                polled.clear();
                splices.clear();
            }
            return out.size() > before || !from.hasOutput();
        }

        private int cut() {
            in.compact();
            int most = Math.min(Math.min(out.size(), in.room()), largestCut);
            return most == 0 ? 0 : 1 + random.nextInt(most);
        }

        private int randomCapacity() {
            return random.nextBoolean() ? StagingPool.FPDU_CAPACITY : StagingPool.WORKING_CAPACITY;
        }
    }
}
