package io.stag.rnic.mpa;

import static io.stag.rnic.mpa.RawFrames.*;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.rdmap.TerminateCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Both machines against each other, over all kinds of offers, compared with the rules written down a second time. */
class StartupMatrixTest {
    /** The seven sets of at least one kind. */
    static final List<Set<ReadyToReceive>> SUBSETS = subsets();

    private static final boolean[] BOTH = {false, true};
    private static final int[][] IRD_AND_MAXIMUM = {{0, 0}, {0, 4}, {1, 1}, {4, 16}};
    private static final int[] ORDS = {0, 1, 8};
    private static final int[] DEPTHS = {0, 1, 4, 5, 16, 17, 0x3FFE, 0x3FFF};

    /** What the rules say of two offers. Null: the responder closes. */
    private record Expected(boolean established, int terminateCode, Negotiated initiator, Negotiated responder) {}

    @Test
    @Conforms({"CM-034", "CM-039", "CM-040", "CM-050", "CM-051", "CM-052", "CM-053", "CM-058", "CM-061", "CM-062"})
    void everyPairOfOffersEndsAsTheRulesSay() {
        var outcomes = new TreeMap<String, Integer>();
        List<StartupOffer> answers = responderOffers();
        for (StartupOffer asked : initiatorOffers()) {
            for (StartupOffer answered : answers) {
                if (canAnswer(asked, answered)) {
                    outcomes.merge(run(asked, answered), 1, Integer::sum);
                }
            }
        }

        assertThat(outcomes).containsOnlyKeys("0x2007", "closed", "established");
    }

    @Test
    @Conforms({"CM-048", "CM-059", "CM-066"})
    void everyWordOfARawResponderEndsAsTheRulesSay() {
        var outcomes = new TreeMap<String, Integer>();
        for (StartupOffer offer : initiatorOffers()) {
            if (offer.revision() == 2 && offer.crc() && !offer.markers()) {
                forEachWord(
                        (first, second) -> outcomes.merge(replyOfARawResponder(offer, first, second), 1, Integer::sum));
            }
        }

        assertThat(outcomes).containsOnlyKeys("0x2006", "0x2007", "established");
    }

    private static String replyOfARawResponder(StartupOffer offer, int first, int second) {
        Object pair = List.of(offer, Integer.toHexString(first), Integer.toHexString(second));
        int peerIrd = first & NOT_NEGOTIATED;
        int peerOrd = second & NOT_NEGOTIATED;
        boolean model = offer.peerToPeer() && (first & A) != 0;
        boolean send = model && (first & B) != 0 && offer.readyToReceive().contains(ReadyToReceive.SEND);
        boolean write = model && (second & WRITE) != 0 && offer.readyToReceive().contains(ReadyToReceive.WRITE);
        boolean read = model && (second & READ) != 0 && offer.readyToReceive().contains(ReadyToReceive.READ);
        MpaInitiator initiator = initiator(offer);
        feed(initiator, reply(S, 2, word(first, second)));
        StartupEvent outcome = initiator.pollEvent();

        if (peerOrd != NOT_NEGOTIATED && peerOrd > offer.maxIrd()) {
            same(pair, TerminateCode.MPA_INSUFFICIENT_IRD, ((StartupEvent.TerminateNeeded) outcome).code());
            return "0x2006";
        }
        if (model && !send && !write && !read) {
            same(pair, TerminateCode.MPA_NO_MATCHING_RTR, ((StartupEvent.TerminateNeeded) outcome).code());
            return "0x2007";
        }
        Negotiated negotiated = ((StartupEvent.Established) outcome).negotiated();
        ReadyToReceive chosen =
                write ? ReadyToReceive.WRITE : read ? ReadyToReceive.READ : send ? ReadyToReceive.SEND : null;
        same(pair, String.valueOf(chosen), String.valueOf(negotiated.readyToReceive()));
        same(pair, model, negotiated.peerToPeer());
        same(
                pair,
                (send ? 1 : 0) + (write ? 1 : 0) + (read ? 1 : 0),
                negotiated.agreed().size());
        same(pair, peerIrd < offer.ord() ? peerIrd : offer.ord(), negotiated.ord());
        boolean raised = peerOrd != NOT_NEGOTIATED && peerOrd > offer.ird();
        same(pair, raised ? peerOrd : offer.ird(), negotiated.ird());
        same(pair, peerIrd, negotiated.peerIrd());
        same(pair, peerOrd, negotiated.peerOrd());
        return "established";
    }

    @Test
    @Conforms({"CM-039", "CM-040", "CM-046", "CM-047", "CM-050", "CM-051", "CM-052", "CM-053", "CM-058", "CM-059"})
    void everyWordOfARawInitiatorIsAnsweredAsTheRulesSay() {
        for (StartupOffer offer : responderOffers()) {
            boolean takesNothing = offer.maxIrd() == 0 && offer.readyToReceive().equals(Set.of(ReadyToReceive.READ));
            if (offer.revision() == 2 && offer.crc() && !offer.markers() && !takesNothing) {
                forEachWord((first, second) -> replyToARawInitiator(offer, first, second));
            }
        }
    }

    private static void replyToARawInitiator(StartupOffer offer, int first, int second) {
        Object pair = List.of(offer, Integer.toHexString(first), Integer.toHexString(second));
        int askedIrd = first & NOT_NEGOTIATED;
        int askedOrd = second & NOT_NEGOTIATED;
        byte[] reply = accept(request(S, 2, word(first, second)), offer);
        int repliedFirst = (reply[20] & 0xFF) << 8 | reply[21] & 0xFF;
        int repliedSecond = (reply[22] & 0xFF) << 8 | reply[23] & 0xFF;
        int ird = repliedFirst & NOT_NEGOTIATED;
        int ord = repliedSecond & NOT_NEGOTIATED;
        int kinds = repliedFirst & B | (repliedSecond & (WRITE | READ)) << 1;

        same(pair, 24, reply.length);
        same(pair, first & A, repliedFirst & A);
        same(pair, askedIrd == NOT_NEGOTIATED ? NOT_NEGOTIATED : Math.min(askedIrd, offer.ord()), ord);
        if ((first & A) == 0) {
            same(pair, 0, kinds);
        } else {
            int takes = (offer.readyToReceive().contains(ReadyToReceive.SEND) ? B : 0)
                    | (offer.readyToReceive().contains(ReadyToReceive.WRITE) ? WRITE << 1 : 0)
                    | (offer.readyToReceive().contains(ReadyToReceive.READ) && offer.maxIrd() > 0 ? READ << 1 : 0);
            int offered = first & B | (second & (WRITE | READ)) << 1;
            same(pair, (takes & offered) != 0 ? takes & offered : takes, kinds);
        }
        if (askedOrd == NOT_NEGOTIATED) {
            same(pair, NOT_NEGOTIATED, ird);
        } else {
            int floor = (kinds & READ << 1) != 0 ? 1 : 0;
            int wanted = Math.min(askedOrd, offer.maxIrd());
            same(
                    pair,
                    List.of(floor, wanted, offer.ird()).stream()
                            .max(Integer::compare)
                            .orElseThrow(),
                    ird);
        }
    }

    private interface WordConsumer {
        void accept(int first, int second);
    }

    /** All flags, and depths around every value that matters. */
    private static void forEachWord(WordConsumer consumer) {
        for (int ird : DEPTHS) {
            for (int ord : DEPTHS) {
                for (int flags = 0; flags < 16; flags++) {
                    consumer.accept((flags & 3) << 14 | ird, flags >> 2 << 14 | ord);
                }
            }
        }
    }

    /** @return the outcome, for the count */
    private static String run(StartupOffer asked, StartupOffer answered) {
        Object pair = List.of(asked, answered);
        Expected expected = oracle(asked, answered);
        var initiator = new MpaInitiator(asked, ascii("ask"), DEADLINE);
        var responder = new MpaResponder(answered.revision(), DEADLINE);
        feed(responder, transmit(initiator));
        if (expected == null) {
            same(pair, true, responder.pollEvent() instanceof StartupEvent.Failed);
            same(pair, 0, transmit(responder).length);
            initiator.handleEndOfStream();
            var failed = (StartupEvent.Failed) initiator.pollEvent();
            same(pair, asked.fallBackToRevision1(), failed.retryWithRevision1());
            return "closed";
        }
        same(pair, true, responder.pollEvent() instanceof StartupEvent.RequestReceived);
        same(pair, "ask", new String(responder.privateData(), US_ASCII));
        responder.accept(answered, ascii("answer"));
        feed(initiator, transmit(responder));

        same(pair, new StartupEvent.Established(expected.responder()), responder.pollEvent());
        same(pair, "answer", new String(initiator.privateData(), US_ASCII));
        StartupEvent outcome = initiator.pollEvent();
        if (expected.established()) {
            same(pair, new StartupEvent.Established(expected.initiator()), outcome);
            return "established";
        }
        var needed = (StartupEvent.TerminateNeeded) outcome;
        same(pair, expected.terminateCode(), needed.code().wireValue());
        same(pair, expected.initiator(), needed.negotiated());
        return "0x" + Integer.toHexString(expected.terminateCode());
    }

    private static Expected oracle(StartupOffer i, StartupOffer r) {
        if (i.revision() > r.revision()) {
            return null;
        }
        boolean crc = i.crc() | r.crc();
        if (i.revision() == 1) {
            return new Expected(
                    true,
                    0,
                    new Negotiated(1, crc, r.markers(), i.markers(), false, null, Set.of(), i.ird(), i.ord(), -1, -1),
                    new Negotiated(1, crc, i.markers(), r.markers(), false, null, Set.of(), r.ird(), r.ord(), -1, -1));
        }

        // Responder: what it takes, what it says.
        var takes = new HashSet<>(r.readyToReceive());
        takes.removeIf(kind -> kind == ReadyToReceive.READ && r.maxIrd() == 0);
        var common = new HashSet<>(takes);
        common.removeIf(kind -> !i.readyToReceive().contains(kind));
        Set<ReadyToReceive> named = !i.peerToPeer() ? Set.of() : !common.isEmpty() ? common : takes;
        int responderOrd = r.ord() > i.ird() ? i.ird() : r.ord();
        int responderIrd = r.ird();
        while (responderIrd < i.ord() && responderIrd < r.maxIrd()) {
            responderIrd++;
        }
        if (named.contains(ReadyToReceive.READ) && responderIrd < 1) {
            responderIrd = 1;
        }

        // Initiator: what it makes of that. It holds what the responder lowered itself to, so IRD never fails here.
        int initiatorOrd = i.ord() > responderIrd ? responderIrd : i.ord();
        Set<ReadyToReceive> agreed = !i.peerToPeer() ? Set.of() : common;
        ReadyToReceive chosen = null;
        for (ReadyToReceive kind : List.of(ReadyToReceive.SEND, ReadyToReceive.READ, ReadyToReceive.WRITE)) {
            chosen = agreed.contains(kind) ? kind : chosen;
        }
        boolean noCommon = i.peerToPeer() && agreed.isEmpty();
        return new Expected(
                !noCommon,
                noCommon ? TerminateCode.MPA_NO_MATCHING_RTR.wireValue() : 0,
                new Negotiated(
                        2,
                        crc,
                        r.markers(),
                        i.markers(),
                        i.peerToPeer(),
                        chosen,
                        agreed,
                        i.ird(),
                        initiatorOrd,
                        responderIrd,
                        responderOrd),
                new Negotiated(
                        2,
                        crc,
                        i.markers(),
                        r.markers(),
                        i.peerToPeer(),
                        null,
                        named,
                        responderIrd,
                        responderOrd,
                        i.ird(),
                        i.ord()));
    }

    /** An offer that takes a Read only, and can hold none, cannot answer the peer-to-peer model at all. */
    private static boolean canAnswer(StartupOffer asked, StartupOffer answered) {
        boolean takesNothing =
                answered.maxIrd() == 0 && answered.readyToReceive().equals(Set.of(ReadyToReceive.READ));
        return !takesNothing || asked.revision() == 1 || answered.revision() == 1 || !asked.peerToPeer();
    }

    private static List<StartupOffer> initiatorOffers() {
        var offers = new ArrayList<StartupOffer>();
        for (boolean crc : BOTH) {
            for (boolean markers : BOTH) {
                for (int[] ird : IRD_AND_MAXIMUM) {
                    for (int ord : ORDS) {
                        offers.add(new StartupOffer(1, crc, markers, true, Set.of(), ird[0], ord, ird[1], false));
                        offers.add(new StartupOffer(2, crc, markers, false, ALL_KINDS, ird[0], ord, ird[1], markers));
                        for (Set<ReadyToReceive> kinds : SUBSETS) {
                            offers.add(new StartupOffer(2, crc, markers, true, kinds, ird[0], ord, ird[1], crc));
                        }
                    }
                }
            }
        }
        return offers;
    }

    private static List<StartupOffer> responderOffers() {
        var offers = new ArrayList<StartupOffer>();
        for (int revision = 1; revision <= 2; revision++) {
            for (boolean crc : BOTH) {
                for (boolean markers : BOTH) {
                    for (int[] ird : IRD_AND_MAXIMUM) {
                        for (int ord : ORDS) {
                            for (Set<ReadyToReceive> kinds : SUBSETS) {
                                offers.add(new StartupOffer(
                                        revision, crc, markers, ord == 0, kinds, ird[0], ord, ird[1], true));
                            }
                        }
                    }
                }
            }
        }
        return offers;
    }

    private static List<Set<ReadyToReceive>> subsets() {
        var subsets = new ArrayList<Set<ReadyToReceive>>();
        for (int bits = 1; bits < 8; bits++) {
            var subset = new HashSet<ReadyToReceive>();
            for (ReadyToReceive kind : ReadyToReceive.values()) {
                if ((bits >> kind.ordinal() & 1) != 0) {
                    subset.add(kind);
                }
            }
            subsets.add(Set.copyOf(subset));
        }
        return subsets;
    }

    /** Not AssertJ: this runs millions of times. */
    private static void same(Object pair, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError(pair + "\nexpected " + expected + "\n but was " + actual);
        }
    }
}
