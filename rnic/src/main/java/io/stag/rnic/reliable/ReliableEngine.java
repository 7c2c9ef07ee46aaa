package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.datagram.ReceivePool;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.ScatterCopy;
import io.stag.rnic.work.SendQueue;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of one reliable datagram queue pair: requests and datagrams in, datagrams and completions out. It does no I/O
 * and reads no clock.
 *
 * <p>After requests were posted, after {@link #handle} and after {@link #handleTimeout}, ask {@link #hasOutput}; while it says
 * so, call {@link #fill}, hand the datagrams to a port, and tell with {@link #transmitted} how many entries it took. When
 * nothing came at a poll, call {@link #acknowledge} first. All calls may change {@link #nextDeadline}.
 */
public final class ReliableEngine {
    /** Answers to datagrams for former lives that may wait; more are not answered, and come again. */
    private static final int MOST_REFUSALS = 64;

    private final ReliableSettings settings;
    private final ReliableCounts counts;
    private final ReliableOwner owner;
    private final Peers peers;
    private final Conversations conversations;
    private final Requests requests;
    private final PeerFaults faults;
    private final Acknowledgements acknowledgements;
    private final Transmission transmission;
    private final InboundData data;
    private final DatagramWriter writer;
    private final ArrayDeque<Refusal> refusals = new ArrayDeque<>();
    private final DatagramAddress stray = new DatagramAddress(); // who last answered though nothing was sent there
    private final ArrayDeque<Refusal> spareRefusals = new ArrayDeque<>();
    private final ReliableHeader header = new ReliableHeader();
    private final Crc32c crc = new Crc32c();
    private final DatagramAddress culprit = new DatagramAddress();
    private boolean receivesPosted;
    private volatile long roundTripNanos;
    private volatile int window;

    /** An engine that knows nobody yet. */
    public ReliableEngine(
            ReliableSettings settings,
            ReliableCounts counts,
            SendQueue sends,
            ReceiveQueue receives,
            StagTable stags,
            ReliableOwner owner) {
        this.settings = settings;
        this.counts = counts;
        this.owner = owner;
        ScatterCopy copy = new ScatterCopy(settings.domain(), settings.queuePair());
        peers = new Peers(settings, new Forgetting());
        conversations = new Conversations(settings);
        requests = new Requests(sends, peers, conversations, counts, owner);
        faults = new PeerFaults(counts, owner, requests, conversations);
        writer = new DatagramWriter(settings, stags, copy);
        MessageBeginning beginning = new MessageBeginning(settings, requests, copy, faults, stags);
        transmission = new Transmission(settings, counts, conversations, requests, writer, faults, beginning);
        acknowledgements = new Acknowledgements(settings.epoch(), counts, owner, requests, conversations);
        InboundAnswers answers = new InboundAnswers(settings, counts, stags, copy, requests, conversations, faults);
        InboundOperations operations = new InboundOperations(
                settings,
                counts,
                stags,
                new ReceivePool(receives, owner::receiveTaken),
                copy,
                owner,
                requests,
                conversations,
                faults,
                answers);
        data = new InboundData(settings, counts, peers, conversations, operations);
    }

    /** The longest payload, a multiple of 64, in datagrams of up to {@code datagramLength} octets. */
    public static int segmentLength(int datagramLength) {
        return (datagramLength - DatagramWriter.OVERHEAD) / DatagramPrefix.BLOCK * DatagramPrefix.BLOCK;
    }

    /** What is left of those that are forgotten. */
    private final class Forgetting implements Peers.Forgetter {
        @Override
        public void forget(Source source) {
            data.giveUp(source);
            requests.forget(source);
            source.acknowledged();
        }

        @Override
        public void forget(Peer peer) {
            requests.forget(peer);
        }
    }

    // what comes

    /** Takes everything that {@code input} holds, which came at about {@code nowNanos}. */
    public void handle(DatagramInput input, long nowNanos) {
        for (int slot = 0; slot < input.count(); slot++) {
            int at = DatagramInput.offset(slot);
            int end = at + input.length(slot);
            counts.octetsReceived += input.length(slot);
            do {
                int length = Math.min(input.segmentSize(slot), end - at);
                counts.datagramsReceived++;
                DatagramRefusal refusal = handle(input, slot, at, length, nowNanos);
                if (refusal != null) {
                    refuse(refusal, input, slot, length);
                }
                at += length;
            } while (at < end);
        }
    }

    private @Nullable DatagramRefusal handle(DatagramInput input, int slot, int at, int length, long nowNanos) {
        int octets = length - Crc32c.LENGTH;
        if (octets < ReliableHeader.LENGTH || !header.wrap(input.segment(), at, octets)) {
            return DatagramRefusal.TOO_SHORT;
        }
        if (header.version() != DatagramPrefix.VERSION) {
            return DatagramRefusal.VERSION;
        }
        crc.reset();
        crc.update(input.buffer(), at, octets);
        if (crc.value() != Crc32c.getWire(input.segment(), (long) at + octets)) {
            return DatagramRefusal.CRC;
        }
        int kind = header.kind();
        if (kind != DatagramPrefix.DATA && kind != DatagramPrefix.ACKNOWLEDGEMENT && kind != DatagramPrefix.REFUSAL) {
            return DatagramRefusal.KIND;
        }
        if (!header.isLengthRight(octets)) {
            return DatagramRefusal.LAYOUT;
        }
        if (header.epoch() == 0) {
            return DatagramRefusal.HEADER;
        }
        if (header.peerEpoch() != 0 && header.peerEpoch() != settings.epoch()) {
            if (kind == DatagramPrefix.DATA || isQuestion(kind)) {
                answerRefusal(input, slot);
            }
            return DatagramRefusal.FORMER_LIFE;
        }
        long high = input.sourceHigh(slot);
        long low = input.sourceLow(slot);
        int port = input.sourcePort(slot);
        int scope = input.sourceScope(slot);
        if (kind != DatagramPrefix.DATA) {
            Peer peer = peers.find(high, low, port, scope);
            if (isQuestion(kind) && !isKnown(peer, nowNanos)) {
                answerRefusal(input, slot);
            }
            if (peer != null) {
                handleAnswer(peer, kind, nowNanos);
            } else if (header.peerEpoch() == settings.epoch()) {
                stray.set(high, low, port, scope);
            }
            return null;
        }
        if (header.stream() == 0) {
            return DatagramRefusal.HEADER;
        }
        Peer peer = peers.admit(high, low, port, scope, nowNanos);
        Source source = peer == null ? null : peers.admit(peer, header.epoch(), nowNanos);
        if (peer == null || source == null) {
            return DatagramRefusal.TOO_MANY_SOURCES;
        }
        peers.touch(peer, nowNanos);
        source.lastHeardNanos = nowNanos;
        acknowledgements.take(peer, header, false, nowNanos);
        header.wrap(input.segment(), at, octets);
        DatagramRefusal refusal = data.take(
                source, header, input.segment(), at + ReliableHeader.LENGTH, octets - ReliableHeader.LENGTH, nowNanos);
        if (refusal == DatagramRefusal.FORMER_LIFE) {
            answerRefusal(input, slot);
        }
        return refusal;
    }

    /** An acknowledgement that wants to know whether we are still there, and know its stream (RD-036). */
    private boolean isQuestion(int kind) {
        return kind == DatagramPrefix.ACKNOWLEDGEMENT && (header.flags() & ReliableHeader.ACK_WANTED_FLAG) != 0;
    }

    private boolean isKnown(@Nullable Peer peer, long nowNanos) {
        Source source = peer == null ? null : peer.source(header.epoch());
        if (source == null || source.stream != header.stream() || source.answersLost) {
            return false;
        }
        source.lastHeardNanos = nowNanos;
        source.acknowledgeNow = true;
        conversations.ready(conversations.with(source.peer, nowNanos));
        return true;
    }

    private void handleAnswer(Peer peer, int kind, long nowNanos) {
        if (kind == DatagramPrefix.REFUSAL) {
            refused(peer);
            return;
        }
        peers.touch(peer, nowNanos);
        acknowledgements.take(peer, header, true, nowNanos);
        Conversation conversation = peer.conversation;
        if (conversation != null) {
            roundTripNanos = conversation.roundTrip.smoothed();
            window = conversation.congestion.datagrams();
            conversations.arm(conversation, nowNanos);
        }
    }

    /** The life of the peer that our stream was bound to is over (RD-013). */
    private void refused(Peer peer) {
        Conversation conversation = peer.conversation;
        if (peer.stream == 0
                || peer.stream != header.stream()
                || peer.boundEpoch == 0
                || header.peerEpoch() != settings.epoch()) {
            return;
        }
        if (conversation == null) {
            peer.close();
            return;
        }
        requests.failStream(
                conversation,
                null,
                CompletionStatus.REM_OP_ERR,
                ErrorDetail.of(
                        Layer.TRANSPORT,
                        "RD-013",
                        "the queue pair at " + peer.address.object()
                                + (peer.boundEpoch == header.epoch()
                                        ? " has forgotten this one"
                                        : " is not the one that requests were sent to: it was made anew")));
    }

    private void answerRefusal(DatagramInput input, int slot) {
        if (refusals.size() == MOST_REFUSALS) {
            return;
        }
        Refusal refusal = spareRefusals.poll();
        if (refusal == null) {
            refusal = new Refusal();
        }
        refusal.address.set(
                input.sourceHigh(slot), input.sourceLow(slot), input.sourcePort(slot), input.sourceScope(slot));
        refusal.epoch = header.epoch();
        refusal.stream = header.stream();
        refusal.psn = header.psn();
        refusals.add(refusal);
    }

    private void refuse(DatagramRefusal reason, DatagramInput input, int slot, int length) {
        counts.refused(reason);
        boolean blamed = switch (reason) {
            case VERSION, KIND, HEADER, LAYOUT, TOO_MANY_SOURCES, BEYOND_CREDIT -> true;
            default -> false; // what a network does to datagrams is nobody's error
        };
        if (!blamed) {
            return;
        }
        if (owner.wantsRefusals()) {
            culprit.set(input.sourceHigh(slot), input.sourceLow(slot), input.sourcePort(slot), input.sourceScope(slot));
            owner.refused(reason, culprit, "a datagram of " + length + " octets");
        } else {
            counts.errorsDropped++;
        }
    }

    // what goes

    /** Whether {@link #fill} might append something. */
    public boolean hasOutput() {
        return receivesPosted
                || transmission.hasAnswered()
                || requests.arePosted()
                || conversations.isAnyReady()
                || !refusals.isEmpty();
    }

    /** Appends datagrams until there is nothing more to send now, or no room. */
    public void fill(DatagramOutput output, long nowNanos) {
        if (receivesPosted) {
            receivesPosted = false;
            data.receivesPosted(nowNanos);
        }
        if (transmission.takeAnswered()) {
            data.readsAnswered(nowNanos);
        }
        requests.takePosted(nowNanos);
        while (!refusals.isEmpty() && DatagramWriter.hasRoom(output)) {
            Refusal refusal = refusals.remove();
            writer.writeRefusal(refusal, output);
            spareRefusals.push(refusal);
        }
        transmission.fill(output, nowNanos);
    }

    /** The port took this many entries of what {@link #fill} appended, and refused the next one if it has said so. */
    public void transmitted(DatagramOutput output, int taken) {
        transmission.transmitted(output, taken);
    }

    /** Nothing else came: acknowledgements that waited for company are due now. @return whether there are any */
    public boolean acknowledge() {
        return data.acknowledgeAll();
    }

    /** Whether acknowledgements wait for company; perhaps they have left already. */
    public boolean owesAcknowledgements() {
        return data.owesAcknowledgements();
    }

    /** Receives were posted: peers that wait for them may go on. */
    public void receivesPosted() {
        receivesPosted = true;
    }

    // time

    /** When {@link #handleTimeout} is due; perhaps earlier than needed, never later. */
    public long nextDeadline() {
        return Math.min(conversations.nextDeadline(), peers.nextDeadline());
    }

    /** The same without deadlines that are not needed any more. */
    public long settledDeadline(long nowNanos) {
        conversations.settleDeadlines(nowNanos);
        return nextDeadline();
    }

    /** Sends again, gives up, forgets. Everything that came before should have been handled. */
    public void handleTimeout(long nowNanos) {
        for (Conversation due = conversations.takeDue(nowNanos); due != null; due = conversations.takeDue(nowNanos)) {
            handleTimeout(due, nowNanos);
        }
        if (peers.nextDeadline() <= nowNanos) {
            peers.forgetSilent(nowNanos);
        }
    }

    private void handleTimeout(Conversation conversation, long nowNanos) {
        if (conversations.isOver(conversation, nowNanos)) {
            conversations.end(conversation);
            return;
        }
        peers.forgetSilentLives(conversation.peer(), nowNanos);
        for (Source source = conversation.peer().sources; source != null; source = source.next) {
            if (source.acknowledgeLater && nowNanos - source.echoNanos >= settings.ackDelayNanos()) {
                source.acknowledgeNow = true;
            }
        }
        if (conversation.isExpired(settings.giveUpNanos(), nowNanos)) {
            giveUp(conversation);
        } else if (conversation.heldUntilNanos != 0) {
            if (conversation.heldUntilNanos <= nowNanos) {
                conversation.heldUntilNanos = 0;
                conversation.activityNanos = nowNanos;
            }
        } else if (conversation.inFlight > 0 || conversation.isStuck()) {
            acknowledgements.detectLosses(conversation, nowNanos);
            if ((conversation.inFlight > 0 || conversation.isStuck())
                    && Conversations.timeoutAt(conversation) <= nowNanos) {
                timedOut(conversation, nowNanos);
            }
        } else if (conversation.awaitsAnswer() && conversations.askAt(conversation) <= nowNanos) {
            if (nowNanos - conversation.progressNanos >= settings.giveUpNanos()) {
                giveUp(conversation);
            } else {
                conversation.activityNanos = nowNanos;
                conversation.askWanted = true;
                if (conversation.awaitsCredit()) {
                    owner.stalled(conversation.peer().address);
                }
            }
        }
        conversations.ready(conversation);
        conversations.arm(conversation, nowNanos);
    }

    private void giveUp(Conversation conversation) {
        requests.failStream(
                conversation,
                null,
                CompletionStatus.RESP_TIMEOUT_ERR,
                ErrorDetail.of(
                        Layer.TRANSPORT,
                        "RD-014",
                        "nothing was acknowledged by "
                                + conversation.peer().address.object() + " for " + settings.giveUpNanos() / 1_000_000
                                + " ms" + strayAnswers(conversation.peer())));
    }

    /** A machine with several addresses may answer from another one than it was asked at. */
    private String strayAnswers(Peer peer) {
        return stray.port() == peer.address.port()
                ? ", but answers came from " + stray.object()
                        + ", where nothing was sent: if that is the same machine, let it receive at one of its"
                        + " addresses"
                : "";
    }

    private void timedOut(Conversation conversation, long nowNanos) {
        Peer peer = conversation.peer();
        conversation.activityNanos = nowNanos;
        if (!conversation.probed) {
            conversation.probed = true;
            conversation.probeWanted = true;
            return;
        }
        counts.timeouts++;
        conversation.backoff++;
        int lost = conversation.markAllWaiting();
        conversation.forgetEarly();
        conversation.congestion.timedOut();
        owner.lossSeen(peer.address, lost, true);
    }

    // the error state

    /** Whether requests failed, so that no new ones are begun before {@link #reset}. Any thread. */
    public boolean isFailed() {
        return requests.isFailed();
    }

    /** The program has dealt with the failure. */
    public void reset() {
        requests.reset();
    }

    /** Nothing more will come: receives of messages that are not complete go back to their queue. */
    public void close() {
        peers.forgetAll();
    }

    // figures

    /** Peers that are remembered. Any thread, perhaps a little old. */
    public int peers() {
        return peers.count();
    }

    /** Peers with something on its way, either way. Any thread, perhaps a little old. */
    public int activePeers() {
        return conversations.active();
    }

    /** Lives of peers whose next message waits for a receive, or for answers to the Reads before it. */
    int putOff() {
        return data.putOff();
    }

    /** Smoothed round trip to the peer last heard, in nanoseconds. Any thread, perhaps a little old. */
    public long roundTripNanos() {
        return roundTripNanos;
    }

    /** Datagrams that may be on their way to the peer last heard. Any thread, perhaps a little old. */
    public int window() {
        return window;
    }
}
