package io.stag.rnic.mpa;

import static io.stag.rnic.mpa.RawFrames.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.stag.simnet.Conforms;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MpaResponderTest {
    private static final StartupOffer OFFER = clientServerOffer(4, 4, 4);
    private static final byte[] MPA_REQUEST = StartupVectors.MPA_REQ_V1.octets();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "NEG_MPA.*")
    @Conforms({"CM-005", "CM-012", "CM-014", "CM-019", "CM-026", "MPA-052"})
    void closesOnAMalformedRequestAndAnswersNothing(StartupVectors vector) {
        MpaResponder responder = responder(vector.octets());

        assertThat(failure(responder).layer()).isEqualTo(ErrorDetail.Layer.MPA);
        assertThat(transmit(responder)).isEmpty();
        assertThat(responder.pollEvent()).isNull();
        assertThat(responder.pollTimeout()).isEqualTo(Long.MAX_VALUE);
        assertThat(feed(responder, MPA_REQUEST)).as("a good Request behind it").isZero();
    }

    @Test
    void saysWhichRuleOfTheFrameWasBroken() {
        assertThat(failure(responder(StartupVectors.NEG_MPA_KEY.octets())).fact())
                .isEqualTo("the peer sent 4D 50 41 20 49 44 20 46 6F 6F 20 46 72 61 6D 65 (\"MPA ID Foo Frame\")"
                        + " where an MPA Request was due");
        assertThat(failure(responder(StartupVectors.NEG_MPA_REPKEY.octets())).fact())
                .contains("an MPA Reply where an MPA Request was due");
        assertThat(failure(responder(StartupVectors.NEG_MPA_PDLEN.octets())).fact())
                .contains("PD_Length 513");
        assertThat(failure(responder(StartupVectors.NEG_MPA_REV.octets())).fact())
                .contains("revision 255");
        assertThat(failure(responder(StartupVectors.NEG_MPA_V2_SHORT.octets())).fact())
                .contains("PD_Length is 2");
    }

    @Test
    void namesTheProtocolOfAStrangerAfterItsFirstFourOctets() {
        assertThat(failure(responder(ascii("GET "))).fact())
                .isEqualTo("the peer sent 47 45 54 20 (\"GET \") where an MPA Request was due: it seems to speak HTTP");
        assertThat(failure(responder((byte) 0x16, (byte) 3, (byte) 1, (byte) 2)).fact())
                .isEqualTo("the peer sent 16 03 01 02 where an MPA Request was due: it seems to speak TLS");
        assertThat(failure(responder(ascii("SSH-2.0"))).fact()).endsWith("it seems to speak SSH");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4, 255})
    @Conforms("CM-012")
    void closesOnARevisionItDoesNotSupport(int revision) {
        ErrorDetail detail = failure(responder(request(C, revision)));

        assertThat(detail.fact()).contains("revision " + revision);
        assertThat(detail.clause()).isEqualTo("RFC 5044 §7.1.1");
    }

    @ParameterizedTest
    @ValueSource(ints = {S | C, C})
    @Conforms("CM-064")
    void closesOnRevision2WhenItSpeaksOnlyRevision1(int flags) {
        var responder = new MpaResponder(1, DEADLINE);
        feed(responder, request(flags, 2, word(4, 4)));

        assertThat(failure(responder).clause()).isEqualTo("RFC 6581 §10");
        assertThat(transmit(responder)).isEmpty();
    }

    @Test
    @Conforms({"CM-034", "CM-062", "CM-004", "CM-011"})
    void answersAPlainRequestPlainly() {
        assertThat(accept(request(C, 1), OFFER)).isEqualTo(reply(C, 1));
    }

    @Test
    @Conforms("CM-061")
    void answersAnEnhancedRequestEnhanced() {
        assertThat(accept(request(S, 2, word(4, 4)), OFFER)).isEqualTo(reply(S | C, 2, word(4, 4)));
    }

    @Test
    void treatsRevision2WithoutTheWordLikeRevision1() {
        MpaResponder responder = responder(request(C, 2, ascii("data")));

        assertThat(responder.pollEvent())
                .isEqualTo(new StartupEvent.RequestReceived(2, false, true, false, false, Set.of(), -1, -1));
        assertThat(responder.privateData()).isEqualTo(ascii("data"));
        responder.accept(OFFER, NOTHING);
        assertThat(transmit(responder)).isEqualTo(reply(C, 2));
        assertThat(established(responder).peerOrd()).isEqualTo(Negotiated.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x0F, R, R | 0x0F, S})
    @Conforms("CM-010")
    void checksNeitherReservedBitsNorTheRejectFlagOfARequest(int flags) {
        assertThat(accept(request(flags | C, 1, ascii("abcd")), OFFER)).isEqualTo(reply(C, 1));
    }

    @Test
    void reportsWhatTheRequestSays() {
        MpaResponder responder = responder(request(M | C | S, 2, join(word(A | B | 16, READ | 8), ascii("stag"))));

        assertThat(responder.pollEvent())
                .isEqualTo(new StartupEvent.RequestReceived(
                        2, true, true, true, true, Set.of(ReadyToReceive.SEND, ReadyToReceive.READ), 16, 8));
        assertThat(responder.privateData()).isEqualTo(ascii("stag"));
        assertThat(responder.pollEvent()).as("once").isNull();
    }

    @Test
    @Conforms("CM-018")
    void saysNothingBeforeTheRequestIsComplete() {
        var responder = new MpaResponder(2, DEADLINE);
        byte[] request = request(C, 1, ascii("hello"));
        for (byte octet : Arrays.copyOf(request, request.length - 1)) {
            assertThat(feed(responder, octet)).isEqualTo(1);
            assertThat(responder.pollEvent()).isNull();
            assertThat(transmit(responder)).isEmpty();
        }

        feed(responder, request[request.length - 1]);

        assertThat(responder.pollEvent()).isInstanceOf(StartupEvent.RequestReceived.class);
        assertThat(transmit(responder)).as("nothing before the decision").isEmpty();
    }

    @Test
    @Conforms("CM-019")
    void refusesOctetsBehindTheRequest() {
        MpaResponder together = responder(join(request(C, 1), new byte[] {0}));
        assertThat(failure(together).fact()).contains("octets came behind the MPA Request");
        assertThat(together.pollEvent()).as("no Request to decide about").isNull();

        MpaResponder later = responder(request(C, 1));
        assertThat(later.pollEvent()).isInstanceOf(StartupEvent.RequestReceived.class);
        assertThat(feed(later, (byte) 0)).isZero();
        assertThat(failure(later)).isEqualTo(failure(responder(join(request(C, 1), new byte[] {0}))));

        MpaResponder accepted = responder(request(C, 1));
        accepted.accept(OFFER, NOTHING);
        assertThat(feed(accepted)).as("no octet, no harm").isZero();
        feed(accepted, (byte) 0);
        assertThat(accepted.pollEvent()).isInstanceOf(StartupEvent.Failed.class);
        assertThat(transmit(accepted)).isEmpty();
    }

    @Test
    void leavesOctetsBehindTheReplyToTheFirstFpdu() {
        MpaResponder responder = responder(request(C, 1));
        responder.accept(OFFER, NOTHING);
        transmit(responder);

        assertThat(feed(responder, (byte) 0)).isZero();
        assertThat(established(responder).crc()).isTrue();
        responder.handleEndOfStream();
        responder.handleTimeout(DEADLINE);
        assertThat(responder.pollEvent()).isNull();
    }

    @Test
    void isEstablishedWhenTheLastOctetOfTheReplyIsHandedOut() {
        MpaResponder responder = responder(request(C, 1));
        responder.pollEvent();
        responder.accept(OFFER, ascii("abc"));
        byte[] out = new byte[40];
        var segment = MemorySegment.ofArray(out);
        assertThat(responder.pollTransmit(segment, 0, 0)).isZero();
        for (int i = 0; i < 22; i++) {
            assertThat(responder.pollTransmit(segment, i, 1)).isEqualTo(1);
            assertThat(responder.pollEvent()).isNull();
            assertThat(responder.pollTimeout()).isEqualTo(DEADLINE);
        }

        assertThat(responder.pollTransmit(segment, 22, 10)).isEqualTo(1);

        assertThat(responder.pollEvent()).isInstanceOf(StartupEvent.Established.class);
        assertThat(responder.pollTimeout()).isEqualTo(Long.MAX_VALUE);
        assertThat(Arrays.copyOf(out, 23)).isEqualTo(reply(C, 1, ascii("abc")));
    }

    @Test
    @Conforms("CM-030")
    void givesUpWhenNoRequestComes() {
        var responder = new MpaResponder(2, DEADLINE);
        assertThat(responder.pollTimeout()).isEqualTo(DEADLINE);
        responder.handleTimeout(DEADLINE - 1);
        assertThat(responder.pollEvent()).isNull();

        responder.handleTimeout(DEADLINE);

        assertThat(failure(responder).fact()).contains("no MPA Request came", "waiting for one itself");
        assertThat(responder.pollTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Conforms("CM-032")
    void givesAPeerThatDripFeedsNoMoreTimeThanAnyOther() {
        var responder = new MpaResponder(2, DEADLINE);
        byte[] request = request(C, 1);
        for (int i = 0; i < 10; i++) {
            feed(responder, request[i]);
            responder.handleTimeout(DEADLINE / 10 * i);
            assertThat(responder.pollTimeout()).isEqualTo(DEADLINE);
        }

        responder.handleTimeout(DEADLINE);

        assertThat(failure(responder).fact()).contains("incomplete: only 10 of its octets");
    }

    @Test
    @Conforms("CM-032")
    void countsTheDecisionAndTheReplyAsPartOfTheExchange() {
        MpaResponder undecided = responder(request(C, 1));
        undecided.handleTimeout(DEADLINE);
        assertThat(failure(undecided).fact()).contains("neither accepted nor refused");

        MpaResponder blocked = responder(request(C, 1));
        blocked.accept(OFFER, NOTHING);
        blocked.handleTimeout(DEADLINE);
        assertThat(failure(blocked).fact()).contains("TCP has not taken the MPA Reply");
        assertThat(transmit(blocked)).isEmpty();
    }

    @Test
    void reportsAPeerThatGoesAway() {
        MpaResponder silent = responder();
        silent.handleEndOfStream();
        assertThat(failure(silent).layer()).isEqualTo(ErrorDetail.Layer.TRANSPORT);

        MpaResponder half = responder(Arrays.copyOf(request(C, 1), 19));
        half.handleEndOfStream();
        assertThat(failure(half).fact()).isEqualTo("TCP ended inside the MPA Request: only 19 of its octets came");

        MpaResponder stranger = responder(ascii("hi"));
        stranger.handleEndOfStream();
        assertThat(failure(stranger).fact()).contains("only 68 69 (\"hi\") came");

        MpaResponder waiting = responder(request(C, 1));
        waiting.handleEndOfStream();
        assertThat(failure(waiting).fact()).contains("before its MPA Request was answered");
    }

    @Test
    @Conforms({"CM-020", "CM-027"})
    void rejectsWithPrivateData() {
        MpaResponder responder = responder(request(M | C, 1, ascii("nonsense")));
        responder.pollEvent();
        responder.reject(ascii("busy"));

        assertThat(transmit(responder)).isEqualTo(reply(R | C, 1, ascii("busy")));
        assertThat(responder.pollEvent()).isEqualTo(new StartupEvent.RejectionSent());
        assertThat(responder.pollTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Conforms({"CM-061", "CM-050", "CM-051"})
    void rejectsAnEnhancedRequestEnhanced() {
        MpaResponder peerToPeer = responder(request(S, 2, word(A | 4, READ | 4)));
        peerToPeer.reject(ascii("busy"));
        assertThat(transmit(peerToPeer))
                .isEqualTo(reply(R | S, 2, join(word(A | NOT_NEGOTIATED, READ | NOT_NEGOTIATED), ascii("busy"))));

        MpaResponder insisting = responder(request(S, 2, word(2, 4)));
        insisting.reject(4, 8, NOTHING);
        assertThat(transmit(insisting)).as("the ORD that is needed").isEqualTo(reply(R | S, 2, word(4, 8)));

        MpaResponder unnamed = responder(request(S, 2, word(A | 2, 4)));
        unnamed.reject(4, 8, NOTHING);
        assertThat(transmit(unnamed)).isEqualTo(reply(R | S, 2, word(A | 4, WRITE | 8)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4, 5, 9, 0x3FFE})
    @Conforms("CM-039")
    void neverWantsMoreReadsOutstandingThanThePeerHolds(int peerIrd) {
        MpaResponder responder = responder(request(S, 2, word(peerIrd, 0)));
        responder.accept(clientServerOffer(1, 4, 1), NOTHING);

        int ord = Math.min(4, peerIrd);
        assertThat(transmit(responder)).isEqualTo(reply(S | C, 2, word(1, ord)));
        assertThat(established(responder).ord()).isEqualTo(ord);
    }

    @Test
    @Conforms("CM-040")
    void raisesItsInboundDepthToWhatThePeerWants() {
        assertThat(accept(request(S, 2, word(9, 4)), clientServerOffer(1, 0, 8)))
                .as("raised")
                .isEqualTo(reply(S | C, 2, word(4, 0)));
        assertThat(accept(request(S, 2, word(9, 40)), clientServerOffer(1, 0, 8)))
                .as("as far as resources allow")
                .isEqualTo(reply(S | C, 2, word(8, 0)));
        assertThat(accept(request(S, 2, word(9, 4)), clientServerOffer(6, 0, 8)))
                .as("never lowered")
                .isEqualTo(reply(S | C, 2, word(6, 0)));
    }

    @Test
    @Conforms("CM-041")
    void holdsOneReadForTheReadyToReceiveMessage() {
        byte[] request = request(S, 2, word(A | 9, READ));

        assertThat(accept(request, clientServerOffer(0, 0, 1))).isEqualTo(reply(S | C, 2, word(A | 1, READ)));
        assertThat(accept(request, clientServerOffer(0, 0, 0)))
                .as("where not even one can be held, it is not agreed to")
                .isEqualTo(reply(S | C, 2, word(A | B, WRITE)));
        assertThat(accept(request(S, 2, word(A | 9, WRITE)), clientServerOffer(0, 0, 1)))
                .as("no Read agreed, nothing raised")
                .isEqualTo(reply(S | C, 2, word(A, WRITE)));
    }

    @Test
    @Conforms({"CM-046", "CM-047"})
    void leavesDepthsAloneThatThePeerDoesNotNegotiate() {
        MpaResponder responder = responder(StartupVectors.MPA_REQ_V2_CS_NONEG.octets());
        responder.accept(clientServerOffer(3, 5, 16), NOTHING);

        assertThat(transmit(responder)).isEqualTo(reply(S | C, 2, word(NOT_NEGOTIATED, NOT_NEGOTIATED)));
        Negotiated negotiated = established(responder);
        assertThat(negotiated.ird()).isEqualTo(3);
        assertThat(negotiated.ord()).isEqualTo(5);
        assertThat(negotiated.peerIrd()).isEqualTo(NOT_NEGOTIATED);
        assertThat(accept(request(S, 2, word(NOT_NEGOTIATED, 7)), clientServerOffer(3, 5, 16)))
                .as("each by itself")
                .isEqualTo(reply(S | C, 2, word(7, NOT_NEGOTIATED)));
        assertThat(accept(request(S, 2, word(2, NOT_NEGOTIATED)), clientServerOffer(3, 5, 16)))
                .isEqualTo(reply(S | C, 2, word(NOT_NEGOTIATED, 2)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    @Conforms({"CM-050", "CM-051", "CM-052", "CM-053"})
    void namesEveryOfferedKindItCanTakeOrWhatItCanTake(int offered) {
        int first = A | ((offered & 1) != 0 ? B : 0);
        int second = (offered & 2) != 0 ? WRITE : 0;
        second |= (offered & 4) != 0 ? READ : 0;
        byte[] request = request(S, 2, word(first | 4, second | 4));

        byte[] takesAll = offered == 0 ? word(A | B | 4, WRITE | READ | 4) : word(first | 4, second | 4);
        assertThat(accept(request, peerToPeerOffer(ALL_KINDS))).isEqualTo(reply(S | C, 2, takesAll));
        assertThat(accept(request, peerToPeerOffer(Set.of(ReadyToReceive.SEND))))
                .isEqualTo(reply(S | C, 2, word(A | B | 4, 4)));
        assertThat(accept(request, peerToPeerOffer(Set.of(ReadyToReceive.WRITE))))
                .isEqualTo(reply(S | C, 2, word(A | 4, WRITE | 4)));
    }

    @Test
    @Conforms({"CM-058", "CM-059"})
    void answersTheClientServerModelWithItAndIgnoresTheOtherFlags() {
        byte[] request = request(S, 2, word(B | 4, WRITE | READ | 4));
        MpaResponder responder = responder(request);

        assertThat(responder.pollEvent())
                .isEqualTo(new StartupEvent.RequestReceived(2, true, false, false, false, Set.of(), 4, 4));
        assertThat(accept(request, peerToPeerOffer(ALL_KINDS))).isEqualTo(reply(S | C, 2, word(4, 4)));
    }

    @Test
    @Conforms("CM-009")
    void sendsReservedBitsAsZeroWhateverThePeerSends() {
        assertThat(accept(request(0xFF, 2, word(4, 4)), OFFER)[16] & 0x0F).isZero();
        assertThat(accept(request(0xFF, 1), OFFER)[16] & 0x1F).isZero();
    }

    @Test
    @Conforms({"CM-013", "CM-015", "CM-037"})
    void limitsThePrivateDataOfTheReply() {
        MpaResponder plain = responder(request(C, 1));
        assertThat(plain.privateDataLimit()).isEqualTo(512);
        assertThatIllegalArgumentException().isThrownBy(() -> plain.accept(OFFER, new byte[513]));
        plain.accept(OFFER, new byte[512]);
        assertThat(transmit(plain)).isEqualTo(reply(C, 1, new byte[512]));

        MpaResponder enhanced = responder(request(C | S, 2, word(4, 4)));
        assertThat(enhanced.privateDataLimit()).isEqualTo(508);
        assertThatIllegalArgumentException().isThrownBy(() -> enhanced.reject(new byte[509]));
        enhanced.accept(OFFER, new byte[508]);
        assertThat(transmit(enhanced)).isEqualTo(reply(C | S, 2, join(word(4, 4), new byte[508])));
    }

    @Test
    @Conforms("CM-031")
    void takesTheLargestPrivateDataAndNoMore() {
        byte[] privateData = new byte[512];
        Arrays.fill(privateData, (byte) 7);
        assertThat(responder(request(C, 1, privateData)).privateData()).isEqualTo(privateData);
        assertThat(failure(responder(frame("MPA ID Req Frame", C, 1, 0xFFFF))).fact())
                .contains("PD_Length 65535");
    }

    @Test
    void refusesWrongCallsOfItsDriver() {
        var fresh = new MpaResponder(2, DEADLINE);
        assertThatIllegalStateException().isThrownBy(() -> fresh.accept(OFFER, NOTHING));
        assertThatIllegalStateException().isThrownBy(() -> fresh.reject(NOTHING));
        assertThatIllegalStateException().isThrownBy(fresh::privateData);
        assertThatIllegalStateException().isThrownBy(fresh::privateDataLimit);
        assertThatIllegalArgumentException().isThrownBy(() -> new MpaResponder(3, DEADLINE));

        MpaResponder accepted = responder(request(C, 1));
        accepted.accept(OFFER, NOTHING);
        assertThatIllegalStateException().isThrownBy(() -> accepted.accept(OFFER, NOTHING));
        assertThatIllegalStateException().isThrownBy(() -> accepted.reject(NOTHING));
    }

    @Test
    void cannotAcceptThePeerToPeerModelWithAnOfferThatTakesNoKindOfMessage() {
        MpaResponder responder = responder(request(S, 2, word(A | 4, READ | 4)));
        var onlyReadsButNoneHeld =
                new StartupOffer(2, true, false, true, EnumSet.of(ReadyToReceive.READ), 0, 0, 0, false);

        assertThatIllegalArgumentException().isThrownBy(() -> responder.accept(onlyReadsButNoneHeld, NOTHING));
        responder.reject(NOTHING);
        assertThat(transmit(responder)).isNotEmpty();
    }

    private static ErrorDetail failure(MpaResponder responder) {
        StartupEvent event = responder.pollEvent();
        assertThat(event).isInstanceOf(StartupEvent.Failed.class);
        var failed = (StartupEvent.Failed) event;
        assertThat(failed.retryWithRevision1()).isFalse();
        assertThat(failed.detail().clause()).startsWith("RFC ");
        assertThat(failed.detail().terminateCode()).isEqualTo(ErrorDetail.NO_TERMINATE);
        return failed.detail();
    }

    private static Negotiated established(MpaResponder responder) {
        StartupEvent event = responder.pollEvent();
        assertThat(event).isInstanceOf(StartupEvent.Established.class);
        return ((StartupEvent.Established) event).negotiated();
    }
}
