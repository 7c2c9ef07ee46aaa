package io.stag.rnic.reliable;

import io.stag.rnic.datagram.AgeOrder;
import io.stag.rnic.datagram.DatagramAddress;
import org.jspecify.annotations.Nullable;

/** An address that we talk to, or that talks to us. All that is kept of it while nothing is on its way. */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
final class Peer extends AgeOrder.Link<Peer> {
    final DatagramAddress address;

    @Nullable
    Peer nextInBucket;

    @Nullable
    Source sources; // its lives that are remembered, the one heard last first

    @Nullable
    Conversation conversation;

    long lastUsedNanos;
    boolean known; // we have sent it requests, or something of it took effect

    // our stream to it
    int stream; // 0: none
    int boundEpoch; // 0: not known yet
    boolean doubtful; // bound by an answer to whoever said to have that epoch, which has not acknowledged anything yet
    int nextPsn = 1; // without a stream: as if all was acknowledged
    int ackedPsn;
    long lastAckedNanos;
    int creditEnd; // the highest PSN it will take
    int sendMsn;
    int requestMsn;
    int responseMsn;
    long transmissions; // the number of the next one
    int smoothedMicros;

    Peer(DatagramAddress address) {
        this.address = address;
    }

    void open(int newStream, int epoch, int firstCredit) {
        stream = newStream;
        boundEpoch = epoch;
        doubtful = epoch != 0;
        nextPsn = 1;
        ackedPsn = 0;
        creditEnd = firstCredit;
        sendMsn = 1;
        requestMsn = 1;
        responseMsn = 1;
    }

    void close() {
        stream = 0;
        boundEpoch = 0;
        doubtful = false;
        nextPsn = 1;
        ackedPsn = 0;
    }

    @Nullable
    Source source(int epoch) {
        for (Source source = sources; source != null; source = source.next) {
            if (source.epoch == epoch) {
                return source;
            }
        }
        return null;
    }

    /** Whether datagrams of our stream were made that are not acknowledged with all before them. */
    boolean hasUnacknowledged() {
        return nextPsn != ackedPsn + 1;
    }

    /** Whether data came of another life than that which our stream is bound to, and since then none of that. */
    boolean isMadeAnew() {
        Source last = sources;
        for (Source source = sources; source != null; source = source.next) {
            if (last == null || source.lastHeardNanos - last.lastHeardNanos > 0) {
                last = source;
            }
        }
        return last != null && boundEpoch != 0 && last.epoch != boundEpoch;
    }

    void add(Source source) {
        source.next = sources;
        sources = source;
    }

    void remove(Source gone) {
        if (sources == gone) {
            sources = gone.next;
            return;
        }
        for (Source source = sources; source != null; source = source.next) {
            if (source.next == gone) {
                source.next = gone.next;
                return;
            }
        }
    }
}
