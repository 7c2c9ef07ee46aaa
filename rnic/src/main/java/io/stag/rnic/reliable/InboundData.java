package io.stag.rnic.reliable;

import io.stag.rnic.reliable.InboundOperations.Outcome;
import io.stag.verbs.DatagramRefusal;
import io.stag.wire.datagram.ReliableHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Data of peers, brought into order: each datagram takes effect once and after those before it (RD-021 to RD-024). */
final class InboundData {
    /** Datagrams after which an acknowledgement does not wait any more. */
    private static final int MOST_UNACKNOWLEDGED = 8;

    private final ReliableSettings settings;
    private final ReliableCounts counts;
    private final Peers peers;
    private final Conversations conversations;
    private final InboundOperations operations;
    private final Segment segment = new Segment();
    private final ArrayDeque<EarlyDatagrams> spares = new ArrayDeque<>();
    private final ArrayDeque<Source> owing = new ArrayDeque<>(); // whose acknowledgements wait for company
    private final SourceQueue awaitingReceives = new SourceQueue();
    private final SourceQueue awaitingAnswers = new SourceQueue();
    private final int early; // datagrams that may be early
    private long keptOctets;

    InboundData(
            ReliableSettings settings,
            ReliableCounts counts,
            Peers peers,
            Conversations conversations,
            InboundOperations operations) {
        this.settings = settings;
        this.counts = counts;
        this.peers = peers;
        this.conversations = conversations;
        this.operations = operations;
        early = Math.max(Long.SIZE, Integer.highestOneBit(Math.max(1, settings.credit() - 1)) << 1);
    }

    /** Takes a datagram whose header was read. @return why it is refused, or null */
    @Nullable
    DatagramRefusal take(
            Source source, ReliableHeader header, MemorySegment memory, int at, int length, long nowNanos) {
        if (!segment.read(memory, at, length)) {
            return DatagramRefusal.HEADER;
        }
        if (source.stream != header.stream()) {
            if (source.stream != 0 && header.stream() - source.stream < 0) {
                return DatagramRefusal.LATE;
            }
            giveUp(source);
            source.begin(header.stream());
        }
        if (source.answersLost) {
            return DatagramRefusal.FORMER_LIFE;
        }
        if (source.failed) {
            return null; // the peer was told, and will be again
        }
        int ahead = header.psn() - source.takenPsn;
        if (ahead > settings.credit()) {
            return DatagramRefusal.BEYOND_CREDIT;
        }
        source.echo = header.flow();
        source.echoNanos = nowNanos;
        Conversation conversation = conversations.with(source.peer, nowNanos);
        conversation.heardNanos = nowNanos;
        EarlyDatagrams here = source.early;
        if (here != null && here.has(source.takenPsn + 1)) {
            takeEarly(source, nowNanos); // it could not be taken when it was due
            if (source.failed) {
                return null; // by what was kept: the datagram at hand is too late
            }
            here = source.early;
            ahead = header.psn() - source.takenPsn;
            segment.read(memory, at, length);
        }
        if (ahead <= 0 || (here != null && here.has(header.psn()))) {
            counts.duplicates++;
            acknowledgeNow(source, conversation);
            return null;
        }
        if (ahead > 1) {
            counts.outOfOrder++;
            keep(source, header.psn(), nowNanos);
            acknowledgeNow(source, conversation);
            return null;
        }
        boolean gap = here != null;
        if (takeNext(source, nowNanos)) {
            takeEarly(source, nowNanos);
        }
        acknowledge(source, conversation, gap || (header.flags() & ReliableHeader.ACK_WANTED_FLAG) != 0, nowNanos);
        return null;
    }

    private boolean takeNext(Source source, long nowNanos) {
        Outcome outcome = operations.take(source, segment, nowNanos);
        switch (outcome) {
            case TAKEN -> {
                source.takenPsn++;
                peers.took(source, nowNanos);
                source.lastTakenNanos = nowNanos;
                source.unacknowledged++;
                SourceQueue.leave(source);
            }
            case NOT_READY -> putOff(source);
            case REFUSED -> giveUp(source);
        }
        return outcome == Outcome.TAKEN;
    }

    /** What came early and is due now. */
    private void takeEarly(Source source, long nowNanos) {
        EarlyDatagrams here = source.early;
        while (here != null && here.has(source.takenPsn + 1)) {
            int psn = source.takenPsn + 1;
            MemorySegment copy = here.copy(psn);
            if (copy == null) {
                here.remove(psn);
                source.takenPsn = psn; // a Write, in its place already
                continue;
            }
            segment.read(copy, 0, (int) copy.byteSize());
            if (!takeNext(source, nowNanos)) {
                return; // it stays for when it can be taken, or the stream is over
            }
            here.remove(psn);
            keptOctets -= copy.byteSize();
        }
        if (here != null && here.isEmpty()) {
            release(source, here);
        }
    }

    private void keep(Source source, int psn, long nowNanos) {
        MemorySegment copy = null;
        if (segment.opcode == RdmapOpcode.RDMA_WRITE) {
            if (!operations.placeEarly(segment)) {
                counts.notKept++;
                return;
            }
            peers.took(source, nowNanos);
        } else {
            if (keptOctets + segment.length > settings.maxReorderOctets()) {
                counts.notKept++;
                return;
            }
            copy = MemorySegment.ofArray(
                    segment.memory.asSlice(segment.at, segment.length).toArray(ValueLayout.JAVA_BYTE));
            keptOctets += segment.length;
        }
        EarlyDatagrams here = source.early;
        if (here == null) {
            here = spares.poll();
            if (here == null) {
                here = new EarlyDatagrams(early);
            }
            source.early = here;
        }
        here.add(psn, copy);
    }

    private void release(Source source, EarlyDatagrams here) {
        source.early = null;
        spares.push(here);
    }

    private void acknowledgeNow(Source source, Conversation conversation) {
        source.acknowledgeNow = true;
        conversations.ready(conversation);
    }

    private void acknowledge(Source source, Conversation conversation, boolean atOnce, long nowNanos) {
        if (atOnce
                || source.isPutOff()
                || source.early != null
                || source.unacknowledged >= Math.min(MOST_UNACKNOWLEDGED, Math.max(1, settings.credit() / 4))) {
            acknowledgeNow(source, conversation);
        } else if (!source.acknowledgeLater) {
            source.acknowledgeLater = true;
            if (!source.owing) {
                source.owing = true;
                owing.add(source);
            }
            conversations.armBy(conversation, nowNanos + settings.ackDelayNanos());
        }
    }

    boolean owesAcknowledgements() {
        return !owing.isEmpty();
    }

    /** Acknowledgements that waited for company are due. @return whether there are any */
    boolean acknowledgeAll() {
        boolean any = false;
        for (Source source = owing.poll(); source != null; source = owing.poll()) {
            source.owing = false;
            Conversation conversation = source.peer.conversation;
            if (source.acknowledgeLater && conversation != null) {
                acknowledgeNow(source, conversation);
                any = true;
            }
        }
        return any;
    }

    /** A Read waits for others to be answered, all else for a receive. */
    private void putOff(Source source) {
        boolean read = segment.opcode == RdmapOpcode.READ_REQUEST || segment.opcode == RdmapOpcode.ATOMIC_REQUEST;
        if (!read) {
            counts.notReady++;
        }
        (read ? awaitingAnswers : awaitingReceives).add(source);
    }

    /** Sources whose next message was put off. */
    int putOff() {
        return awaitingReceives.size() + awaitingAnswers.size();
    }

    /** Receives were posted: whoever was told to wait for them may go on. */
    void receivesPosted(long nowNanos) {
        tryAgain(awaitingReceives, nowNanos);
    }

    /** Reads were answered: others may be taken. */
    void readsAnswered(long nowNanos) {
        tryAgain(awaitingAnswers, nowNanos);
    }

    private void tryAgain(SourceQueue putOff, long nowNanos) {
        for (int waiting = putOff.size(); waiting > 0; waiting--) { // whoever has to wait again does so behind them
            Source source = putOff.poll();
            if (source != null && !source.failed) {
                takeEarly(source, nowNanos);
                acknowledgeNow(source, conversations.with(source.peer, nowNanos));
            }
        }
    }

    /** What the stream of a source left half done is given up. */
    void giveUp(Source source) {
        operations.giveUp(source);
        SourceQueue.leave(source);
        EarlyDatagrams here = source.early;
        if (here != null) {
            keptOctets -= here.octets();
            here.clear();
            release(source, here);
        }
    }
}
