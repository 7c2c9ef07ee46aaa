package io.stag.rnic.mpa;

import static io.stag.rnic.mpa.RawFrames.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every positive startup vector, taken and, where we can say it, made. */
class StartupVectorTest {
    private static final StartupOffer NO_CRC = new StartupOffer(1, false, false, false, Set.of(), 4, 4, 4, false);
    private static final StartupOffer MARKERS = new StartupOffer(1, true, true, false, Set.of(), 4, 4, 4, false);

    @Test
    @Conforms({"CM-003", "CM-011"})
    void revision1Requests() {
        assertThat(made(plainOffer(), "")).isEqualTo(StartupVectors.MPA_REQ_V1.octets());
        assertThat(made(MARKERS, "hello-stag")).isEqualTo(StartupVectors.MPA_REQ_V1_MC_PD.octets());
        assertThat(made(NO_CRC, "")).isEqualTo(StartupVectors.MPA_REQ_V1_NOCRC.octets());

        assertThat(taken(StartupVectors.MPA_REQ_V1, "")).isEqualTo(plain(true, false));
        assertThat(taken(StartupVectors.MPA_REQ_V1_MC_PD, "hello-stag")).isEqualTo(plain(true, true));
        assertThat(taken(StartupVectors.MPA_REQ_V1_NOCRC, "")).isEqualTo(plain(false, false));
    }

    @Test
    @Conforms({"CM-004", "CM-011"})
    void revision1Replies() {
        byte[] request = StartupVectors.MPA_REQ_V1_NOCRC.octets();
        assertThat(accept(request, plainOffer())).isEqualTo(StartupVectors.MPA_REP_V1.octets());
        assertThat(accept(request, MARKERS)).isEqualTo(StartupVectors.MPA_REP_V1_M.octets());
        assertThat(accept(request, NO_CRC)).isEqualTo(StartupVectors.MPA_REP_V1_NOCRC.octets());
        MpaResponder rejecting = responder(StartupVectors.MPA_REQ_V1.octets());
        rejecting.reject(ascii("busy"));
        assertThat(transmit(rejecting)).isEqualTo(StartupVectors.MPA_REP_V1_REJECT.octets());

        assertThat(outcome(NO_CRC, StartupVectors.MPA_REP_V1))
                .isEqualTo(new StartupEvent.Established(revision1(true, false)));
        assertThat(outcome(NO_CRC, StartupVectors.MPA_REP_V1_M))
                .isEqualTo(new StartupEvent.Established(revision1(true, true)));
        assertThat(outcome(NO_CRC, StartupVectors.MPA_REP_V1_NOCRC))
                .isEqualTo(new StartupEvent.Established(revision1(false, false)));
        assertThat(outcome(NO_CRC, StartupVectors.MPA_REP_V1_REJECT)).isInstanceOf(StartupEvent.Rejected.class);
    }

    @Test
    @Conforms({"CM-033", "CM-035", "CM-036"})
    void revision2PeerToPeer() {
        var offer = new StartupOffer(2, true, false, true, ALL_KINDS, 16, 8, 16, false);
        assertThat(made(offer, "stag")).isEqualTo(StartupVectors.MPA_REQ_V2_P2P.octets());
        assertThat(taken(StartupVectors.MPA_REQ_V2_P2P, "stag"))
                .isEqualTo(new StartupEvent.RequestReceived(2, true, true, false, true, ALL_KINDS, 16, 8));

        var answer = new StartupOffer(2, true, false, true, Set.of(ReadyToReceive.WRITE), 8, 16, 8, false);
        assertThat(accept(StartupVectors.MPA_REQ_V2_P2P.octets(), answer))
                .isEqualTo(StartupVectors.MPA_REP_V2_P2P.octets());
        assertThat(outcome(offer, StartupVectors.MPA_REP_V2_P2P))
                .isEqualTo(new StartupEvent.Established(new Negotiated(
                        2,
                        true,
                        false,
                        false,
                        true,
                        ReadyToReceive.WRITE,
                        Set.of(ReadyToReceive.WRITE),
                        16,
                        8,
                        8,
                        16)));
    }

    @Test
    @Conforms({"CM-035", "CM-036"})
    void revision2WithoutNegotiatedDepths() {
        assertThat(taken(StartupVectors.MPA_REQ_V2_CS_NONEG, ""))
                .isEqualTo(new StartupEvent.RequestReceived(2, true, true, false, false, Set.of(), 0x3FFF, 0x3FFF));
    }

    private static byte[] made(StartupOffer offer, String privateData) {
        return transmit(new MpaInitiator(offer, ascii(privateData), DEADLINE));
    }

    private static StartupEvent taken(StartupVectors vector, String privateData) {
        MpaResponder responder = responder(vector.octets());
        StartupEvent event = responder.pollEvent();
        assertThat(responder.privateData()).isEqualTo(ascii(privateData));
        return event;
    }

    private static StartupEvent outcome(StartupOffer offer, StartupVectors vector) {
        MpaInitiator initiator = initiator(offer);
        assertThat(feed(initiator, vector.octets())).isEqualTo(vector.octets().length);
        return initiator.pollEvent();
    }

    private static StartupEvent plain(boolean crc, boolean markers) {
        return new StartupEvent.RequestReceived(1, false, crc, markers, false, Set.of(), -1, -1);
    }

    private static Negotiated revision1(boolean crc, boolean markersSent) {
        return new Negotiated(1, crc, markersSent, false, false, null, Set.of(), 4, 4, -1, -1);
    }
}
