package io.stag.rnic.reliable;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.rdmap.AccessErrors;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateCode;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What peers did wrong: they are told by a Terminate, and their stream is not taken any further (RD-025, RD-042). */
final class PeerFaults {
    /** Headers of the offending segment that a Terminate shows. */
    enum Shown {
        NONE,
        DDP_HEADER,
        READ_REQUEST
    }

    private final ReliableCounts counts;
    private final ReliableOwner owner;
    private final Requests requests;
    private final Conversations conversations;
    private final TerminateHeader header = new TerminateHeader();
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final byte[] payload = new byte[TerminateHeader.MAX_LENGTH];
    private final MemorySegment payloadMemory = MemorySegment.ofArray(payload);
    private final MemorySegment offender =
            MemorySegment.ofArray(new byte[UntaggedHeader.LENGTH + ReadRequestHeader.LENGTH]);

    PeerFaults(ReliableCounts counts, ReliableOwner owner, Requests requests, Conversations conversations) {
        this.counts = counts;
        this.owner = owner;
        this.requests = requests;
        this.conversations = conversations;
    }

    /** A segment broke a rule. */
    void refuse(Source source, Segment segment, Shown shown, TerminateCode code, String fact, long nowNanos) {
        Conversation conversation = conversations.with(source.peer, nowNanos);
        Outgoing message = waitingTerminate(conversation, source);
        if (message == null) {
            message = requests.newMessage(Outgoing.Kind.TERMINATE);
            message.epoch = source.epoch;
            message.source = source;
            conversation.responses.append(message);
        }
        message.answeredStream = source.stream;
        fillTerminate(message, shown, code, segment.length, segment.memory, segment.at);
        conversations.ready(conversation);
        fail(source, code, fact);
    }

    /** One that has not begun says what is new: a peer that goes from bad stream to bad stream piles up nothing. */
    private static @Nullable Outgoing waitingTerminate(Conversation conversation, Source source) {
        Outgoing message = conversation.responses.firstUnbegun();
        while (message != null && (message.kind != Outgoing.Kind.TERMINATE || message.epoch != source.epoch)) {
            message = message.next;
        }
        return message;
    }

    /** Like {@link #refuse}, for an access to our memory that is not granted. */
    void refuseAccess(
            Source source,
            Segment segment,
            Shown shown,
            TerminateCode code,
            String operation,
            int stag,
            long taggedOffset,
            AccessCheck check,
            long nowNanos) {
        refuse(source, segment, shown, code, accessText(operation, stag, taggedOffset, check), nowNanos);
    }

    private static String accessText(String operation, int stag, long taggedOffset, AccessCheck check) {
        return String.format(
                Locale.ROOT, "%s: STag 0x%08x, offset 0x%x: %s", operation, stag, taggedOffset, check.text());
    }

    /**
     * Memory that a peer reads is gone: what is left of the answer becomes the Terminate, in place of datagrams that have to
     * be sent again and as one more if there was more to come. If there was not, and the peer has got those datagrams, it
     * drops the Terminate as a duplicate, and its stream goes on.
     *
     * @param repeated whether the datagram that could not be made was sent before
     */
    void sourceGone(Conversation conversation, Outgoing message, boolean repeated, AccessCheck check) {
        if (repeated && message.allSent) {
            turnIntoTerminate(message, check);
        } else {
            becomeTerminate(message, check);
        }
        conversations.ready(conversation);
    }

    /** What was to be the answer to a Read or atomic operation becomes the Terminate. */
    void becomeTerminate(Outgoing message, AccessCheck check) {
        String operation = message.kind == Outgoing.Kind.ATOMIC_RESPONSE
                ? "atomic operation"
                : "RDMA Read of " + message.size + " octets";
        TerminateCode code = turnIntoTerminate(message, check);
        if (message.answersPresentStream()) {
            fail(source(message), code, accessText(operation, message.sourceStag, message.sourceOffset, check));
        }
    }

    private TerminateCode turnIntoTerminate(Outgoing message, AccessCheck check) {
        TerminateCode code = AccessErrors.ofReadOrAtomic(check);
        boolean atomic = message.kind == Outgoing.Kind.ATOMIC_RESPONSE;
        int opcode = atomic ? RdmapOpcode.ATOMIC_REQUEST : RdmapOpcode.READ_REQUEST;
        untagged.wrap(offender, 0);
        untagged.put(true, DdpControl.rdmap(opcode), 0, RdmapOpcode.READ_REQUEST_QUEUE, message.requestMsn, 0);
        readRequest.wrap(offender, UntaggedHeader.LENGTH);
        readRequest.put(
                message.sinkStag, message.sinkOffset, (int) message.size, message.sourceStag, message.sourceOffset);
        message.kind = Outgoing.Kind.TERMINATE;
        Shown shown = atomic ? Shown.DDP_HEADER : Shown.READ_REQUEST;
        fillTerminate(message, shown, code, (int) offender.byteSize(), offender, 0);
        return code;
    }

    private static Source source(Outgoing message) {
        Source source = message.source;
        if (source == null) {
            throw new IllegalStateException("an answer to nobody");
        }
        return source;
    }

    private void fillTerminate(
            Outgoing message, Shown shown, TerminateCode code, int segmentLength, MemorySegment headers, long at) {
        header.wrap(payloadMemory, 0, TerminateHeader.MAX_LENGTH);
        int length = switch (shown) {
            case NONE -> header.put(code.wireValue());
            case DDP_HEADER -> header.putWithDdpHeader(code.wireValue(), segmentLength, headers, at);
            case READ_REQUEST -> header.putWithReadRequest(code.wireValue(), segmentLength, headers, at);
        };
        message.terminate = Arrays.copyOf(payload, length);
        message.msn = message.answeredStream;
    }

    private void fail(Source source, TerminateCode code, String fact) {
        source.failed = true;
        counts.peersRefused++;
        Layer layer = code.layer() == TerminateCode.Layer.DDP ? Layer.DDP : Layer.RDMAP;
        owner.peerFailed(source.peer.address, new ErrorDetail(layer, code.clause(), fact, code.wireValue()));
    }
}
