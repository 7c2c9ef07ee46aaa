package io.stag.rnic.reliable;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.AtomicMemory;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.ScatterCopy;
import io.stag.rnic.work.SendWork;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import org.jspecify.annotations.Nullable;

/** Begins messages: which one is next, on which stream, with which numbers; and carries out atomic operations. */
@SuppressWarnings("ReferenceEquality") // it is about these very objects
final class MessageBeginning {
    private final ReliableSettings settings;
    private final Requests requests;
    private final ScatterCopy copy;
    private final PeerFaults faults;
    private final StagTable stags;
    private final AtomicMemory.Original original = new AtomicMemory.Original();
    private int lastStream;
    private int lastRequest;

    MessageBeginning(
            ReliableSettings settings, Requests requests, ScatterCopy copy, PeerFaults faults, StagTable stags) {
        this.settings = settings;
        this.requests = requests;
        this.copy = copy;
        this.faults = faults;
        this.stags = stags;
    }

    /** Begins the next message, if there is one that may begin. */
    @Nullable
    Outgoing next(Conversation conversation, long nowNanos) {
        while (true) {
            Outgoing response = conversation.responses.firstUnbegun();
            Outgoing request = conversation.requests.firstUnbegun();
            if (response != null && isForFormerLife(conversation.peer(), response)) {
                abandon(conversation, response);
                continue;
            }
            if (response != null && !mayBeginResponse(conversation, response)) {
                response = null;
            }
            if (request != null && !mayBeginRequest(conversation, request)) {
                request = null;
            }
            boolean answer = response != null && (request == null || conversation.responseTurn);
            Outgoing message = answer ? response : request;
            if (message == null) {
                return null;
            }
            conversation.responseTurn = !answer;
            openStream(conversation, message, nowNanos);
            if (answer) {
                conversation.responses.begin();
                if (message.kind == Outgoing.Kind.ATOMIC_RESPONSE) {
                    execute(message);
                }
                begin(conversation.peer(), message); // as what it is by now: a Terminate uses up no MSN
            } else if (!beginRequest(conversation, message)) {
                continue;
            }
            conversation.current = message;
            conversation.currentOffset = 0;
            return message;
        }
    }

    /** Our stream is bound to another life than the one that asked, which was heard later: that one is gone. */
    private static boolean isForFormerLife(Peer peer, Outgoing response) {
        Source asked = response.source;
        Source bound = peer.boundEpoch == 0 || peer.doubtful ? null : peer.source(peer.boundEpoch);
        return asked != null && bound != null && asked != bound && asked.lastHeardNanos - bound.lastHeardNanos < 0;
    }

    /** An answer that nobody waits for must not keep others waiting; should somebody ask, a refusal tells. */
    private void abandon(Conversation conversation, Outgoing response) {
        conversation.responses.begin();
        response.allSent = true;
        response.lastPsn = conversation.peer().ackedPsn;
        response.lost();
        requests.completeInOrder(conversation); // perhaps no acknowledgement comes any more that would do so
    }

    /** An answer goes to the life that asked, and to no other. */
    private static boolean mayBeginResponse(Conversation conversation, Outgoing response) {
        Peer peer = conversation.peer();
        if (response.kind == Outgoing.Kind.ATOMIC_RESPONSE && isReadBefore(conversation, response)) {
            return false;
        }
        return peer.stream == 0 || peer.boundEpoch == response.epoch || isBetweenStreams(conversation);
    }

    /** A Read that has to be sent again must not see what an atomic operation behind it has done. */
    private static boolean isReadBefore(Conversation conversation, Outgoing response) {
        Outgoing before = conversation.responses.first();
        while (before != null && before != response && before.kind != Outgoing.Kind.READ_RESPONSE) {
            before = before.next;
        }
        return before != null && before != response;
    }

    private static boolean isBetweenStreams(Conversation conversation) {
        return !conversation.requests.hasBegun()
                && !conversation.responses.hasBegun()
                && !conversation.peer().hasUnacknowledged();
    }

    /** Anybody can forge the address of a peer with an epoch of his own: what is answered to him must not take requests along. */
    private boolean mayBeginRequest(Conversation conversation, Outgoing request) {
        SendWork work = request.request();
        return !conversation.peer().doubtful
                && !(work.readFence && conversation.outstandingReads > 0)
                && !(work.kind.awaitsResponse() && conversation.outstandingReads >= settings.maxReads());
    }

    /** Opens a stream if there is none, the present one has been idle for long, or the life it is bound to seems to be over. */
    private void openStream(Conversation conversation, Outgoing message, long nowNanos) {
        Peer peer = conversation.peer();
        boolean answer = message.kind != Outgoing.Kind.REQUEST;
        if (peer.stream != 0 && isBetweenStreams(conversation)) {
            boolean old = nowNanos - peer.lastAckedNanos > settings.rememberNanos() / 3;
            if (old || (answer ? peer.boundEpoch != message.epoch : peer.isMadeAnew())) {
                peer.close();
            }
        }
        if (peer.stream == 0) {
            if (++lastStream == 0) {
                lastStream = 1;
            }
            peer.open(lastStream, answer ? message.epoch : 0, CongestionWindow.FIRST);
            peer.lastAckedNanos = nowNanos;
            conversation.streamEnded();
            conversation.firstWaiting = peer.nextPsn;
            conversation.progressNanos = nowNanos;
        }
    }

    /** Carries out an atomic operation, once; its answer keeps the value for as often as it has to be sent. */
    private void execute(Outgoing message) {
        Grant grant = stags.lookup(message.sourceStag);
        AccessCheck check = grant == null
                ? AccessCheck.INVALID_STAG
                : grant.check(
                        settings.domain(),
                        settings.queuePair(),
                        Rights.REMOTE_ATOMIC,
                        message.sourceOffset,
                        AtomicMemory.WIDTH);
        if (grant != null && check == AccessCheck.OK) {
            long offset = grant.offsetOf(message.sourceOffset);
            // it was aligned when it came: the owner may have registered other memory under the same STag since
            check = AtomicMemory.isAligned(grant.memory(), offset)
                    ? message.atomic.execute(grant, offset, original)
                    : AccessCheck.BOUNDS;
        }
        if (check == AccessCheck.OK) {
            message.value = original.value();
        } else {
            faults.becomeTerminate(message, check);
        }
    }

    private boolean beginRequest(Conversation conversation, Outgoing message) {
        SendWork work = message.request();
        int right = work.kind.awaitsResponse() ? Rights.LOCAL_WRITE : Rights.LOCAL_READ;
        AccessCheck check = copy.pin(work, right);
        if (check != AccessCheck.OK) {
            requests.failUnsent(
                    conversation,
                    message,
                    check.localStatus(),
                    ErrorDetail.of(Layer.VERBS, "RDMA verbs §8.1", "a buffer of a " + work.kind + ": " + check.text()));
            return false;
        }
        conversation.requests.begin();
        begin(conversation.peer(), message);
        if (work.kind.awaitsResponse()) {
            conversation.outstandingReads++;
        }
        return true;
    }

    private void begin(Peer peer, Outgoing message) {
        switch (message.kind) {
            case REQUEST -> {
                SendWork work = message.request();
                switch (work.kind) {
                    case SEND -> work.msn = peer.sendMsn++;
                    case IMMEDIATE, WRITE_IMMEDIATE -> message.msn = peer.sendMsn++;
                    case READ, FETCH_ADD, COMPARE_SWAP -> {
                        message.msn = peer.requestMsn++;
                        // no place: the peer gives it back as it is, and the answer is known by it
                        work.sinkStag = ++lastRequest;
                        work.sinkOffset = 0;
                    }
                    default -> {}
                }
            }
            case ATOMIC_RESPONSE -> message.msn = peer.responseMsn++;
            case READ_RESPONSE, TERMINATE -> {}
        }
    }
}
