package io.stag.rnic.reliable;

import io.stag.rnic.work.Deadlines;
import io.stag.wire.datagram.ReliableHeader;

/** What peers acknowledge of our streams, and what follows: round trips, losses, windows, complete requests. */
final class Acknowledgements {
    private static final long NOT_READY_NANOS = 1_000_000;
    private static final int MOST_HOLDS = 7;
    private static final int LONGEST_DELAY = 0xFFFF; // or longer

    private final int epoch;
    private final ReliableCounts counts;
    private final ReliableOwner owner;
    private final Requests requests;
    private final Conversations conversations;
    private int newlyAcked;

    Acknowledgements(
            int epoch, ReliableCounts counts, ReliableOwner owner, Requests requests, Conversations conversations) {
        this.epoch = epoch;
        this.counts = counts;
        this.owner = owner;
        this.requests = requests;
        this.conversations = conversations;
    }

    /**
     * Takes the acknowledgement of a datagram.
     *
     * @param words whether {@code header} has a map of what came early
     */
    void take(Peer peer, ReliableHeader header, boolean words, long nowNanos) {
        int acked = header.ackedPsn();
        if (header.ackedStream() == 0) {
            return;
        }
        if (header.peerEpoch() != epoch
                || peer.stream != header.ackedStream()
                || (peer.boundEpoch != 0 && peer.boundEpoch != header.epoch())
                || acked - (peer.nextPsn - 1) > 0) {
            counts.badAcknowledgements++;
            return;
        }
        if (acked - peer.ackedPsn < 0) {
            return; // an older one that was overtaken
        }
        peer.boundEpoch = header.epoch();
        peer.doubtful = false;
        if (acked != peer.ackedPsn) {
            peer.lastAckedNanos = nowNanos;
        }
        int creditEnd = acked + header.credit();
        if (creditEnd - peer.creditEnd > 0) {
            peer.creditEnd = creditEnd;
        }
        Conversation conversation = peer.conversation;
        if (conversation == null) {
            return;
        }
        newlyAcked = 0;
        if (acked != peer.ackedPsn || !conversation.hasDatagrams()) {
            conversation.progressNanos = nowNanos;
        }
        takeCumulative(conversation, acked, nowNanos);
        if (words) {
            takeWords(conversation, header, acked, nowNanos);
        }
        sampleRoundTrip(conversation, header, words, nowNanos);
        boolean notReady = words && (header.flags() & ReliableHeader.NOT_READY_FLAG) != 0;
        if (newlyAcked > 0) {
            progress(conversation, nowNanos);
        }
        if (notReady) {
            hold(conversation, nowNanos);
        } else if (words || newlyAcked > 0) { // data of the peer does not tell whether it is ready
            conversation.held = false;
            conversation.heldUntilNanos = 0;
            if (newlyAcked > 0) {
                conversation.holds = 0;
            }
        }
        detectLosses(conversation, nowNanos);
        requests.completeInOrder(conversation);
        if (conversation.hasSomethingToSend()) {
            conversations.ready(conversation);
        } else if (conversation.losses.deadline() != Deadlines.NEVER) {
            conversations.arm(conversation, nowNanos);
        }
    }

    private void takeCumulative(Conversation conversation, int acked, long nowNanos) {
        Peer peer = conversation.peer();
        PacketRing packets = conversation.packets;
        while (peer.ackedPsn != acked) {
            int psn = peer.ackedPsn + 1;
            arrived(conversation, psn, nowNanos);
            packets.free(psn);
            peer.ackedPsn = psn;
        }
        if (conversation.firstWaiting - acked <= 0) {
            conversation.firstWaiting = acked + 1;
        }
    }

    private void takeWords(Conversation conversation, ReliableHeader header, int acked, long nowNanos) {
        int sent = conversation.peer().nextPsn - 1 - acked;
        for (int word = 0; word < header.words(); word++) {
            long bits = header.word(word);
            while (bits != 0) {
                int distance = word * Long.SIZE + Long.numberOfTrailingZeros(bits) + 1;
                bits &= bits - 1;
                if (distance > sent) {
                    counts.badAcknowledgements++;
                    return;
                }
                arrived(conversation, acked + distance, nowNanos);
            }
        }
    }

    private void arrived(Conversation conversation, int psn, long nowNanos) {
        PacketRing packets = conversation.packets;
        boolean wasSent = packets.state(psn) == PacketRing.SENT;
        if (wasSent) {
            conversation.inFlight--;
        } else if (packets.state(psn) == PacketRing.WAITING) {
            conversation.waiting--;
        } else {
            return;
        }
        newlyAcked++;
        long transmission = packets.transmission(psn);
        if (transmission >= 0) {
            RoundTrip times = conversation.roundTrip;
            if (wasSent && packets.isRepeated(psn) && nowNanos - packets.sentAt(psn) < times.least() / 2) {
                counts.spuriousRetransmissions++;
                conversation.losses.spurious();
            } else {
                conversation.losses.arrived(transmission);
            }
        }
        packets.state(psn, PacketRing.ACKED);
    }

    private static void sampleRoundTrip(
            Conversation conversation, ReliableHeader header, boolean words, long nowNanos) {
        long left = conversation.newlyEchoed(header.echo());
        int delayUnits = words ? header.delay() : 0;
        if (left == 0 || delayUnits == LONGEST_DELAY) {
            return;
        }
        long delay = (long) delayUnits * ReliableHeader.DELAY_UNIT_NANOS;
        long sample = nowNanos - left - delay;
        if (sample > 0) {
            conversation.roundTrip.sample(sample);
            conversation.peer().smoothedMicros = (int) (conversation.roundTrip.smoothed() / 1_000);
        }
    }

    private void progress(Conversation conversation, long nowNanos) {
        conversation.congestion.acknowledged(
                newlyAcked, conversation.peer().ackedPsn, conversation.limited, conversation.roundTrip, nowNanos);
        conversation.activityNanos = nowNanos;
        conversation.backoff = 0;
        conversation.probed = false;
    }

    /** The peer has no receive for the message due next: what is on its way behind it may be lost for that (RD-024). */
    private void hold(Conversation conversation, long nowNanos) {
        counts.peerNotReady++;
        if (conversation.heldUntilNanos == 0) {
            conversation.held = true;
            conversation.heldUntilNanos = nowNanos + (NOT_READY_NANOS << Math.min(MOST_HOLDS, conversation.holds++));
            owner.stalled(conversation.peer().address);
        }
        conversation.markAllWaiting();
        conversation.progressNanos = nowNanos;
        conversation.backoff = 0;
    }

    void detectLosses(Conversation conversation, long nowNanos) {
        int lost = conversation.losses.detect(conversation, nowNanos);
        if (lost > 0) {
            owner.lossSeen(conversation.peer().address, lost, false);
        }
    }
}
