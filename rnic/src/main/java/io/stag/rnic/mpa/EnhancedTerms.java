package io.stag.rnic.mpa;

import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.mpa.EnhancedWord;
import java.util.EnumSet;
import java.util.Set;

/** The rules of RFC 6581, section 9, that both roles share. */
final class EnhancedTerms {
    private EnhancedTerms() {}

    /** The kinds a word names; none in the client-server model, whose B, C and D are ignored. */
    static Set<ReadyToReceive> kinds(EnhancedWord word) {
        EnumSet<ReadyToReceive> kinds = EnumSet.noneOf(ReadyToReceive.class);
        if (!word.peerToPeer()) {
            return kinds;
        }
        if (word.rtrSend()) {
            kinds.add(ReadyToReceive.SEND);
        }
        if (word.rtrWrite()) {
            kinds.add(ReadyToReceive.WRITE);
        }
        if (word.rtrRead()) {
            kinds.add(ReadyToReceive.READ);
        }
        return kinds;
    }

    /** A word of the peer-to-peer model. */
    static EnhancedWord peerToPeer(Set<ReadyToReceive> kinds, int ird, int ord) {
        return new EnhancedWord(
                true,
                kinds.contains(ReadyToReceive.SEND),
                kinds.contains(ReadyToReceive.WRITE),
                kinds.contains(ReadyToReceive.READ),
                ird,
                ord);
    }

    /** A word of the client-server model. */
    static EnhancedWord clientServer(int ird, int ord) {
        return new EnhancedWord(false, false, false, false, ird, ord);
    }

    static boolean isNegotiated(int depth) {
        return depth != EnhancedWord.NOT_NEGOTIATED;
    }

    /** Our ORD, lowered to what the peer can hold. */
    static int ord(StartupOffer offer, int peerIrd) {
        return isNegotiated(peerIrd) ? Math.min(offer.ord(), peerIrd) : offer.ord();
    }

    /** Our IRD, raised towards what the peer wants outstanding, as far as the offer lets it. */
    static int ird(StartupOffer offer, int peerOrd) {
        return isNegotiated(peerOrd) ? Math.max(offer.ird(), Math.min(peerOrd, offer.maxIrd())) : offer.ird();
    }

    static Set<ReadyToReceive> common(Set<ReadyToReceive> left, Set<ReadyToReceive> right) {
        EnumSet<ReadyToReceive> both = EnumSet.noneOf(ReadyToReceive.class);
        both.addAll(left);
        both.retainAll(right);
        return both;
    }

    /** The kind with the fewest side effects: a Write leaves none, a Read takes a slot, a Send takes a buffer. */
    static ReadyToReceive preferred(Set<ReadyToReceive> kinds) {
        if (kinds.contains(ReadyToReceive.WRITE)) {
            return ReadyToReceive.WRITE;
        }
        return kinds.contains(ReadyToReceive.READ) ? ReadyToReceive.READ : ReadyToReceive.SEND;
    }

    /** Kinds for messages. */
    static String text(Set<ReadyToReceive> kinds) {
        if (kinds.isEmpty()) {
            return "none";
        }
        EnumSet<ReadyToReceive> sorted = EnumSet.noneOf(ReadyToReceive.class);
        sorted.addAll(kinds);
        return sorted.toString();
    }
}
