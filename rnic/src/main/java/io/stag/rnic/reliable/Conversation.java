package io.stag.rnic.reliable;

import io.stag.rnic.work.Deadlines;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What is kept of a peer while something is on its way, either way. Used for one peer after the other. */
final class Conversation extends Deadlines.Timed {
    /** Transmissions whose time is kept, at first and at most; in between at least twice as many as are on their way. */
    private static final int FIRST_TRANSMISSIONS = 64;

    private static final int MOST_TRANSMISSIONS = 1024;

    final OutgoingList requests = new OutgoingList();
    final OutgoingList responses = new OutgoingList();
    final PacketRing packets = new PacketRing();
    final CongestionWindow congestion;
    final RoundTrip roundTrip = new RoundTrip();
    final LossDetection losses = new LossDetection();
    private long[] transmissionNanos = new long[FIRST_TRANSMISSIONS];
    private long newestEchoed; // number of the latest transmission that a round trip was measured with

    private @Nullable Peer peer;
    int index; // among those under way

    @Nullable
    Outgoing current; // has begun, and not all of it was made into datagrams

    long currentOffset;
    boolean responseTurn;
    int outstandingReads;
    int inFlight; // datagrams in state SENT
    int waiting; // datagrams in state WAITING
    int firstWaiting; // no PSN before it is WAITING
    boolean limited; // the window was what kept us from sending
    boolean probeWanted;
    boolean askWanted; // the peer is to say whether it is still there
    boolean ready; // in the list of those that may have something to send
    long nextSendNanos; // pacing
    double paced; // nanoseconds that datagrams since then are worth
    int burst; // their octets
    long progressNanos; // when something was acknowledged last, or the peer said to wait
    long activityNanos; // when something was sent or acknowledged
    long heardNanos; // when data of the peer came last
    int backoff;
    boolean probed;
    boolean held; // the peer said that it is not ready: it is tried with one datagram at a time
    long heldUntilNanos; // when the next one may go; 0: at once
    int holds;

    /** For one peer after the other, with so many datagrams on their way at most. */
    Conversation(int maxWindow) {
        congestion = new CongestionWindow(maxWindow);
    }

    void begin(Peer newPeer, long nowNanos) {
        peer = newPeer;
        current = null;
        outstandingReads = 0;
        inFlight = 0;
        waiting = 0;
        firstWaiting = newPeer.nextPsn;
        limited = false;
        probeWanted = false;
        askWanted = false;
        nextSendNanos = nowNanos;
        paced = 0;
        burst = 0;
        progressNanos = nowNanos;
        activityNanos = nowNanos;
        heardNanos = nowNanos;
        backoff = 0;
        probed = false;
        held = false;
        heldUntilNanos = 0;
        holds = 0;
        Arrays.fill(transmissionNanos, 0); // those to another peer
        congestion.clear();
        losses.clear();
        newestEchoed = newPeer.transmissions - 1;
        roundTrip.resume(newPeer.smoothedMicros * 1_000L);
    }

    /** Our stream is over; what the peer has to say goes on. */
    void streamEnded() {
        packets.clear();
        current = null;
        outstandingReads = 0;
        inFlight = 0;
        waiting = 0;
        limited = false;
        probeWanted = false;
        askWanted = false;
        backoff = 0;
        probed = false;
        held = false;
        heldUntilNanos = 0;
        holds = 0;
        losses.clear();
        congestion.streamEnded();
    }

    void end() {
        packets.clear();
        peer = null;
        current = null;
    }

    boolean isUnderWay() {
        return peer != null;
    }

    Peer peer() {
        Peer present = peer;
        if (present == null) {
            throw new IllegalStateException("a conversation with nobody");
        }
        return present;
    }

    /** Whether anything was sent that is not acknowledged, or has to be sent. */
    boolean hasOutstanding() {
        return !requests.isEmpty() || !responses.isEmpty();
    }

    /** Whether there is anything that could be sent if the windows allow it, but acknowledgements. */
    boolean hasSomethingToSend() {
        return waiting > 0 || probeWanted || askWanted || hasMessagesToMake();
    }

    /** Whether there is something to send behind this datagram, which has not left yet. */
    boolean hasMoreThan(int psn) {
        return waiting > 1 || psn != peer().nextPsn - 1 || hasMessagesToMake();
    }

    /** Whether messages were not made into datagrams yet, or not all of one. */
    private boolean hasMessagesToMake() {
        return current != null || requests.firstUnbegun() != null || responses.firstUnbegun() != null;
    }

    /** Whether datagrams are on their way, or have to be sent. */
    boolean hasDatagrams() {
        return inFlight > 0 || waiting > 0;
    }

    /** Whether all that is not acknowledged came early: the peer has to be reminded of the rest. */
    boolean isStuck() {
        return !hasDatagrams() && peer().hasUnacknowledged();
    }

    /**
     * Whether datagrams are not acknowledged and there was no progress for {@code giveUpNanos}: the peer may have forgotten that
     * it has taken them, so none may leave any more, however long nobody looked (RD-014).
     */
    boolean isExpired(long giveUpNanos, long nowNanos) {
        return peer().hasUnacknowledged() && nowNanos - progressNanos >= giveUpNanos;
    }

    /** Whether nothing but an answer of the peer, or its credit, is awaited. */
    boolean awaitsAnswer() {
        return (outstandingReads > 0 || awaitsCredit()) && !hasDatagrams();
    }

    /** Whether a message has begun whose next datagram the peer will not take. */
    boolean awaitsCredit() {
        return current != null && peer().nextPsn - peer().creditEnd > 0;
    }

    /** A message begins, or goes on. What was before says nothing about how long it waits, unless others are on their way. */
    void waitBegins(long nowNanos) {
        if (!peer().hasUnacknowledged()) {
            progressNanos = nowNanos;
        }
    }

    /** A datagram that was on its way has to be sent once more. */
    void markWaiting(int psn) {
        packets.state(psn, PacketRing.WAITING);
        inFlight--;
        waiting++;
        if (psn - firstWaiting < 0) {
            firstWaiting = psn;
        }
    }

    /** The first datagram that has to be sent; there is one. */
    int nextWaiting() {
        while (packets.state(firstWaiting) != PacketRing.WAITING) {
            firstWaiting++;
        }
        return firstWaiting;
    }

    /** Everything that is on its way has to be sent once more. @return how many */
    int markAllWaiting() {
        int count = 0;
        for (int psn = peer().ackedPsn + 1; psn != peer().nextPsn; psn++) {
            if (packets.state(psn) == PacketRing.SENT) {
                markWaiting(psn);
                count++;
            }
        }
        return count;
    }

    /** What came early has to be sent once more, too: a receiver that forgot us has not got it any more. */
    void forgetEarly() {
        for (int psn = peer().ackedPsn + 1; psn != peer().nextPsn; psn++) {
            if (packets.state(psn) == PacketRing.ACKED) {
                inFlight++;
                markWaiting(psn);
            }
        }
    }

    /** A datagram leaves. */
    void sent(int psn, long nowNanos) {
        long number = peer().transmissions++;
        if (inFlight >= transmissionNanos.length / 2 && transmissionNanos.length < MOST_TRANSMISSIONS) {
            keepMoreTransmissions(number);
        }
        transmissionNanos[slot(number)] = nowNanos;
        packets.sent(psn, number, nowNanos);
        waiting--;
        inFlight++;
        activityNanos = nowNanos;
    }

    private int slot(long transmission) {
        return (int) transmission & transmissionNanos.length - 1;
    }

    private void keepMoreTransmissions(long next) {
        long[] old = transmissionNanos;
        transmissionNanos = new long[2 * old.length];
        for (long number = next - old.length; number != next; number++) {
            transmissionNanos[slot(number)] = old[(int) number & old.length - 1];
        }
    }

    /**
     * When the transmission with this number, modulo 2^16, left; 0 when that is not known any more, or when it or a later one
     * was echoed before: peers repeat the last echo for as long as nothing else comes.
     */
    long newlyEchoed(int echo) {
        long newest = peer().transmissions - 1;
        long age = newest - echo & 0xFFFF;
        long number = newest - age;
        if (age >= transmissionNanos.length || number <= newestEchoed) {
            return 0;
        }
        newestEchoed = number;
        return transmissionNanos[slot(number)];
    }
}
