package io.stag.rnic.reliable;

/**
 * How many datagrams may be on their way to a peer: CUBIC (RFC 9438), except that losses without a queue in the network count
 * as damage, and that it grows slowly while there is one (RD-033).
 */
final class CongestionWindow {
    /** Datagrams on their way before anything is known (RFC 6928). */
    static final int FIRST = 10;

    private static final double SHRINK = 0.7;
    private static final double SHRINK_DAMAGE = 0.98;
    private static final int MOST_DAMAGE = 4;
    private static final double MOST_DAMAGE_SHARE = 0.1; // more losses than that are no damage
    private static final double CUBE = 0.4;
    private static final double FRIENDLY_GROWTH = 3 * (1 - SHRINK) / (1 + SHRINK);
    private static final double MOST_GROWTH_WITH_QUEUE = 0.2; // datagrams per round trip
    private static final double LEAST = 2;
    private static final double AFTER_TIMEOUT = 1;

    private final int most; // datagrams that may be on their way whatever the network takes
    private double window;
    private double threshold = Double.MAX_VALUE;
    private double windowBeforeLoss; // where growth is slow
    private double windowAtLoss; // before the loss that this round trip began with
    private double friendly; // what Reno with the same shrinking would have
    private double inflection; // seconds until the window is what it was before the loss
    private long growthBegan; // 0: not yet
    private int recoveryEnd; // PSN: losses of datagrams before it were answered already
    private boolean recovering;
    private int lostInRound;
    private boolean shrunk;

    CongestionWindow(int most) {
        this.most = most;
        clear();
    }

    final void clear() {
        window = Math.min(FIRST, most);
        threshold = Double.MAX_VALUE;
        windowBeforeLoss = 0;
        growthBegan = 0;
        recovering = false;
    }

    /** The numbers of the next stream begin anew, so the number that recovery was to end with means nothing there. */
    void streamEnded() {
        recovering = false;
    }

    int datagrams() {
        return (int) window;
    }

    /** Datagrams were acknowledged, up to {@code ackedPsn}, while the window was what kept us from sending more. */
    void acknowledged(int count, int ackedPsn, boolean limited, RoundTrip times, long nowNanos) {
        if (recovering && ackedPsn - recoveryEnd >= 0) {
            recovering = false;
        }
        if (!limited || (recovering && shrunk)) {
            return;
        }
        if (window < threshold) {
            if (times.isKnown() && times.showsQueue()) {
                threshold = window; // leave slow start before the queue overflows
            } else {
                grow(count);
                return;
            }
        }
        if (growthBegan == 0) {
            growthBegan = nowNanos;
            friendly = window;
            inflection = windowBeforeLoss > window ? Math.cbrt((windowBeforeLoss - window) / CUBE) : 0;
            windowBeforeLoss = Math.max(windowBeforeLoss, window);
        }
        double seconds = (nowNanos - growthBegan + times.smoothed()) / 1e9 - inflection;
        double cubic = windowBeforeLoss + CUBE * seconds * seconds * seconds;
        friendly += FRIENDLY_GROWTH * count / window;
        double target = Math.max(cubic, friendly);
        if (target > window) {
            double growth = Math.min((target - window) / window * count, count * 0.5);
            // a full queue drops less of a paced sender than of TCP: growing as fast would take TCP's share
            grow(times.showsQueue() ? Math.min(growth, MOST_GROWTH_WITH_QUEUE * count / window) : growth);
        }
    }

    /** What nobody uses is no window: losses would have to shrink it for long before they are felt. */
    private void grow(double datagrams) {
        window = Math.min(most, window + datagrams);
    }

    /** A datagram counts as lost: answered once per round trip, unless that turns out to have been too mild. */
    void lost(int psn, int nextPsn, boolean queue) {
        if (!recovering || psn - recoveryEnd >= 0) {
            recovering = true;
            recoveryEnd = nextPsn;
            lostInRound = 0;
            shrunk = false;
            windowAtLoss = window;
            window = Math.max(LEAST, window * SHRINK_DAMAGE);
        }
        lostInRound++;
        if (!shrunk && (queue || lostInRound > Math.max(MOST_DAMAGE, windowAtLoss * MOST_DAMAGE_SHARE))) {
            shrunk = true;
            windowBeforeLoss = windowAtLoss < windowBeforeLoss ? windowAtLoss * (1 + SHRINK) / 2 : windowAtLoss;
            window = Math.max(LEAST, windowAtLoss * SHRINK);
            threshold = window;
            growthBegan = 0;
        }
    }

    /** Nothing came back for a long time. */
    void timedOut() {
        windowBeforeLoss = window;
        threshold = Math.max(LEAST, window * SHRINK);
        window = AFTER_TIMEOUT;
        growthBegan = 0;
        recovering = false;
    }
}
