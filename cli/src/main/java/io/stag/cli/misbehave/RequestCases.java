package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.accepts;
import static io.stag.cli.misbehave.Expectation.closes;
import static io.stag.cli.misbehave.Expectation.goesOn;

import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Wrong and unusual Requests, for a peer that listens (RFC 5044, section 7.1; RFC 6581). */
final class RequestCases {
    private static final String FRAME = "RFC 5044 §7.1.1";
    private static final String EXCHANGE = "RFC 5044 §7.1.2";
    private static final String DEPTHS = "RFC 6581 §9.1";
    private static final String FIRST_MESSAGE = "RFC 6581 §9.2";
    private static final String NO_TIMER = "a time-out is only a SHOULD";
    private static final String SENDERS_RULE = "only the sender is told not to do that";
    private static final String SANITY = "the flags may be sanity checked (CM-066)";
    private static final int NONE = EnhancedWord.NOT_NEGOTIATED;
    private static final int RESERVED_AND_REJECT = 0x2F;

    private RequestCases() {}

    static List<Case> all() {
        return List.of(
                request("request-key", "a Request with a wrong key", RequestCases::wrongKey, closes())
                        .about(FRAME, "CM-005", "CM-019", "MPA-052"),
                request("request-reply-key", "a Reply where a Request is due", RequestCases::replyKey, closes())
                        .about(FRAME, "CM-005", "CM-019", "MPA-052"),
                request("request-http", "an HTTP request", RequestCases::http, closes())
                        .about(FRAME, "CM-005", "SEC-027"),
                request(
                                "request-revision-0",
                                "revision 0, of the RDMA Consortium",
                                revision(0),
                                closes().may(Outcome.ACCEPTED, "RFC 5044 App. C: a permissive side may speak it")
                                        .may(Outcome.REJECTED, "RFC 5044 App. C: a Reply, then a close"))
                        .about(FRAME, "CM-012"),
                request("request-revision-3", "revision 3", revision(3), closes())
                        .about(FRAME, "CM-012", "CM-019"),
                request("request-revision-255", "revision 255", revision(255), closes())
                        .about(FRAME, "CM-012", "CM-019"),
                request("request-data-513", "513 octets of private data", privateData(513), closes())
                        .about(FRAME, "CM-014", "CM-019", "CM-031", "MPA-052"),
                request("request-data-65535", "65,535 octets of private data", privateData(65_535), closes())
                        .about(FRAME, "CM-014", "CM-019", "CM-031", "MPA-052"),
                request(
                                "request-word-missing",
                                "S=1 and 2 octets of private data",
                                RequestCases::noWord,
                                closes().may(Outcome.REJECTED, "private data may be called unacceptable"))
                        .about("RFC 6581 §6", "CM-035", "CM-066"),
                request("request-half-fin", "half a Request, then FIN", RequestCases::halfThenFin, closes())
                        .about(EXCHANGE, "CM-018", "CM-019")
                        .patiently(),
                request(
                                "request-half-silence",
                                "half a Request, then nothing",
                                RequestCases::half,
                                closes().may(Outcome.SILENT, NO_TIMER))
                        .about(EXCHANGE, "CM-018", "CM-032", "SEC-027")
                        .patiently(),
                request(
                                "request-drip",
                                "a Request, octet by octet, with pauses",
                                RequestCases::drip,
                                closes().may(Outcome.ACCEPTED, NO_TIMER))
                        .about(EXCHANGE, "CM-032", "SEC-027")
                        .patiently(),
                request("silence", "nothing at all", _ -> {}, closes().may(Outcome.SILENT, NO_TIMER))
                        .about(EXCHANGE, "CM-030", "SEC-027")
                        .patiently(),
                request(
                                "request-early-fpdu",
                                "an FPDU right behind the Request",
                                RequestCases::early,
                                closes().may(Outcome.ACCEPTED, SENDERS_RULE).may(Outcome.REJECTED, SENDERS_RULE))
                        .about(EXCHANGE, "CM-022"),
                request("request-reserved-bits", "all reserved flags and R set", RequestCases::reserved, goesOn())
                        .about(FRAME, "CM-010"),
                request("request-markers", "a wish for Markers", RequestCases::markers, goesOn())
                        .about("RFC 5044 §4.3", "MPA-019", "CM-008"),
                request("request-plain", "a Request of revision 1", RequestCases::plain, accepts(RequestCases::isPlain))
                        .about("RFC 6581 §10", "CM-034", "CM-062"),
                request(
                                "request-rtr-none",
                                "peer-to-peer, no kind of first message",
                                word(true, false, 4, 4),
                                accepts(RequestCases::namesAKind)
                                        .may(Outcome.REJECTED, SANITY)
                                        .may(Outcome.CLOSED, SANITY))
                        .about(FIRST_MESSAGE, "CM-050", "CM-051", "CM-053"),
                request(
                                "request-rtr-unasked",
                                "client-server, all kinds of first message",
                                word(false, true, 4, 4),
                                accepts(reply -> reply.peerToPeer() ? "the Reply says peer-to-peer" : ""))
                        .about(FIRST_MESSAGE, "CM-058", "CM-059"),
                request(
                                "request-depths-none",
                                "IRD and ORD 0x3FFF",
                                word(true, true, NONE, NONE),
                                accepts(RequestCases::leavesDepths))
                        .about(DEPTHS, "CM-046", "CM-047"),
                request(
                                "request-ird-0",
                                "IRD 0",
                                word(true, true, 0, 4),
                                accepts(RequestCases::wantsNoReads)
                                        .may(Outcome.REJECTED, "a responder that needs Reads may reject"))
                        .about(DEPTHS, "CM-039"),
                request(
                                "first-message-never",
                                "no FPDU after the Reply",
                                RequestCases::exchange,
                                closes().must(Outcome.ACCEPTED))
                        .about(EXCHANGE, "CM-025"),
                Case.of(
                                "startup-twice",
                                Role.INITIATOR,
                                Stage.ENDING,
                                "a second Request for the first FPDU, then FIN",
                                RequestCases::again,
                                closes().may(Outcome.TERMINATED, "an FPDU that is cut off"))
                        .about("RFC 5044 §6", "MPA-047", "MPA-048"),
                Case.of(
                                "connect-reset",
                                Role.INITIATOR,
                                Stage.AFTERWARDS,
                                "no octet, then a reset",
                                RawPeer::reset,
                                goesOn())
                        .about(EXCHANGE, "SEC-027"),
                Case.of(
                                "request-half-reset",
                                Role.INITIATOR,
                                Stage.AFTERWARDS,
                                "half a Request, then a reset",
                                RequestCases::halfThenReset,
                                goesOn())
                        .about(EXCHANGE, "SEC-027", "MPA-049"));
    }

    private static Case request(String name, String sends, Case.Script script, Expectation expectation) {
        return Case.of(name, Role.INITIATOR, Stage.STARTUP, sends, script, expectation);
    }

    private static void wrongKey(RawPeer peer) {
        peer.octets(Wishes.patched(peer.wishes().request(), 0, 'X'));
    }

    private static void replyKey(RawPeer peer) {
        peer.octets(Wishes.asReply(peer.wishes().request()));
    }

    private static void http(RawPeer peer) {
        peer.octets("GET / HTTP/1.1\r\nHost: stag\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static Case.Script revision(int revision) {
        return peer -> peer.octets(Wishes.patched(peer.wishes().request(), Wishes.REVISION, revision));
    }

    private static Case.Script privateData(int length) {
        return peer -> peer.octets(Wishes.withPrivateData(peer.wishes().request(), length));
    }

    private static void noWord(RawPeer peer) {
        peer.octets(Wishes.withPrivateData(peer.wishes().enhanced().request(), 2));
    }

    private static void half(RawPeer peer) {
        peer.octets(Arrays.copyOf(peer.wishes().request(), MpaFrame.HEADER_LENGTH / 2));
    }

    private static void halfThenFin(RawPeer peer) {
        half(peer);
        peer.finish();
    }

    private static void halfThenReset(RawPeer peer) {
        half(peer);
        peer.reset();
    }

    private static void drip(RawPeer peer) {
        byte[] request = peer.wishes().request();
        peer.drip(request, peer.timing().patience().dividedBy(request.length));
    }

    private static void early(RawPeer peer) {
        byte[] request = peer.wishes().request();
        byte[] fpdu = OutgoingFpdu.of(Segment.write(1, 0, 0))
                .encode(false, peer.wishes().crc(), 0);
        byte[] both = Arrays.copyOf(request, request.length + fpdu.length);
        System.arraycopy(fpdu, 0, both, request.length, fpdu.length);
        peer.octets(both);
    }

    private static void reserved(RawPeer peer) {
        byte[] request = peer.wishes().request();
        askAndProbe(
                peer,
                peer.wishes(),
                Wishes.patched(request, Wishes.FLAGS, request[Wishes.FLAGS] | RESERVED_AND_REJECT));
    }

    private static void markers(RawPeer peer) {
        Wishes wishes = peer.wishes().withMarkers();
        askAndProbe(peer, wishes, wishes.request());
    }

    private static void plain(RawPeer peer) {
        peer.octets(peer.wishes().plain().request());
    }

    private static Case.Script word(boolean peerToPeer, boolean kinds, int ird, int ord) {
        EnhancedWord word = new EnhancedWord(peerToPeer, kinds, kinds, kinds, ird, ord);
        return peer -> peer.octets(peer.wishes().enhanced().withWord(word).request());
    }

    private static void exchange(RawPeer peer) {
        peer.octets(peer.wishes().request());
        peer.awaitFrame(peer.timing().answer());
    }

    private static void again(RawPeer peer) {
        peer.octets(peer.wishes().request());
        peer.finish();
    }

    private static void askAndProbe(RawPeer peer, Wishes wishes, byte[] request) {
        if (peer.startWith(wishes, request)) {
            peer.say(peer.probe());
        }
    }

    private static String isPlain(PeerFrame reply) {
        return reply.revision() == 1 && reply.word().isEmpty() ? "" : "the Reply to a plain Request is not plain";
    }

    private static String namesAKind(PeerFrame reply) {
        if (!reply.peerToPeer()) {
            return "the Reply drops peer-to-peer";
        }
        EnhancedWord word = reply.word().orElseThrow();
        return word.rtrSend() || word.rtrWrite() || word.rtrRead() ? "" : "the Reply names no kind of first message";
    }

    private static String leavesDepths(PeerFrame reply) {
        boolean left = reply.word()
                .filter(word -> word.ird() == NONE && word.ord() == NONE)
                .isPresent();
        return left ? "" : "due was 0x3FFF for IRD and ORD of the Reply";
    }

    private static String wantsNoReads(PeerFrame reply) {
        boolean none = reply.word().filter(word -> word.ord() == 0).isPresent();
        return none ? "" : "the Reply wants Reads although we hold none";
    }
}
