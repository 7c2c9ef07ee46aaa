package io.stag.cli.misbehave;

import static io.stag.cli.misbehave.Expectation.anything;
import static io.stag.cli.misbehave.Expectation.closes;
import static io.stag.cli.misbehave.Expectation.goesOn;
import static io.stag.cli.misbehave.Expectation.terminates;

import io.stag.wire.mpa.EnhancedWord;
import io.stag.wire.mpa.MpaFrame;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** Wrong and unusual Replies, for a peer that connects (RFC 5044, section 7.1; RFC 6581). */
final class ReplyCases {
    private static final String FRAME = "RFC 5044 §7.1.1";
    private static final String EXCHANGE = "RFC 5044 §7.1.2";
    private static final String NO_TIMER = "a time-out is only a SHOULD";
    private static final int RESERVED = 0x0F;
    private static final int REJECT = 0x20;
    private static final int TOO_DEEP = 0x3FFE;

    private ReplyCases() {}

    static List<Case> all() {
        return List.of(
                reply("reply-key", "a Reply with a wrong key", frame(reply -> Wishes.patched(reply, 0, 'X')), closes())
                        .about(FRAME, "CM-006", "CM-023", "CM-026", "MPA-052"),
                reply("reply-request-key", "a Request where a Reply is due", ReplyCases::request, closes())
                        .about(EXCHANGE, "CM-006", "CM-029"),
                reply(
                                "reply-revision-3",
                                "revision 3",
                                frame(reply -> Wishes.patched(reply, Wishes.REVISION, 3)),
                                closes())
                        .about(FRAME, "CM-012", "CM-023"),
                reply(
                                "reply-data-513",
                                "513 octets of private data",
                                frame(reply -> Wishes.withPrivateData(reply, 513)),
                                closes())
                        .about(FRAME, "CM-014", "CM-023", "CM-031"),
                reply("reply-plain", "a plain Reply to an enhanced Request", ReplyCases::plain, closes())
                        .about("RFC 6581 §10", "CM-061"),
                reply("reply-word-missing", "S=1 without private data", ReplyCases::noWord, closes())
                        .about("RFC 6581 §6", "CM-035", "CM-066"),
                reply(
                                "reply-reject",
                                "a rejecting Reply",
                                frame(reply -> flags(reply, REJECT)),
                                closes().may(Outcome.SILENT, "the ULP may keep the TCP connection (CM-021)"))
                        .about(EXCHANGE, "CM-024"),
                reply("reply-reserved-bits", "all reserved flags set", ReplyCases::reserved, goesOn())
                        .about(FRAME, "CM-010"),
                reply("reply-markers", "a wish for Markers", ReplyCases::markers, goesOn())
                        .about("RFC 5044 §4.3", "MPA-019", "CM-008"),
                reply(
                                "reply-ord-16382",
                                "ORD 16,382",
                                word(TOO_DEEP, true, false),
                                terminates(0x2006).always().may(Outcome.SPOKE, "it may have room for so many Reads"))
                        .about("RFC 6581 §9.1", "CM-044"),
                reply(
                                "reply-rtr-send-only",
                                "a Send as the only kind of first message",
                                word(1, false, true),
                                terminates(0x2007).always().may(Outcome.SPOKE, "it may be able to send that kind"))
                        .about("RFC 6581 §9.2", "CM-056"),
                reply(
                                "reply-rtr-none",
                                "peer-to-peer, no kind of first message",
                                word(1, false, false),
                                terminates(0x2007).always())
                        .about("RFC 6581 §9.2", "CM-056"),
                reply("reply-half-fin", "half a Reply, then FIN", ReplyCases::halfThenFin, closes())
                        .about(EXCHANGE, "CM-022", "CM-023"),
                reply(
                                "reply-half-silence",
                                "half a Reply, then nothing",
                                frame(ReplyCases::half),
                                closes().may(Outcome.SILENT, NO_TIMER))
                        .about(EXCHANGE, "CM-022", "CM-032")
                        .patiently(),
                reply("reply-never", "nothing", RawPeer::awaitRequest, closes().may(Outcome.SILENT, NO_TIMER))
                        .about(EXCHANGE, "CM-022", "CM-032")
                        .patiently(),
                reply(
                                "reply-early-fpdu",
                                "an FPDU right behind the Reply",
                                ReplyCases::early,
                                anything("only the sender is told not to do that"))
                        .about(EXCHANGE, "CM-025"));
    }

    private static Case reply(String name, String sends, Case.Script script, Expectation expectation) {
        return Case.of(name, Role.RESPONDER, Stage.STARTUP, sends, script, expectation);
    }

    /** A Reply that would be right but for one change. */
    private static Case.Script frame(UnaryOperator<byte[]> change) {
        return peer -> {
            PeerFrame request = peer.awaitRequest();
            peer.octets(change.apply(peer.wishes().reply(request)));
            established(peer, request);
        };
    }

    private static void request(RawPeer peer) {
        peer.awaitRequest();
        peer.octets(peer.wishes().request());
    }

    private static void plain(RawPeer peer) {
        requireEnhanced(peer.awaitRequest());
        peer.octets(Wishes.asReply(peer.wishes().plain().request()));
    }

    private static void noWord(RawPeer peer) {
        PeerFrame request = requireEnhanced(peer.awaitRequest());
        peer.octets(Wishes.withPrivateData(peer.wishes().reply(request), 0));
    }

    private static void reserved(RawPeer peer) {
        answerAndProbe(peer, peer.wishes(), RESERVED);
    }

    private static void markers(RawPeer peer) {
        answerAndProbe(peer, peer.wishes().withMarkers(), 0);
    }

    private static void answerAndProbe(RawPeer peer, Wishes wishes, int flags) {
        if (peer.startWith(wishes, request -> flags(wishes.reply(request), flags))) {
            peer.say(peer.probe());
        }
    }

    private static Case.Script word(int ord, boolean rtrWrite, boolean rtrSend) {
        return peer -> {
            PeerFrame request = requireEnhanced(peer.awaitRequest());
            if (!request.peerToPeer() && ord != TOO_DEEP) {
                throw new CaseSkipped("the peer does not ask for peer-to-peer");
            }
            boolean peerToPeer = request.peerToPeer();
            EnhancedWord word = new EnhancedWord(peerToPeer, rtrSend, peerToPeer && rtrWrite, false, 1, ord);
            peer.octets(Wishes.asReply(peer.wishes().enhanced().withWord(word).request()));
            established(peer, request);
        };
    }

    private static byte[] half(byte[] reply) {
        return Arrays.copyOf(reply, MpaFrame.HEADER_LENGTH / 2);
    }

    private static void halfThenFin(RawPeer peer) {
        frame(ReplyCases::half).run(peer);
        peer.finish();
    }

    private static void early(RawPeer peer) {
        if (peer.startWith(peer.wishes(), request -> withFpdu(peer, request))) {
            peer.say(peer.probe());
        }
    }

    private static byte[] withFpdu(RawPeer peer, PeerFrame request) {
        byte[] reply = peer.wishes().reply(request);
        established(peer, request);
        byte[] fpdu = peer.encode(Segment.write(1, 0, 0));
        byte[] both = Arrays.copyOf(reply, reply.length + fpdu.length);
        System.arraycopy(fpdu, 0, both, reply.length, fpdu.length);
        return both;
    }

    private static void established(RawPeer peer, PeerFrame request) {
        peer.established(
                peer.wishes().crc() || request.crc(),
                request.markers(),
                peer.wishes().markers());
    }

    private static PeerFrame requireEnhanced(PeerFrame request) {
        if (request.word().isEmpty()) {
            throw new CaseSkipped("the peer's Request is not enhanced");
        }
        return request;
    }

    private static byte[] flags(byte[] frame, int flags) {
        return Wishes.patched(frame, Wishes.FLAGS, frame[Wishes.FLAGS] | flags);
    }
}
