package io.stag.rnic.mpa;

import static io.stag.rnic.mpa.RawFrames.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.stag.simnet.Conforms;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.rdmap.TerminateCode;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MpaInitiatorTest {

    @Test
    @Conforms({"CM-003", "CM-011", "CM-017", "CM-063"})
    void asksPlainlyInRevision1() {
        var initiator = new MpaInitiator(plainOffer(), NOTHING, DEADLINE);

        assertThat(transmit(initiator)).isEqualTo(StartupVectors.MPA_REQ_V1.octets());
        assertThat(transmit(initiator)).as("exactly one Request").isEmpty();
    }

    @Test
    @Conforms({"CM-033", "CM-035", "CM-036", "CM-049"})
    void asksEnhancedInRevision2AndNamesEveryKindItCanSend() {
        for (Set<ReadyToReceive> kinds : StartupMatrixTest.SUBSETS) {
            var offer = new StartupOffer(2, true, false, true, kinds, 0x1234, 0x2345, 0x3000, false);
            int first = A | (kinds.contains(ReadyToReceive.SEND) ? B : 0) | 0x1234;
            int second = (kinds.contains(ReadyToReceive.WRITE) ? WRITE : 0)
                    | (kinds.contains(ReadyToReceive.READ) ? READ : 0)
                    | 0x2345;

            assertThat(transmit(new MpaInitiator(offer, ascii("stag"), DEADLINE)))
                    .isEqualTo(request(S | C, 2, join(word(first, second), ascii("stag"))));
        }
    }

    @Test
    @Conforms("CM-057")
    void setsNoFlagOfTheWordInTheClientServerModel() {
        assertThat(transmit(new MpaInitiator(clientServerOffer(4, 2, 4), NOTHING, DEADLINE)))
                .isEqualTo(request(S | C, 2, word(4, 2)));
    }

    @Test
    @Conforms("CM-009")
    void sendsReservedBitsAndTheRejectFlagAsZero() {
        var everything = new StartupOffer(2, true, true, true, ALL_KINDS, 4, 4, 4, true);

        assertThat(transmit(new MpaInitiator(everything, NOTHING, DEADLINE))[16])
                .isEqualTo((byte) (M | C | S));
    }

    @Test
    @Conforms({"CM-013", "CM-015", "CM-037"})
    void limitsPrivateData() {
        assertThat(transmit(new MpaInitiator(plainOffer(), new byte[512], DEADLINE)))
                .isEqualTo(request(C, 1, new byte[512]));
        assertThat(transmit(new MpaInitiator(clientServerOffer(4, 4, 4), new byte[508], DEADLINE)))
                .isEqualTo(request(S | C, 2, join(word(4, 4), new byte[508])));
        assertThatIllegalArgumentException().isThrownBy(() -> new MpaInitiator(plainOffer(), new byte[513], DEADLINE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MpaInitiator(clientServerOffer(4, 4, 4), new byte[509], DEADLINE));
    }

    @Test
    void handsOutTheRequestInPieces() {
        var initiator = new MpaInitiator(plainOffer(), ascii("hello"), DEADLINE);
        var collected = new ByteArrayOutputStream();
        byte[] piece = new byte[10];
        for (int taken = -1; taken != 0; ) {
            taken = initiator.pollTransmit(MemorySegment.ofArray(piece), 3, 7);
            collected.write(piece, 3, taken);
        }

        assertThat(collected.toByteArray()).isEqualTo(request(C, 1, ascii("hello")));
    }

    @Test
    @Conforms("CM-022")
    void waitsForTheWholeReply() {
        MpaInitiator initiator = initiator(plainOffer());
        byte[] reply = reply(C, 1, ascii("hello"));
        for (byte octet : Arrays.copyOf(reply, reply.length - 1)) {
            assertThat(feed(initiator, octet)).isEqualTo(1);
            assertThat(initiator.pollEvent()).isNull();
            assertThat(transmit(initiator)).isEmpty();
            assertThatIllegalStateException().isThrownBy(initiator::privateData);
        }

        feed(initiator, reply[reply.length - 1]);

        assertThat(established(initiator).revision()).isEqualTo(1);
        assertThat(initiator.privateData()).isEqualTo(ascii("hello"));
        assertThat(initiator.pollTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void leavesWhatFollowsTheReplyToTheFirstFpdu() {
        MpaInitiator initiator = initiator(plainOffer());
        byte[] reply = reply(C, 1, ascii("hello"));

        assertThat(feed(initiator, join(reply, new byte[9]))).isEqualTo(reply.length);
        assertThat(feed(initiator, (byte) 1)).isZero();
        established(initiator);
        initiator.handleEndOfStream();
        initiator.handleTimeout(DEADLINE);
        assertThat(initiator.pollEvent()).isNull();
    }

    static Stream<byte[]> malformedReplies() {
        return Stream.of(
                frame("MPA ID Foo Frame", C, 1, 0),
                frame("MPA ID Rep FRAME", C, 1, 0),
                ascii("HTTP/1.1 400 Bad Request"),
                reply(C, 0),
                reply(C, 2),
                reply(C, 3),
                reply(R | C, 255),
                frame("MPA ID Rep Frame", C, 1, 513),
                frame("MPA ID Rep Frame", C, 1, 0xFFFF));
    }

    @ParameterizedTest
    @MethodSource("malformedReplies")
    @Conforms({"CM-006", "CM-012", "CM-014", "CM-023", "CM-026", "MPA-052"})
    void closesOnAMalformedReply(byte[] reply) {
        MpaInitiator initiator = initiator(plainOffer());
        feed(initiator, reply);

        assertThat(failure(initiator, false).layer()).isEqualTo(ErrorDetail.Layer.MPA);
        assertThat(transmit(initiator)).isEmpty();
        assertThat(feed(initiator, reply(C, 1))).as("a good Reply behind it").isZero();
        assertThat(initiator.pollTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void showsWhatAStrangerSent() {
        MpaInitiator initiator = initiator(plainOffer());
        assertThat(feed(initiator, ascii("HTTP/1.1 400"))).isEqualTo(4);

        assertThat(failure(initiator, false).fact())
                .isEqualTo("the peer sent 48 54 54 50 (\"HTTP\") where an MPA Reply was due: it seems to speak HTTP");
    }

    @Test
    @Conforms("CM-029")
    void detectsThatBothSidesAreInitiators() {
        MpaInitiator left = new MpaInitiator(plainOffer(), NOTHING, DEADLINE);
        MpaInitiator right = new MpaInitiator(plainOffer(), NOTHING, DEADLINE);
        feed(left, transmit(right));
        feed(right, transmit(left));
        assertThat(failure(left, false).fact()).contains("both sides are initiators");
        assertThat(right.pollEvent())
                .as("the other had failed and sent nothing")
                .isNull();

        MpaInitiator crossing = initiator(plainOffer());
        feed(crossing, request(C, 1));
        assertThat(failure(crossing, false).clause()).isEqualTo("RFC 5044 §7.1.2(8)");
    }

    @Test
    void doesNotTakeAnAnswerToWhatItHasNotYetAsked() {
        var initiator = new MpaInitiator(plainOffer(), NOTHING, DEADLINE);
        initiator.pollTransmit(MemorySegment.ofArray(new byte[19]), 0, 19);
        feed(initiator, reply(C, 1));

        assertThat(failure(initiator, false).fact()).contains("before the MPA Request was sent");
        assertThat(transmit(initiator)).isEmpty();
    }

    @Test
    @Conforms("CM-023")
    void insistsOnAnEnhancedAnswerToAnEnhancedRequest() {
        assertThat(enhancedFailure(reply(C, 1)).fact()).contains("revision 1 but the Request had 2");
        assertThat(enhancedFailure(reply(C, 2, word(4, 4))).fact()).contains("not enhanced (S=0)");
        assertThat(enhancedFailure(reply(C | R, 2)).fact()).contains("S=0", "R=1");
        assertThat(enhancedFailure(reply(C | S, 2, (byte) 0, (byte) 4, (byte) 0))
                        .fact())
                .contains("PD_Length is 3");
    }

    @Test
    @Conforms("CM-010")
    void doesNotCheckReservedBits() {
        MpaInitiator plain = initiator(plainOffer());
        feed(plain, reply(C | S | 0x0F, 1));
        assertThat(established(plain).crc()).isTrue();

        MpaInitiator enhanced = initiator(clientServerOffer(4, 4, 4));
        feed(enhanced, reply(C | S | 0x0F, 2, word(4, 4)));
        assertThat(established(enhanced).peerIrd()).isEqualTo(4);
    }

    @Test
    @Conforms("CM-024")
    void reportsARefusalWithItsPrivateData() {
        MpaInitiator initiator = initiator(plainOffer());
        feed(initiator, StartupVectors.MPA_REP_V1_REJECT.octets());

        var rejected = (StartupEvent.Rejected) initiator.pollEvent();
        assertThat(rejected.detail().fact()).contains("refused", "4 octets");
        assertThat(rejected.negotiated().peerIrd()).isEqualTo(Negotiated.UNKNOWN);
        assertThat(initiator.privateData()).isEqualTo(ascii("busy"));
        assertThat(initiator.pollTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Conforms("CM-045")
    void reportsThePeersDepthsInARefusalToo() {
        MpaInitiator initiator = initiator(clientServerOffer(2, 2, 2));
        feed(initiator, reply(R | C | S, 2, join(word(5, 9), ascii("no"))));

        var rejected = (StartupEvent.Rejected) initiator.pollEvent();
        assertThat(rejected.negotiated().peerIrd()).isEqualTo(5);
        assertThat(rejected.negotiated().peerOrd()).isEqualTo(9);
        assertThat(rejected.negotiated().ird()).isEqualTo(2);
        assertThat(initiator.privateData()).isEqualTo(ascii("no"));
    }

    @Test
    @Conforms("CM-032")
    void givesAPeerThatDripFeedsNoMoreTimeThanAnyOther() {
        MpaInitiator initiator = initiator(plainOffer());
        byte[] reply = reply(C, 1);
        for (int i = 0; i < 10; i++) {
            feed(initiator, reply[i]);
            initiator.handleTimeout(DEADLINE / 10 * i);
            assertThat(initiator.pollTimeout()).isEqualTo(DEADLINE);
        }
        assertThat(initiator.pollEvent()).isNull();

        initiator.handleTimeout(DEADLINE);

        assertThat(failure(initiator, false).fact()).endsWith("no MPA Reply came: only 10 of its octets");
        assertThat(initiator.pollTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void tellsASilentPeerFromABlockedConnection() {
        MpaInitiator silent = initiator(plainOffer());
        silent.handleTimeout(DEADLINE);
        assertThat(failure(silent, false).fact()).endsWith("not one octet of it");

        var blocked = new MpaInitiator(plainOffer(), NOTHING, DEADLINE);
        blocked.handleTimeout(DEADLINE);
        assertThat(failure(blocked, false).fact()).contains("TCP has not taken the MPA Request");
        assertThat(transmit(blocked)).isEmpty();
    }

    @Test
    void suggestsRevision1OnlyWhenThePeerClosedOnARevision2Request() {
        var willing = new StartupOffer(2, true, false, false, ALL_KINDS, 4, 4, 4, true);

        MpaInitiator closedOn = initiator(willing);
        closedOn.handleEndOfStream();
        ErrorDetail detail = failure(closedOn, true);
        assertThat(detail.layer()).isEqualTo(ErrorDetail.Layer.TRANSPORT);
        assertThat(detail.fact()).contains("may not know revision 2");

        MpaInitiator unwilling = initiator(clientServerOffer(4, 4, 4));
        unwilling.handleEndOfStream();
        failure(unwilling, false);

        MpaInitiator plain = initiator(new StartupOffer(1, true, false, false, ALL_KINDS, 4, 4, 4, true));
        plain.handleEndOfStream();
        assertThat(failure(plain, false).fact()).doesNotContain("revision 2");

        var unsent = new MpaInitiator(willing, NOTHING, DEADLINE);
        unsent.handleEndOfStream();
        failure(unsent, false);

        MpaInitiator inside = initiator(willing);
        feed(inside, Arrays.copyOf(reply(C, 1), 5));
        inside.handleEndOfStream();
        assertThat(failure(inside, false).fact()).contains("inside the MPA Reply: only 5 of its octets came");

        MpaInitiator late = initiator(willing);
        late.handleTimeout(DEADLINE);
        failure(late, false);
    }

    @Test
    @Conforms("CM-042")
    void lowersItsOutboundDepthToWhatThePeerHolds() {
        assertThat(establishedWith(clientServerOffer(4, 8, 4), word(2, 4)).ord())
                .isEqualTo(2);
        assertThat(establishedWith(clientServerOffer(4, 8, 4), word(0, 4)).ord())
                .isZero();
        assertThat(establishedWith(clientServerOffer(4, 8, 4), word(9, 4)).ord())
                .isEqualTo(8);
    }

    @Test
    void raisesItsInboundDepthToWhatThePeerWants() {
        assertThat(establishedWith(clientServerOffer(4, 4, 8), word(4, 8)).ird())
                .isEqualTo(8);
        assertThat(establishedWith(clientServerOffer(4, 4, 8), word(4, 1)).ird())
                .isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 0x3FFE})
    void asksForATerminateWhenItCannotHoldThePeersReads(int peerOrd) {
        MpaInitiator initiator = initiator(new StartupOffer(2, true, true, false, ALL_KINDS, 4, 4, 8, false));
        feed(initiator, reply(M | S, 2, word(4, peerOrd)));

        var needed = (StartupEvent.TerminateNeeded) initiator.pollEvent();
        assertThat(needed.code()).isEqualTo(TerminateCode.MPA_INSUFFICIENT_IRD);
        assertThat(needed.detail().terminateCode()).isEqualTo(0x2006);
        assertThat(needed.detail().fact()).contains("ORD " + peerOrd, "8 inbound Reads");
        assertThat(needed.negotiated().crc()).isTrue();
        assertThat(needed.negotiated().markersSent()).isTrue();
        assertThat(needed.negotiated().markersReceived()).isTrue();
    }

    @Test
    @Conforms("CM-048")
    void leavesDepthsAloneThatTheReplyDoesNotNegotiate() {
        Negotiated negotiated = establishedWith(clientServerOffer(3, 5, 8), word(NOT_NEGOTIATED, NOT_NEGOTIATED));

        assertThat(negotiated.ird()).isEqualTo(3);
        assertThat(negotiated.ord()).isEqualTo(5);
        assertThat(negotiated.peerIrd()).isEqualTo(NOT_NEGOTIATED);
    }

    @Test
    void choosesTheReadyToReceiveMessageWithTheFewestSideEffects() {
        assertThat(chosen(ALL_KINDS, word(A | B | 4, WRITE | READ | 4))).isEqualTo(ReadyToReceive.WRITE);
        assertThat(chosen(ALL_KINDS, word(A | B | 4, READ | 4))).isEqualTo(ReadyToReceive.READ);
        assertThat(chosen(ALL_KINDS, word(A | B | 4, 4))).isEqualTo(ReadyToReceive.SEND);
        assertThat(chosen(Set.of(ReadyToReceive.SEND), word(A | B | 4, WRITE | READ | 4)))
                .as("kinds we did not offer are ignored")
                .isEqualTo(ReadyToReceive.SEND);
    }

    @Test
    void asksForATerminateWhenNoReadyToReceiveMessageIsCommon() {
        for (byte[] word : new byte[][] {word(A | B | 4, 4), word(A | 4, 4)}) {
            MpaInitiator initiator = initiator(peerToPeerOffer(Set.of(ReadyToReceive.WRITE, ReadyToReceive.READ)));
            feed(initiator, reply(S, 2, word));

            var needed = (StartupEvent.TerminateNeeded) initiator.pollEvent();
            assertThat(needed.code()).isEqualTo(TerminateCode.MPA_NO_MATCHING_RTR);
            assertThat(needed.detail().terminateCode()).isEqualTo(0x2007);
            assertThat(needed.detail().fact()).contains("we can send [WRITE, READ]");
            assertThat(needed.negotiated().readyToReceive()).isNull();
        }
    }

    @Test
    @Conforms("CM-059")
    void ignoresTheOtherFlagsInTheClientServerModel() {
        Negotiated unasked = establishedWith(clientServerOffer(4, 4, 4), word(B | 4, WRITE | READ | 4));
        assertThat(unasked.peerToPeer()).isFalse();
        assertThat(unasked.agreed()).isEmpty();

        Negotiated refused = establishedWith(peerToPeerOffer(ALL_KINDS), word(B | 4, WRITE | READ | 4));
        assertThat(refused.peerToPeer()).isFalse();
        assertThat(refused.readyToReceive()).isNull();
    }

    @Test
    void refusesOffersThatNoFrameCanSay() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StartupOffer(3, true, false, false, ALL_KINDS, 4, 4, 4, false));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StartupOffer(2, true, false, false, Set.of(), 4, 4, 4, false));
        assertThatIllegalArgumentException().isThrownBy(() -> clientServerOffer(4, 4, 3));
        assertThatIllegalArgumentException().isThrownBy(() -> clientServerOffer(-1, 4, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> clientServerOffer(4, -1, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> clientServerOffer(4, NOT_NEGOTIATED, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> clientServerOffer(4, 4, NOT_NEGOTIATED));
    }

    private static ReadyToReceive chosen(Set<ReadyToReceive> kinds, byte[] word) {
        return establishedWith(peerToPeerOffer(kinds), word).readyToReceive();
    }

    private static Negotiated establishedWith(StartupOffer offer, byte[] word) {
        MpaInitiator initiator = initiator(offer);
        feed(initiator, reply(C | S, 2, word));
        return established(initiator);
    }

    private static ErrorDetail enhancedFailure(byte[] reply) {
        MpaInitiator initiator = initiator(new StartupOffer(2, true, false, false, ALL_KINDS, 4, 4, 4, true));
        feed(initiator, reply);
        return failure(initiator, false);
    }

    private static ErrorDetail failure(MpaInitiator initiator, boolean retry) {
        StartupEvent event = initiator.pollEvent();
        assertThat(event).isInstanceOf(StartupEvent.Failed.class);
        var failed = (StartupEvent.Failed) event;
        assertThat(failed.retryWithRevision1()).isEqualTo(retry);
        assertThat(failed.detail().clause()).startsWith("RFC ");
        return failed.detail();
    }

    private static Negotiated established(MpaInitiator initiator) {
        StartupEvent event = initiator.pollEvent();
        assertThat(event).isInstanceOf(StartupEvent.Established.class);
        return ((StartupEvent.Established) event).negotiated();
    }
}
