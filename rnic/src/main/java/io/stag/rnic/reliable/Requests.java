package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.work.SendQueue;
import io.stag.rnic.work.SendWork;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Requests of the program from the queue to their completion, and what a failure does to them (RD-040, RD-041). */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
final class Requests {
    private final SendQueue queue;
    private final Peers peers;
    private final Conversations conversations;
    private final ReliableCounts counts;
    private final ReliableOwner owner;
    private final ArrayDeque<Outgoing> spares = new ArrayDeque<>();
    private final ArrayDeque<SendWork> spareWork = new ArrayDeque<>();
    private @Nullable ErrorDetail cause; // of the error state

    Requests(SendQueue queue, Peers peers, Conversations conversations, ReliableCounts counts, ReliableOwner owner) {
        this.queue = queue;
        this.peers = peers;
        this.conversations = conversations;
        this.counts = counts;
        this.owner = owner;
    }

    boolean isFailed() {
        return cause != null;
    }

    /** What was posted before is flushed, even if nobody could take it from the queue until now. */
    void reset() {
        flushPosted();
        cause = null;
    }

    private void flushPosted() {
        ErrorDetail flushed = cause;
        while (flushed != null && queue.peekNext() != null) {
            complete(queue.take(spareWork.poll()), CompletionStatus.WR_FLUSH_ERR, flushed);
        }
    }

    boolean arePosted() {
        return queue.peekNext() != null;
    }

    /** A message to fill. */
    Outgoing newMessage(Outgoing.Kind kind) {
        Outgoing message = spares.poll();
        if (message == null) {
            message = new Outgoing();
        }
        message.kind = kind;
        return message;
    }

    void recycle(Outgoing message) {
        message.clear();
        spares.push(message);
    }

    /** Takes what was posted and lines it up with its peer. */
    void takePosted(long nowNanos) {
        flushPosted();
        while (queue.peekNext() != null) {
            SendWork work = queue.take(spareWork.poll());
            DatagramAddress to = destination(work);
            Peer peer = peers.admit(to.high(), to.low(), to.port(), to.scope(), nowNanos);
            if (peer == null) {
                ErrorDetail full = ErrorDetail.of(
                        Layer.VERBS,
                        "RD-015",
                        "the queue pair remembers as many peers as it may (maxPeers), and " + to.object()
                                + " is not among them");
                fail(to, full);
                complete(work, CompletionStatus.LOC_QP_OP_ERR, full);
                flushPosted();
                return;
            }
            Outgoing message = newMessage(Outgoing.Kind.REQUEST);
            message.work = work;
            peers.know(peer, nowNanos);
            peers.touch(peer, nowNanos);
            Conversation conversation = conversations.with(peer, nowNanos);
            conversation.requests.append(message);
            conversations.ready(conversation);
        }
    }

    private static DatagramAddress destination(SendWork work) {
        DatagramAddress destination = work.destination;
        if (destination == null) {
            throw new IllegalStateException("a request without destination");
        }
        return destination;
    }

    /** Completes requests from the oldest on, and lets go of answers that were acknowledged. */
    void completeInOrder(Conversation conversation) {
        Peer peer = conversation.peer();
        for (Outgoing first = conversation.requests.first();
                first != null && isDone(first, peer);
                first = conversation.requests.first()) {
            conversation.requests.removeFirst();
            CompletionStatus failure = first.failure;
            ErrorDetail detail = first.detail;
            SendWork work = first.request();
            recycle(first);
            if (failure == null) {
                counts.messagesSent++;
                complete(work, CompletionStatus.SUCCESS, null);
            } else {
                complete(work, failure, detail);
            }
        }
        for (Outgoing first = conversation.responses.first();
                first != null && isAcknowledged(first, peer);
                first = conversation.responses.first()) {
            recycle(conversation.responses.removeFirst());
        }
    }

    private static boolean isDone(Outgoing message, Peer peer) {
        return message.failure != null
                || (isAcknowledged(message, peer) && (!message.request().kind.awaitsResponse() || message.answered));
    }

    private static boolean isAcknowledged(Outgoing message, Peer peer) {
        return message.allSent && peer.ackedPsn - message.lastPsn >= 0;
    }

    private void complete(SendWork work, CompletionStatus status, @Nullable ErrorDetail detail) {
        long id = work.id;
        boolean told = work.signaled || status != CompletionStatus.SUCCESS;
        long length = work.payloadLength();
        spareWork.push(work);
        queue.retire(); // before its completion can be polled
        if (told) {
            owner.sendCompleted(id, work.kind.operation(), length, status, detail);
        }
    }

    /** A request failed before anything of it was sent: it completes in its turn. */
    void failUnsent(Conversation conversation, Outgoing message, CompletionStatus status, ErrorDetail detail) {
        message.failure = status;
        message.detail = detail;
        fail(conversation.peer().address, detail);
    }

    /**
     * Our stream to a peer is over: its requests fail, the one to blame with {@code status}, and those behind them. If it had
     * only answers, requests go on with another one.
     *
     * @param culprit the request to blame, or null for the oldest
     */
    void failStream(
            Conversation conversation, @Nullable Outgoing culprit, CompletionStatus status, ErrorDetail detail) {
        Peer peer = conversation.peer();
        counts.streamsFailed++;
        if (conversation.requests.hasBegun()) {
            failRequests(conversation, culprit, status, detail);
        }
        dropAnswers(conversation, Requests::isLostWithItsStream);
        peer.close();
        conversation.streamEnded();
        conversations.ready(conversation); // what had not begun goes on with another stream
    }

    private void failRequests(
            Conversation conversation, @Nullable Outgoing culprit, CompletionStatus status, ErrorDetail detail) {
        Outgoing blamed = culprit == null ? conversation.requests.first() : culprit;
        fail(conversation.peer().address, detail);
        while (!conversation.requests.isEmpty()) {
            Outgoing message = conversation.requests.removeFirst();
            CompletionStatus own = message.failure;
            SendWork work = message.request();
            boolean toBlame = message == blamed;
            recycle(message);
            complete(work, own != null ? own : toBlame ? status : CompletionStatus.WR_FLUSH_ERR, detail);
        }
    }

    /** Answers that have begun arrived or not; those behind them would be out of order without them. */
    private static boolean isLostWithItsStream(Outgoing answer) {
        Source source = answer.source;
        return answer.begun || (source != null && source.answersLost);
    }

    /** Nothing is begun any more for a source that is forgotten. */
    void forget(Source source) {
        Conversation conversation = source.peer.conversation;
        if (conversation != null) {
            dropAnswers(conversation, answer -> !answer.begun && answer.source == source);
        }
    }

    /** Nothing is said any more to a peer that is forgotten. */
    void forget(Peer peer) {
        Conversation conversation = peer.conversation;
        if (conversation != null) {
            dropAnswers(conversation, _ -> true);
            conversations.end(conversation);
        }
    }

    private void dropAnswers(Conversation conversation, Predicate<Outgoing> isDropped) {
        Outgoing answer = conversation.responses.removeAll();
        while (answer != null) {
            Outgoing behind = answer.next;
            answer.next = null;
            if (isDropped.test(answer)) {
                answer.lost();
                recycle(answer);
            } else {
                conversation.responses.append(answer);
            }
            answer = behind;
        }
    }

    /** The error state: what has not begun is flushed, whomever it is for. */
    private void fail(DatagramAddress peer, ErrorDetail detail) {
        if (cause == null) {
            cause = detail;
        }
        owner.sendingFailed(peer, detail); // whoever sees a request fail finds the error state
        conversations.forEach(this::flushUnbegun);
    }

    /** They complete in their turn: what began before them goes on. */
    private void flushUnbegun(Conversation conversation) {
        for (Outgoing message = conversation.requests.firstUnbegun(); message != null; message = message.next) {
            if (message.failure == null) {
                message.failure = CompletionStatus.WR_FLUSH_ERR;
                message.detail = cause;
            }
        }
        conversation.requests.beginNoMore();
        completeInOrder(conversation);
    }
}
