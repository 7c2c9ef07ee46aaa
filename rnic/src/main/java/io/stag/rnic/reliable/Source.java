package io.stag.rnic.reliable;

import io.stag.rnic.datagram.AgeOrder;
import io.stag.rnic.work.ReceiveWork;
import org.jspecify.annotations.Nullable;

/** One life of a peer, as far as it sends to us: its stream, and what of it took effect. Small, since there may be many. */
final class Source extends AgeOrder.Link<Source> {
    final Peer peer;
    final int epoch;

    @Nullable
    Source next;

    long lastHeardNanos;
    long lastTakenNanos; // when something of it took effect

    int stream;
    int takenPsn; // this and all before took effect
    int sendMsn; // due next
    int requestMsn;
    int responseMsn;
    int echo;
    long echoNanos; // when the datagram came whose number it is
    int unacknowledged;
    int waitingRequests; // Reads and atomics that are not answered yet
    boolean touched; // something of it took effect, in this stream or an earlier one
    boolean failed; // nothing of the stream is taken any more
    boolean answersLost; // answers to it got nowhere: whoever awaits them is told
    boolean acknowledgeNow;
    boolean acknowledgeLater;
    boolean owing; // in the list of those whose acknowledgements wait for company

    @Nullable
    SourceQueue waitsIn; // the message due next was put off, and why

    // the Send that has begun and not ended
    @Nullable
    ReceiveWork receive;

    byte opcode;
    long placed;

    @Nullable
    EarlyDatagrams early;

    Source(Peer peer, int epoch) {
        this.peer = peer;
        this.epoch = epoch;
    }

    /** A new stream begins; the caller has given up what was left of the one before. */
    void begin(int newStream) {
        stream = newStream;
        takenPsn = 0;
        sendMsn = 1;
        requestMsn = 1;
        responseMsn = 1;
        unacknowledged = 0;
        failed = false;
        answersLost = false;
        acknowledgeNow = false;
        acknowledgeLater = false;
        placed = 0;
    }

    /** Whether the message due next could not be taken: it had no receive, or too many Reads wait. */
    boolean isPutOff() {
        return waitsIn != null;
    }

    boolean owesAcknowledgement() {
        return acknowledgeNow || acknowledgeLater;
    }

    void acknowledged() {
        acknowledgeNow = false;
        acknowledgeLater = false;
        unacknowledged = 0;
    }
}
