package io.stag.rnic.reliable;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.AtomicMemory;
import io.stag.rnic.memory.InvalidateResult;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.reliable.InboundOperations.Outcome;
import io.stag.rnic.reliable.PeerFaults.Shown;
import io.stag.rnic.work.ScatterCopy;
import io.stag.rnic.work.SendWork;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What peers answer to our requests: data of Reads, values of atomics, and Terminates. */
final class InboundAnswers {
    private final ReliableSettings settings;
    private final ReliableCounts counts;
    private final StagTable stags;
    private final ScatterCopy copy;
    private final Requests requests;
    private final Conversations conversations;
    private final PeerFaults faults;
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();
    private final TerminateHeader terminate = new TerminateHeader();
    private final UntaggedHeader culpritHeader = new UntaggedHeader();
    private final MemorySegment result = MemorySegment.ofArray(new long[1]);

    InboundAnswers(
            ReliableSettings settings,
            ReliableCounts counts,
            StagTable stags,
            ScatterCopy copy,
            Requests requests,
            Conversations conversations,
            PeerFaults faults) {
        this.settings = settings;
        this.counts = counts;
        this.stags = stags;
        this.copy = copy;
        this.requests = requests;
        this.conversations = conversations;
        this.faults = faults;
    }

    /** The oldest request of ours to this life of the peer that awaits an answer, or null. */
    private static @Nullable Outgoing oldest(Source source) {
        Conversation conversation = source.peer.conversation;
        if (conversation == null || source.peer.boundEpoch != source.epoch) {
            return null;
        }
        Outgoing message = conversation.requests.first();
        while (message != null
                && message.begun
                && (message.answered || !message.request().kind.awaitsResponse() || message.failure != null)) {
            message = message.next;
        }
        return message != null && message.begun ? message : null;
    }

    Outcome readResponse(Source source, Segment segment, long nowNanos) {
        Outgoing message = oldest(source);
        if (message == null || segment.stag() != message.request().sinkStag) {
            return isForgotten(message, segment.stag())
                    ? Outcome.TAKEN
                    : refuse(
                            source,
                            segment,
                            "a Read Response to request " + segment.stag() + ", which was not made",
                            nowNanos);
        }
        SendWork read = message.request();
        if (read.kind != WorkKind.READ) {
            return refuse(source, segment, "a Read Response to " + read.kind, nowNanos);
        }
        long left = read.buffers.total() - read.placed;
        if (segment.taggedOffset() != read.placed
                || segment.payload > left
                || segment.last != (segment.payload == left)) {
            return refuse(
                    source,
                    segment,
                    String.format(
                            Locale.ROOT,
                            "a %s Read Response segment of %d octets at offset %d; due are %d octets from %d",
                            segment.last ? "last" : "middle",
                            segment.payload,
                            segment.taggedOffset(),
                            left,
                            read.placed),
                    nowNanos);
        }
        AccessCheck check = copy.place(read.buffers, read.placed, segment.memory, segment.payloadAt, segment.payload);
        if (check != AccessCheck.OK) {
            return failBuffer(source, message, check);
        }
        read.placed += segment.payload;
        return segment.last ? answered(source, message) : Outcome.TAKEN;
    }

    /** Requests of a stream that failed may still be answered; nobody waits for that any more. */
    private static boolean isForgotten(@Nullable Outgoing oldest, int request) {
        return oldest == null || request - oldest.request().sinkStag < 0;
    }

    Outcome atomicResponse(Source source, Segment segment, long nowNanos) {
        if (segment.payload != AtomicResponseHeader.LENGTH || !segment.last || segment.messageOffset() != 0) {
            return refuse(
                    source,
                    segment,
                    "an Atomic Response with " + segment.payload + " octets; it has 12, in one segment",
                    nowNanos);
        }
        if (segment.msn() != source.responseMsn) {
            return refuse(
                    source,
                    segment,
                    "an Atomic Response with MSN " + Integer.toUnsignedString(segment.msn()) + " where "
                            + Integer.toUnsignedString(source.responseMsn) + " was due",
                    nowNanos);
        }
        source.responseMsn++;
        atomicResponse.wrap(segment.memory, segment.payloadAt);
        int request = atomicResponse.originalRequestIdentifier();
        Outgoing message = oldest(source);
        if (message == null || request != message.request().sinkStag) {
            return isForgotten(message, request)
                    ? Outcome.TAKEN
                    : refuse(
                            source,
                            segment,
                            "an Atomic Response to request " + request + ", which was not made",
                            nowNanos);
        }
        if (message.request().kind == WorkKind.READ) {
            return refuse(source, segment, "an Atomic Response to a Read", nowNanos);
        }
        // the result goes to memory in the byte order of this machine (RFC 7306, section 5.1)
        result.set(ValueLayout.JAVA_LONG, 0, atomicResponse.originalRemoteDataValue());
        AccessCheck check = copy.place(message.request().buffers, 0, result, 0, AtomicMemory.WIDTH);
        return check == AccessCheck.OK ? answered(source, message) : failBuffer(source, message, check);
    }

    private Outcome answered(Source source, Outgoing message) {
        SendWork request = message.request();
        Conversation conversation = conversation(source);
        if (request.invalidate) {
            int sink = request.buffers.region(0).stag();
            InvalidateResult invalidated =
                    stags.invalidate(sink, settings.domain(), settings.queuePair(), false, false);
            if (invalidated != InvalidateResult.OK) {
                requests.failStream(
                        conversation,
                        message,
                        CompletionStatus.MW_BIND_ERR,
                        ErrorDetail.of(
                                Layer.VERBS,
                                "RDMA verbs §7.8",
                                String.format(
                                        Locale.ROOT,
                                        "the sink of a Read with local invalidation, STag 0x%08x: %s",
                                        sink,
                                        invalidated.text())));
                return Outcome.TAKEN;
            }
        }
        counts.messagesReceived++;
        message.answered = true;
        conversation.outstandingReads--;
        requests.completeInOrder(conversation);
        conversations.ready(conversation);
        return Outcome.TAKEN;
    }

    private static Conversation conversation(Source source) {
        Conversation conversation = source.peer.conversation;
        if (conversation == null) {
            throw new IllegalStateException("a request without conversation");
        }
        return conversation;
    }

    /** Our own buffer is at fault: our stream ends, the peer's goes on. */
    private Outcome failBuffer(Source source, Outgoing message, AccessCheck check) {
        requests.failStream(
                conversation(source),
                message,
                check.localStatus(),
                ErrorDetail.of(
                        Layer.VERBS,
                        "RDMA verbs §8.1",
                        "a buffer of a " + message.request().kind + ": " + check.text()));
        return Outcome.TAKEN;
    }

    private Outcome refuse(Source source, Segment segment, String fact, long nowNanos) {
        faults.refuse(source, segment, Shown.DDP_HEADER, TerminateCode.RDMAP_UNEXPECTED_OPCODE, fact, nowNanos);
        return Outcome.REFUSED;
    }

    /** The peer takes nothing more of our stream; which one is in the place of the MSN. It is never answered. */
    Outcome terminate(Source source, Segment segment) {
        Peer peer = source.peer;
        Conversation conversation = peer.conversation;
        if (conversation == null
                || peer.boundEpoch != source.epoch
                || peer.stream != segment.msn()
                || !terminate.wrap(segment.memory, segment.payloadAt, segment.payload)) {
            return Outcome.TAKEN; // an old story, or nonsense
        }
        Optional<TerminateCode> known = TerminateCode.of(terminate.code());
        CompletionStatus status = known.isPresent() && isAccess(known.get())
                ? CompletionStatus.REM_ACCESS_ERR
                : CompletionStatus.REM_OP_ERR;
        ErrorDetail detail = new ErrorDetail(
                known.isPresent() && known.get().layer() == TerminateCode.Layer.DDP ? Layer.DDP : Layer.RDMAP,
                known.map(TerminateCode::clause).orElse("RFC 5040 §4.8"),
                "the peer " + peer.address.object() + " ended the stream: "
                        + known.map(TerminateCode::meaning).orElse("unassigned code"),
                terminate.code());
        requests.failStream(conversation, culprit(conversation, segment), status, detail);
        return Outcome.TAKEN;
    }

    private static boolean isAccess(TerminateCode code) {
        return switch (code.layer()) {
            case RDMAP, DDP -> code.type() == 1;
            case LLP -> false;
        };
    }

    /** The request that the included header names: a Read or atomic by its MSN, else the first that was not taken. */
    private @Nullable Outgoing culprit(Conversation conversation, Segment segment) {
        if (terminate.ddpHeaderLength() == UntaggedHeader.LENGTH) {
            culpritHeader.wrap(segment.memory, terminate.ddpHeaderOffset());
            if (culpritHeader.queueNumber() == RdmapOpcode.READ_REQUEST_QUEUE) {
                for (Outgoing message = conversation.requests.first();
                        message != null && message.begun;
                        message = message.next) {
                    if (message.msn == culpritHeader.msn()
                            && message.request().kind.awaitsResponse()) {
                        return message;
                    }
                }
            }
        }
        Peer peer = conversation.peer();
        int first = peer.ackedPsn + 1;
        if (first == peer.nextPsn) {
            return null;
        }
        Outgoing message = conversation.packets.message(first);
        return message.kind == Outgoing.Kind.REQUEST ? message : null;
    }
}
