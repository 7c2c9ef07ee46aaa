package io.stag.rnic.reliable;

import io.stag.rnic.datagram.AgeOrder;
import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.work.Deadlines;
import org.jspecify.annotations.Nullable;

/** The peers that are remembered: a bounded number, by address, forgotten after a silence (RD-014, RD-015). */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
final class Peers {
    /** Lives of one address that are told apart; more within the time they are remembered are no restarts. */
    private static final int MOST_LIVES = 8;

    private final ReliableSettings settings;
    private final Forgetter forgetter;
    private final AgeOrder<Peer> known = new AgeOrder<>();
    private final AgeOrder<Peer> strangers = new AgeOrder<>(); // forgetting them cannot double anything
    private @Nullable Peer[] buckets = new Peer[64];
    private int count;
    private @Nullable Peer lastFound;

    /** Told of what is forgotten. */
    interface Forgetter {
        /** What a life of a peer left half done is given up. */
        void forget(Source source);

        /** So is what was to be said to a peer. */
        void forget(Peer peer);
    }

    Peers(ReliableSettings settings, Forgetter forgetter) {
        this.settings = settings;
        this.forgetter = forgetter;
    }

    int count() {
        return count;
    }

    @Nullable
    Peer find(long high, long low, int port, int scope) {
        Peer recent = lastFound;
        if (recent != null && recent.address.is(high, low, port, scope)) {
            return recent;
        }
        Peer peer = buckets[bucket(high, low, port)];
        while (peer != null && !peer.address.is(high, low, port, scope)) {
            peer = peer.nextInBucket;
        }
        if (peer != null) {
            lastFound = peer;
        }
        return peer;
    }

    /** The peer at an address, made if there is room; null when there is none. */
    @Nullable
    Peer admit(long high, long low, int port, int scope, long nowNanos) {
        Peer known = find(high, low, port, scope);
        if (known != null) {
            return known;
        }
        if (count == settings.maxPeers() && !makeRoom(nowNanos)) {
            return null;
        }
        if (count == buckets.length) {
            grow();
        }
        DatagramAddress address = new DatagramAddress();
        address.set(high, low, port, scope);
        Peer peer = new Peer(address);
        peer.lastUsedNanos = nowNanos;
        int bucket = bucket(high, low, port);
        peer.nextInBucket = buckets[bucket];
        buckets[bucket] = peer;
        strangers.append(peer);
        count++;
        return peer;
    }

    /** The life of a peer with this epoch, made if there is room; null when there is none. */
    @Nullable
    Source admit(Peer peer, int epoch, long nowNanos) {
        int lives = 0;
        Source untouched = null;
        for (Source source = peer.sources; source != null; source = source.next) {
            if (source.epoch == epoch) {
                return source;
            }
            lives++;
            untouched = source.touched ? untouched : source;
        }
        if (lives == MOST_LIVES) {
            if (untouched == null) {
                return null;
            }
            forget(untouched);
        }
        Source source = new Source(peer, epoch);
        source.lastHeardNanos = nowNanos;
        source.lastTakenNanos = nowNanos;
        peer.add(source);
        return source;
    }

    private void forget(Source source) {
        forgetter.forget(source);
        source.peer.remove(source);
    }

    /** Something of the source took effect. */
    void took(Source source, long nowNanos) {
        if (!source.touched) {
            source.touched = true;
            know(source.peer, nowNanos);
        }
    }

    /** The peer is no stranger any more. */
    void know(Peer peer, long nowNanos) {
        if (!peer.known) {
            strangers.remove(peer);
            peer.known = true;
            peer.lastUsedNanos = nowNanos;
            known.append(peer);
        }
    }

    /** The peer was heard or spoken to. */
    void touch(Peer peer, long nowNanos) {
        peer.lastUsedNanos = nowNanos;
        agesOf(peer).touch(peer);
    }

    private AgeOrder<Peer> agesOf(Peer peer) {
        return peer.known ? known : strangers;
    }

    /** When the next peers are to be forgotten: many that were heard one after the other go at once. */
    long nextDeadline() {
        return Math.min(deadlineOf(known.oldest()), deadlineOf(strangers.oldest()));
    }

    private long deadlineOf(@Nullable Peer oldest) {
        return oldest == null
                ? Deadlines.NEVER
                : Deadlines.together(oldest.lastUsedNanos + settings.rememberNanos(), settings.rememberNanos() / 32);
    }

    /** Forgets peers and lives that were silent for long enough. */
    void forgetSilent(long nowNanos) {
        forgetSilent(known, nowNanos);
        forgetSilent(strangers, nowNanos);
    }

    private void forgetSilent(AgeOrder<Peer> ages, long nowNanos) {
        Peer oldest = ages.oldest();
        while (oldest != null && nowNanos - oldest.lastUsedNanos >= settings.rememberNanos()) {
            Peer peer = oldest;
            forgetSilentLives(peer, nowNanos);
            if (peer.conversation != null || peer.sources != null) {
                touch(peer, nowNanos);
            } else {
                remove(peer);
            }
            oldest = ages.oldest();
        }
    }

    /** Forgets everybody. */
    void forgetAll() {
        forgetAll(known);
        forgetAll(strangers);
    }

    private void forgetAll(AgeOrder<Peer> ages) {
        for (Peer peer = ages.oldest(); peer != null; peer = ages.oldest()) {
            remove(peer);
        }
    }

    /** Forgets lives of a peer that were silent for long enough, although another one may be talking to us. */
    void forgetSilentLives(Peer peer, long nowNanos) {
        for (Source source = peer.sources; source != null; source = source.next) {
            long latest = Math.max(source.lastHeardNanos, source.lastTakenNanos);
            if (nowNanos - latest >= settings.rememberNanos()) {
                forget(source);
            }
        }
    }

    /** The oldest stranger makes room. All that was said to it is that it broke a rule, which it is told again if it comes again. */
    private boolean makeRoom(long nowNanos) {
        forgetSilent(nowNanos);
        Peer oldest = strangers.oldest();
        if (count == settings.maxPeers() && oldest != null) {
            remove(oldest);
        }
        return count < settings.maxPeers();
    }

    private void remove(Peer gone) {
        while (gone.sources != null) {
            forget(gone.sources);
        }
        forgetter.forget(gone);
        agesOf(gone).remove(gone);
        lastFound = null;
        DatagramAddress address = gone.address;
        int bucket = bucket(address.high(), address.low(), address.port());
        Peer before = null;
        for (Peer peer = buckets[bucket]; peer != null; peer = peer.nextInBucket) {
            if (peer == gone) {
                if (before == null) {
                    buckets[bucket] = gone.nextInBucket;
                } else {
                    before.nextInBucket = gone.nextInBucket;
                }
                count--;
                return;
            }
            before = peer;
        }
    }

    private void grow() {
        @Nullable Peer[] old = buckets;
        buckets = new Peer[2 * old.length];
        for (Peer chain : old) {
            Peer peer = chain;
            while (peer != null) {
                Peer next = peer.nextInBucket;
                int bucket = bucket(peer.address.high(), peer.address.low(), peer.address.port());
                peer.nextInBucket = buckets[bucket];
                buckets[bucket] = peer;
                peer = next;
            }
        }
    }

    /** Salted, so that nobody can choose addresses that share a bucket. */
    private int bucket(long high, long low, int port) {
        long mixed = (high ^ Long.rotateLeft(low, 16) ^ port ^ settings.salt()) * 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ mixed >>> 29) * 0xBF58_476D_1CE4_E5B9L;
        return (int) (mixed >>> 32) & buckets.length - 1;
    }
}
