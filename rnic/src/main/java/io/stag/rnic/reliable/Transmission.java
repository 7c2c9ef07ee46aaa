package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides what is sent next: to whom, which datagram, what is repeated, what is acknowledged. */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
final class Transmission {
    /** Datagrams to one peer before it is another one's turn. */
    private static final int QUANTUM = 64;

    /** Round trips shorter than this are not paced. */
    private static final long PACED_NANOS = 1_000_000;

    private static final int BURST_OCTETS = 65_536;
    private static final double PACE = 1.25;
    private static final int RECORDS = 1024;
    private static final long NOTHING = -1;

    private final ReliableSettings settings;
    private final ReliableCounts counts;
    private final Conversations conversations;
    private final Requests requests;
    private final DatagramWriter writer;
    private final PeerFaults faults;
    private final MessageBeginning beginning;
    private boolean answered; // a Read of a peer that has others waiting

    private final List<Appended> appended = new ArrayList<>(); // by the last fill, as many as were ever needed at once
    private int filled; // how many of them

    /** A datagram of the last fill: data of a conversation, or an acknowledgement for a source. */
    private static final class Appended {
        private @Nullable Conversation data;
        private @Nullable Source acknowledged;
        private int psn;
        private int entry;
    }

    Transmission(
            ReliableSettings settings,
            ReliableCounts counts,
            Conversations conversations,
            Requests requests,
            DatagramWriter writer,
            PeerFaults faults,
            MessageBeginning beginning) {
        this.settings = settings;
        this.counts = counts;
        this.conversations = conversations;
        this.requests = requests;
        this.writer = writer;
        this.faults = faults;
        this.beginning = beginning;
    }

    /** Whether a Read of a peer was answered, so that another one that had to wait may be taken. */
    boolean hasAnswered() {
        return answered;
    }

    /** The same, and from now on only what is answered later counts. */
    boolean takeAnswered() {
        boolean any = answered;
        answered = false;
        return any;
    }

    /** Appends datagrams until there is nothing more to send now, or no room. */
    void fill(DatagramOutput output, long nowNanos) {
        filled = 0;
        Conversation first = null;
        for (Conversation next = conversations.takeReady(); next != null; next = conversations.takeReady()) {
            if (!fill(next, output, nowNanos)) {
                conversations.ready(next); // there is more, or no room for it
                if (next == first || !hasRoom(output, settings.segmentLength())) {
                    return;
                }
                first = first == null ? next : first;
            }
            conversations.arm(next, nowNanos);
        }
    }

    private boolean hasRoom(DatagramOutput output, int payload) {
        return filled < RECORDS && output.hasRoom(DatagramWriter.lengthOf(payload));
    }

    /** @return false when it has more to send now */
    private boolean fill(Conversation conversation, DatagramOutput output, long nowNanos) {
        boolean done = fillData(conversation, output, nowNanos);
        return fillAcknowledgements(conversation, output, nowNanos) && done;
    }

    private boolean fillData(Conversation conversation, DatagramOutput output, long nowNanos) {
        for (int i = 0; i < QUANTUM; i++) {
            if (!mayStart(conversation, nowNanos)) {
                return true;
            }
            if (!hasRoom(output, settings.segmentLength())) {
                return false;
            }
            boolean probe = conversation.probeWanted;
            long psn = probe ? probe(conversation) : next(conversation, nowNanos);
            if (psn == NOTHING
                    || !write(conversation, (int) psn, probe, output, nowNanos)
                    || !pace(conversation, nowNanos)) {
                return true;
            }
        }
        return false;
    }

    private boolean mayStart(Conversation conversation, long nowNanos) {
        return conversation.heldUntilNanos == 0
                && (conversation.inFlight == 0 || conversation.nextSendNanos <= nowNanos)
                && !conversation.isExpired(settings.giveUpNanos(), nowNanos);
    }

    /** The last datagram on its way is sent once more: whatever is missing shows in the answer. */
    private static long probe(Conversation conversation) {
        conversation.probeWanted = false;
        Peer peer = conversation.peer();
        for (int psn = peer.nextPsn - 1; psn != peer.ackedPsn; psn--) {
            if (conversation.packets.state(psn) == PacketRing.SENT) {
                conversation.markWaiting(psn);
                return Integer.toUnsignedLong(psn);
            }
        }
        return NOTHING;
    }

    /** The datagram to send next: one that is to be repeated, or a new one. */
    private long next(Conversation conversation, long nowNanos) {
        Peer peer = conversation.peer();
        int window = conversation.held ? 1 : conversation.congestion.datagrams();
        boolean open = conversation.inFlight < window;
        if (conversation.waiting > 0) {
            conversation.limited |= !open;
            // one datagram at least is always on its way, or nothing would bring an answer
            return open || conversation.inFlight == 0 ? Integer.toUnsignedLong(conversation.nextWaiting()) : NOTHING;
        }
        Outgoing message = conversation.current;
        if (message == null) {
            message = beginning.next(conversation, nowNanos);
            if (message == null) {
                conversation.limited = false;
                return NOTHING;
            }
            conversation.waitBegins(nowNanos);
        }
        if (!open || peer.nextPsn - peer.creditEnd > 0 || peer.nextPsn - peer.ackedPsn > settings.maxWindow()) {
            conversation.limited = !open;
            return NOTHING;
        }
        conversation.waitBegins(nowNanos);
        return Integer.toUnsignedLong(append(conversation, message));
    }

    /** Makes the next datagram of a message. */
    private int append(Conversation conversation, Outgoing message) {
        Peer peer = conversation.peer();
        int psn = peer.nextPsn;
        conversation.packets.reserve(peer.ackedPsn + 1, psn);
        long total = message.length();
        long offset = conversation.currentOffset;
        boolean last;
        if (offset == PacketRing.IMMEDIATE) {
            conversation.packets.add(psn, message, offset, 0);
            last = true;
        } else {
            int length = hasPayload(message) ? (int) Math.min(settings.segmentLength(), total - offset) : 0;
            conversation.packets.add(psn, message, offset, length);
            offset += length;
            last = !hasPayload(message) || offset == total;
            if (last && message.kind == Outgoing.Kind.REQUEST && message.request().kind == WorkKind.WRITE_IMMEDIATE) {
                last = false;
                offset = PacketRing.IMMEDIATE;
            }
            conversation.currentOffset = offset;
        }
        peer.nextPsn = psn + 1;
        if (conversation.waiting++ == 0) {
            conversation.firstWaiting = psn;
        }
        if (last) {
            message.allSent = true;
            message.lastPsn = psn;
            conversation.current = null;
            Source source = message.source;
            message.freePlace();
            if (source != null && source.isPutOff()) {
                answered = true;
            }
        }
        return psn;
    }

    private static boolean hasPayload(Outgoing message) {
        return switch (message.kind) {
            case REQUEST ->
                switch (message.request().kind) {
                    case SEND, WRITE, WRITE_IMMEDIATE -> true;
                    default -> false;
                };
            case READ_RESPONSE -> true;
            case ATOMIC_RESPONSE, TERMINATE -> false;
        };
    }

    private boolean write(Conversation conversation, int psn, boolean probe, DatagramOutput output, long nowNanos) {
        Peer peer = conversation.peer();
        PacketRing packets = conversation.packets;
        Source acked = peer.boundEpoch == 0 ? null : peer.source(peer.boundEpoch);
        boolean repeated = packets.transmission(psn) >= 0;
        boolean wanted = probe || repeated || isLastForNow(conversation, psn);
        int entry = writer.writeData(conversation, psn, wanted, acked, output, nowNanos);
        if (entry < 0) {
            unreadable(conversation, packets.message(psn), repeated);
            return false;
        }
        conversation.sent(psn, nowNanos);
        if (repeated) {
            counts.retransmissions++;
        }
        if (acked != null && acked.early == null && !acked.isPutOff()) {
            acked.acknowledged();
        }
        note(conversation, null, psn, entry);
        return true;
    }

    /** Whoever may not go on without an answer asks for it at once. */
    private boolean isLastForNow(Conversation conversation, int psn) {
        Peer peer = conversation.peer();
        int window = Math.min(conversation.congestion.datagrams(), peer.creditEnd - peer.ackedPsn);
        return (conversation.inFlight + 1 >= window || psn == peer.creditEnd) && conversation.hasMoreThan(psn);
    }

    private void unreadable(Conversation conversation, Outgoing message, boolean repeated) {
        AccessCheck check = writer.lastCheck();
        if (message.kind == Outgoing.Kind.REQUEST) {
            requests.failStream(
                    conversation,
                    message,
                    check.localStatus(),
                    ErrorDetail.of(
                            Layer.VERBS,
                            "RDMA verbs §8.1",
                            "a buffer of a " + message.request().kind + " that was under way: " + check.text()));
        } else {
            faults.sourceGone(conversation, message, repeated, check);
        }
    }

    private boolean pace(Conversation conversation, long nowNanos) {
        long roundTrip = conversation.roundTrip.smoothed();
        if (roundTrip < PACED_NANOS) {
            return true;
        }
        if (conversation.inFlight == 1) { // nothing is ahead of it: a new row begins
            conversation.nextSendNanos = nowNanos;
            conversation.paced = 0;
            conversation.burst = 0;
        }
        double perDatagram = roundTrip / (PACE * Math.max(1, conversation.congestion.datagrams()));
        conversation.paced += perDatagram;
        conversation.burst += settings.segmentLength();
        if (conversation.burst + settings.segmentLength() <= BURST_OCTETS && conversation.paced < PACED_NANOS) {
            return true;
        }
        conversation.nextSendNanos =
                Math.max(conversation.nextSendNanos, nowNanos - PACED_NANOS) + (long) conversation.paced;
        conversation.paced = 0;
        conversation.burst = 0;
        return conversation.nextSendNanos <= nowNanos;
    }

    private void note(@Nullable Conversation data, @Nullable Source acknowledged, int psn, int entry) {
        if (filled == appended.size()) {
            appended.add(new Appended());
        }
        Appended datagram = appended.get(filled++);
        if (datagram.data != data) { // a store costs more, since the garbage collector keeps books of them
            datagram.data = data;
        }
        datagram.acknowledged = acknowledged;
        datagram.psn = psn;
        datagram.entry = entry;
    }

    private boolean fillAcknowledgements(Conversation conversation, DatagramOutput output, long nowNanos) {
        if (conversation.askWanted && DatagramWriter.hasRoom(output)) {
            conversation.askWanted = false;
            writer.writeQuestion(conversation.peer(), nowNanos, output);
        }
        for (Source source = conversation.peer().sources; source != null; source = source.next) {
            if (!source.acknowledgeNow) {
                continue;
            }
            if (filled == RECORDS || !DatagramWriter.hasRoom(output)) {
                return false;
            }
            int entry = writer.writeAcknowledgement(source, nowNanos, output);
            source.acknowledged();
            counts.acknowledgementsSent++;
            note(null, source, 0, entry);
        }
        return true;
    }

    /** The port took this many entries; what it did not take was not sent. */
    void transmitted(DatagramOutput output, int taken) {
        for (int i = 0; i < taken; i++) {
            counts.datagramsSent += output.segments(i);
            counts.octetsSent += output.length(i);
        }
        boolean refused = output.failure() != null;
        for (int i = 0; i < filled; i++) {
            Appended datagram = appended.get(i);
            // what the system refuses for good goes the way of what is lost: perhaps the route comes back
            if (datagram.entry >= taken && !(refused && datagram.entry == taken)) {
                takeBack(datagram.data, datagram.acknowledged, datagram.psn);
            }
            datagram.acknowledged = null; // who is forgotten may go; conversations are used again
        }
        filled = 0;
    }

    private void takeBack(@Nullable Conversation conversation, @Nullable Source acknowledged, int psn) {
        if (acknowledged != null) {
            acknowledged.acknowledgeNow = true;
            Conversation owing = acknowledged.peer.conversation;
            if (owing != null) {
                conversations.ready(owing);
            }
        }
        if (conversation != null && conversation.isUnderWay() && conversation.packets.state(psn) == PacketRing.SENT) {
            conversation.packets.unsend(psn);
            conversation.markWaiting(psn);
            conversations.ready(conversation);
        }
    }
}
