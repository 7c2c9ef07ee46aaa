package io.stag.rnic.reliable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.work.Deadlines;
import io.stag.simnet.Conforms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which datagrams count as lost; transmissions have large numbers when a peer is talked to for long. */
class LossDetectionTest {
    private static final long ROUND_TRIP = 1_000_000;
    private static final int DATAGRAMS = 6;

    private final Peer peer = new Peer(new DatagramAddress());
    private final Conversation conversation = new Conversation(64);

    /** Datagrams 1 to 6 leave, a microsecond apart. */
    private void begin(long firstTransmission) {
        peer.transmissions = firstTransmission;
        peer.open(1, 1, 100);
        conversation.begin(peer, 0);
        conversation.roundTrip.sample(ROUND_TRIP);
        conversation.packets.reserve(1, DATAGRAMS);
        for (int psn = 1; psn <= DATAGRAMS; psn++) {
            conversation.packets.add(psn, new Outgoing(), 0, 10);
            conversation.waiting++;
            peer.nextPsn = psn + 1;
            conversation.sent(psn, sentAt(psn));
        }
    }

    private static long sentAt(int psn) {
        return 1_000L * psn;
    }

    private void arrives(int psn) {
        conversation.losses.arrived(conversation.packets.transmission(psn));
        conversation.packets.state(psn, PacketRing.ACKED);
        conversation.inFlight--;
    }

    private boolean isLost(int psn) {
        return conversation.packets.state(psn) == PacketRing.WAITING;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Integer.MAX_VALUE - 3L, 0xFFFF_FFFFL - 3})
    @Conforms("RD-031")
    void whatWasOvertakenIsLostAfterAWhile(long firstTransmission) {
        begin(firstTransmission);
        arrives(5);
        assertThat(conversation.losses.detect(conversation, ROUND_TRIP)).isZero();
        long due = sentAt(1) + ROUND_TRIP + ROUND_TRIP / 4;
        assertThat(conversation.losses.deadline()).isEqualTo(due);
        assertThat(conversation.losses.detect(conversation, due)).isEqualTo(1);
        assertThat(isLost(1)).isTrue();
        assertThat(conversation.losses.detect(conversation, 2 * due)).isEqualTo(3);
        assertThat(isLost(4)).isTrue();
        assertThat(isLost(6)).as("nothing that was sent later has arrived").isFalse();
        assertThat(conversation.losses.deadline()).isEqualTo(Deadlines.NEVER);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Integer.MAX_VALUE - 3L, 0xFFFF_FFFFL - 3})
    @Conforms("RD-031")
    void whatWasRepeatedHidesNoLossBehindIt(long firstTransmission) {
        begin(firstTransmission);
        conversation.markWaiting(1);
        conversation.sent(1, sentAt(7));
        conversation.markWaiting(3);
        conversation.sent(3, sentAt(8));
        assertThat(conversation.packets.isRepeated(1)).isTrue();
        arrives(5);
        assertThat(conversation.losses.detect(conversation, 2 * ROUND_TRIP)).isEqualTo(2);
        assertThat(isLost(2)).isTrue();
        assertThat(isLost(4)).isTrue();
        assertThat(isLost(1)).as("the repetition was not overtaken").isFalse();
        arrives(3);
        assertThat(conversation.losses.detect(conversation, 2 * ROUND_TRIP)).isEqualTo(2);
        assertThat(isLost(1)).isTrue();
        assertThat(isLost(6)).isTrue();
    }

    @Test
    @Conforms("RD-031")
    void theReorderingWindowDoublesWithEveryLossThatWasNoneUpToARoundTrip() {
        begin(0);
        arrives(5);
        for (long window : new long[] {ROUND_TRIP / 4, ROUND_TRIP / 2, ROUND_TRIP, ROUND_TRIP}) {
            assertThat(conversation.losses.detect(conversation, ROUND_TRIP)).isZero();
            assertThat(conversation.losses.deadline()).isEqualTo(sentAt(1) + ROUND_TRIP + window);
            conversation.losses.spurious();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Integer.MAX_VALUE - 3L, 0xFFFF_FFFFL - 3})
    @Conforms("RD-030")
    void anEchoIsTakenOnceAndOnlyInThisConversation(long firstTransmission) {
        begin(firstTransmission);
        assertThat(conversation.newlyEchoed((int) (firstTransmission - 1) & 0xFFFF))
                .as("of a former conversation")
                .isZero();
        int third = (int) (firstTransmission + 2) & 0xFFFF;
        assertThat(conversation.newlyEchoed(third)).isEqualTo(sentAt(3));
        assertThat(conversation.newlyEchoed(third)).as("again").isZero();
        assertThat(conversation.newlyEchoed((int) (firstTransmission + 1) & 0xFFFF))
                .as("overtaken")
                .isZero();
        assertThat(conversation.newlyEchoed((int) (firstTransmission + DATAGRAMS) & 0xFFFF))
                .as("never sent")
                .isZero();
        assertThat(conversation.newlyEchoed((int) (firstTransmission + 5) & 0xFFFF))
                .isEqualTo(sentAt(6));
    }
}
