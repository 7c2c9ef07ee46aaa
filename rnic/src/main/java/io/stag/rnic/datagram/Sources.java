package io.stag.rnic.datagram;

import org.jspecify.annotations.Nullable;

/**
 * The sources heard lately. Their number is bounded: a new one takes the place of the one that has been silent for longest,
 * if that is long enough and nothing of it is awaited; else there is no place for it.
 */
@SuppressWarnings("ReferenceEquality") // lists of these very objects
final class Sources {
    private static final int FIRST_BUCKETS = 16;

    private final int most;
    private final long idleNanos;
    private final long salt;
    private @Nullable Source[] buckets = new Source[FIRST_BUCKETS];
    private int count;
    private final AgeOrder<Source> order = new AgeOrder<>();
    private @Nullable Source lastFound;
    private boolean isNewestUndated; // when the one heard last was heard is not noted yet

    /** @param salt a secret: without it, nobody can choose sources that fall into the same bucket */
    Sources(int most, long idleNanos, long salt) {
        this.most = most;
        this.idleNanos = idleNanos;
        this.salt = salt;
    }

    int count() {
        return count;
    }

    @Nullable
    Source find(long high, long low, int port, int scope, int epoch) {
        Source recent = lastFound;
        if (recent != null && recent.is(high, low, port, scope, epoch)) {
            return recent;
        }
        int hash = hash(high, low, port, scope, epoch);
        Source source = buckets[hash & buckets.length - 1];
        while (source != null && !source.is(high, low, port, scope, epoch)) {
            source = source.nextInBucket;
        }
        if (source != null) {
            lastFound = source;
        }
        return source;
    }

    /** Makes a place for a source that {@link #find} did not find; null when there is none. */
    @Nullable
    Source add(long high, long low, int port, int scope, int epoch, int firstId, long nowNanos) {
        dateNewest(nowNanos);
        Source source = count < most ? new Source() : forgetOldest(nowNanos);
        if (source == null) {
            return null;
        }
        int hash = hash(high, low, port, scope, epoch);
        source.start(high, low, port, scope, epoch, hash, firstId);
        source.heardNanos = nowNanos;
        if (count == buckets.length) {
            grow();
        }
        link(source);
        order.append(source);
        count++;
        lastFound = source;
        return source;
    }

    private @Nullable Source forgetOldest(long nowNanos) {
        Source source = order.oldest();
        if (source == null || source.openCount > 0 || nowNanos - source.heardNanos < idleNanos) {
            return null;
        }
        unlinkFromBucket(source);
        order.remove(source);
        count--;
        if (lastFound == source) {
            lastFound = null;
        }
        return source;
    }

    /**
     * Something of the source was accepted. If the time is not known by now, it is noted later: to ask for it takes a while,
     * and nobody wants to know how long the one has been silent that was heard last.
     */
    void heard(Source source, Arrival arrival) {
        if (isNewestUndated && source != order.newest()) {
            dateNewest(arrival.nowNanos());
        }
        order.touch(source);
        if (arrival.knowsTime()) {
            source.heardNanos = arrival.nowNanos();
            isNewestUndated = false;
        } else {
            isNewestUndated = true;
        }
    }

    /** Whether somebody should say what time it is. */
    boolean isNewestUndated() {
        return isNewestUndated;
    }

    /** The source heard last was heard before this moment, and nothing came since. */
    void dateNewest(long nowNanos) {
        Source newest = order.newest();
        if (isNewestUndated && newest != null) {
            newest.heardNanos = nowNanos;
            isNewestUndated = false;
        }
    }

    private void grow() {
        @Nullable Source[] old = buckets;
        buckets = new Source[2 * old.length];
        for (Source first : old) {
            Source source = first;
            while (source != null) {
                Source next = source.nextInBucket;
                link(source);
                source = next;
            }
        }
    }

    private void link(Source source) {
        int bucket = source.hash & buckets.length - 1;
        source.nextInBucket = buckets[bucket];
        buckets[bucket] = source;
    }

    private void unlinkFromBucket(Source source) {
        int bucket = source.hash & buckets.length - 1;
        Source at = buckets[bucket];
        if (at == source) {
            buckets[bucket] = source.nextInBucket;
            return;
        }
        while (at != null && at.nextInBucket != source) {
            at = at.nextInBucket;
        }
        if (at != null) {
            at.nextInBucket = source.nextInBucket;
        }
    }

    private int hash(long high, long low, int port, int scope, int epoch) {
        long mixed = (salt ^ high) * 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ mixed >>> 32 ^ low) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ mixed >>> 29 ^ (long) port << 32 ^ scope) * 0x94D0_49BB_1331_11EBL;
        mixed = (mixed ^ mixed >>> 32 ^ epoch) * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 32);
    }
}
