package io.stag.rnic.datagram;

import io.stag.wire.SerialNumber;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair that sends to us: which of its messages are closed, which are open, and how its datagrams use to come. The last
 * {@value #WINDOW} message numbers are remembered one by one; older ones count as closed.
 */
@SuppressWarnings("ReferenceEquality") // lists of these very objects
final class Source extends AgeOrder.Link<Source> {
    static final int WINDOW = 1024;

    /** How fast the longest gap is forgotten: by this part with every gap that is shorter. */
    private static final int PEAK_DECAY_SHIFT = 8;

    /** Gaps after which a message is given up. */
    private static final int PATIENCE = 4;

    /** What the delay of a datagram counts as at least: those that are read together came at one time, as far as is known. */
    private static final long LEAST_DELAY_NANOS = 100_000;

    final DatagramAddress address = new DatagramAddress();
    int epoch;
    int hash;
    long heardNanos;

    @Nullable
    Source nextInBucket;

    /** Open messages, the last one first. */
    @Nullable
    OpenMessage openMessages;

    int openCount;

    /** Datagrams that it wants reports of: all, those since the last report, and the number of the newest. */
    int flowReceived;

    int flowUnreported;
    int flowNumber;
    boolean reportDue;

    private final long[] closed = new long[WINDOW / Long.SIZE];
    private int highest; // message number
    private long longestGap;
    private long longestDelay; // of a datagram that was overtaken
    private int lastPartial; // the message last closed without all of its datagrams
    private long lastPartialNanos;
    private boolean knowsGap;
    private boolean knowsPartial;
    private boolean partialWasSilent; // and not overtaken

    /** Begins to stand for another queue pair, whose first message to arrive is {@code firstId}. */
    void start(long high, long low, int port, int scope, int newEpoch, int newHash, int firstId) {
        address.set(high, low, port, scope);
        epoch = newEpoch;
        hash = newHash;
        openMessages = null;
        openCount = 0;
        Arrays.fill(closed, 0);
        highest = firstId - 1; // those before it may have been overtaken
        longestGap = 0;
        longestDelay = 0;
        knowsGap = false;
        knowsPartial = false;
        flowReceived = 0;
        flowUnreported = 0;
    }

    boolean is(long high, long low, int port, int scope, int otherEpoch) {
        return address.low() == low
                && address.port() == port
                && epoch == otherEpoch
                && address.high() == high
                && address.scope() == scope;
    }

    /** Whether nothing of the message is taken any more. */
    boolean isClosed(int id) {
        int age = SerialNumber.distance(id, highest);
        return age >= 0 && (age >= WINDOW || (closed[word(id)] >>> id & 1) != 0);
    }

    void close(int id) {
        int ahead = SerialNumber.distance(highest, id);
        if (ahead >= WINDOW) {
            Arrays.fill(closed, 0);
        } else {
            for (int i = 1; i <= ahead; i++) { // these numbers take the places of those that fall out of the window
                closed[word(highest + i)] &= ~(1L << (highest + i));
            }
        }
        if (ahead > 0) {
            highest = id;
        }
        if (ahead > -WINDOW) {
            closed[word(id)] |= 1L << id;
        }
    }

    private static int word(int id) {
        return id >>> 6 & WINDOW / Long.SIZE - 1;
    }

    @Nullable
    OpenMessage find(int id) {
        OpenMessage message = openMessages;
        while (message != null && message.id != id) {
            message = message.nextOfSource;
        }
        return message;
    }

    void add(OpenMessage message) {
        message.nextOfSource = openMessages;
        openMessages = message;
        openCount++;
    }

    void remove(OpenMessage message) {
        openCount--;
        OpenMessage at = openMessages;
        if (at == message) {
            openMessages = message.nextOfSource;
        } else {
            while (at != null && at.nextOfSource != message) {
                at = at.nextOfSource;
            }
            if (at != null) {
                at.nextOfSource = message.nextOfSource;
            }
        }
        message.nextOfSource = null;
    }

    /** A datagram of an open message came {@code gapNanos} after the one before. */
    void noteGap(long gapNanos) {
        knowsGap = true;
        longestGap = gapNanos >= longestGap ? gapNanos : longestGap - ((longestGap - gapNanos) >> PEAK_DECAY_SHIFT);
    }

    /** A datagram came in order. */
    void noteInOrder() {
        longestDelay -= (longestDelay + 255) >> PEAK_DECAY_SHIFT; // down to 0
    }

    /** A datagram came {@code delayNanos} after another that was sent later. */
    void noteOvertaken(long delayNanos) {
        long faded = longestDelay - (longestDelay >> PEAK_DECAY_SHIFT);
        longestDelay = Math.max(Math.max(delayNanos, LEAST_DELAY_NANOS), faded);
    }

    /** A message is closed without all of its datagrams, the last of which came then. */
    void notePartial(int id, long lastArrivalNanos, boolean silent) {
        lastPartial = id;
        lastPartialNanos = lastArrivalNanos;
        knowsPartial = true;
        partialWasSilent = silent;
    }

    /** A datagram of a closed message came: perhaps it was given up too early. */
    void noteLate(int id, long nowNanos) {
        if (knowsPartial && id == lastPartial) {
            if (partialWasSilent) {
                noteGap(nowNanos - lastPartialNanos);
            } else {
                noteOvertaken(nowNanos - lastPartialNanos);
            }
        }
    }

    /** Silence after which a message is given up. */
    long timeout(long min, long max) {
        return knowsGap ? Math.clamp(PATIENCE * longestGap, min, max) : max;
    }

    /** How long datagrams are awaited that should have come before others that are here. */
    long grace(long max) {
        return Math.min(2 * longestDelay, max);
    }
}
