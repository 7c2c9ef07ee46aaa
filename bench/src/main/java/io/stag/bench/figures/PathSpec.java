package io.stag.bench.figures;

/**
 * A path through a network.
 *
 * @param lossPercent of the packets, each way
 * @param delayMillis each way
 * @param megabitPerSecond what it carries, each way; 0 for as much as comes
 * @param queueOctets what waits before it at most; more is lost
 */
record PathSpec(double lossPercent, double delayMillis, double megabitPerSecond, int queueOctets) {
    private static final int DEEP = 64 << 20;

    static PathSpec losing(double percent, double delayMillis) {
        return new PathSpec(percent, delayMillis, 0, DEEP);
    }

    /** With a queue that is full after {@code queueMillis}. */
    static PathSpec shaped(double megabitPerSecond, double delayMillis, double queueMillis) {
        return new PathSpec(
                0, delayMillis, megabitPerSecond, (int) (megabitPerSecond * 1e6 / Byte.SIZE * queueMillis / 1e3));
    }
}
