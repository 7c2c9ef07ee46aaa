package io.stag.rnic.reliable;

import io.stag.rnic.work.Deadlines;

/** Which datagrams count as lost: those that were overtaken, by time (RD-031, after RFC 8985). One per conversation. */
final class LossDetection {
    private static final int MOST_STEPS = 16; // quarters of a round trip, doubled
    private static final long LEAST_WINDOW_NANOS = 20_000;
    private static final int ROUNDS_TO_FORGET = 16;
    private static final long NONE = -1;

    private long newest = NONE; // number of the latest transmission that is known to have arrived
    private int steps = 1;
    private int quietRounds;
    private long deadline = Deadlines.NEVER;

    void clear() {
        newest = NONE;
        steps = 1;
        quietRounds = 0;
        deadline = Deadlines.NEVER;
    }

    /** A datagram of this transmission, or a later one of the same, arrived. */
    void arrived(long transmission) {
        newest = Math.max(newest, transmission);
    }

    /** Something was sent again that had arrived: datagrams overtake each other more than was thought. */
    void spurious() {
        steps = Math.min(MOST_STEPS, 2 * steps);
        quietRounds = 0;
    }

    private long window(RoundTrip times) {
        return Math.clamp(
                times.least() / 4 * steps, LEAST_WINDOW_NANOS, Math.max(LEAST_WINDOW_NANOS, times.smoothed()));
    }

    /** When datagrams that were overtaken count as lost, unless they are acknowledged before. */
    long deadline() {
        return deadline;
    }

    /** Marks what counts as lost. @return how many */
    int detect(Conversation conversation, long nowNanos) {
        deadline = Deadlines.NEVER;
        Peer peer = conversation.peer();
        PacketRing packets = conversation.packets;
        if (newest == NONE || conversation.inFlight == 0) {
            return 0;
        }
        long patience = conversation.roundTrip.latest() + window(conversation.roundTrip);
        boolean queue = conversation.roundTrip.showsQueue();
        int lost = 0;
        for (int psn = peer.ackedPsn + 1; psn != peer.nextPsn; psn++) {
            if (packets.state(psn) != PacketRing.SENT) {
                continue;
            }
            if (packets.transmission(psn) >= newest) {
                if (packets.isRepeated(psn)) {
                    continue;
                }
                break; // those behind it were sent later still, for the first time or again
            }
            long due = packets.sentAt(psn) + patience;
            if (due <= nowNanos) {
                conversation.markWaiting(psn);
                conversation.congestion.lost(psn, peer.nextPsn, queue);
                lost++;
            } else {
                deadline = Math.min(deadline, due);
            }
        }
        if (lost > 0 && ++quietRounds == ROUNDS_TO_FORGET) {
            quietRounds = 0;
            steps = Math.max(1, steps / 2);
        }
        return lost;
    }
}
