package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Grant;
import io.stag.rnic.memory.Placement;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.ScatterCopy;
import io.stag.rnic.work.SendWork;
import io.stag.rnic.work.WorkKind;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Writes datagrams: those of messages, again and again if need be, from the memory that the message names; acknowledgements;
 * refusals.
 */
final class DatagramWriter {
    /** Octets around the payload of an untagged segment; those of a tagged one are four fewer. */
    static final int OVERHEAD = ReliableHeader.LENGTH + UntaggedHeader.LENGTH + Crc32c.LENGTH;

    /** The highest bit of an echo: with it inverted it is that of a transmission long ago, or of none yet. */
    private static final int OLD_ECHO = 0x8000;

    private static final int LONGEST_ACKNOWLEDGEMENT =
            ReliableHeader.ACKNOWLEDGEMENT_LENGTH + ReliableHeader.MAX_WORDS * Long.BYTES + Crc32c.LENGTH;

    private final ReliableSettings settings;
    private final StagTable stags;
    private final ScatterCopy copy;
    private final ReliableHeader header = new ReliableHeader();
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final AtomicRequestHeader atomicRequest = new AtomicRequestHeader();
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();
    private final ImmediateData immediateData = new ImmediateData();
    private final Crc32c crc = new Crc32c();
    private AccessCheck lastCheck = AccessCheck.OK;
    private boolean mayLeave; // long payload where it is
    private @Nullable SendWork left; // whose payload is to be left, if it lies in one buffer
    private long leftOffset;

    DatagramWriter(ReliableSettings settings, StagTable stags, ScatterCopy copy) {
        this.settings = settings;
        this.stags = stags;
        this.copy = copy;
    }

    /** Why {@link #writeData} wrote nothing. */
    AccessCheck lastCheck() {
        return lastCheck;
    }

    /** Octets that {@link #writeData} appends at most. */
    static int lengthOf(int payload) {
        return OVERHEAD + Math.max(payload, AtomicRequestHeader.LENGTH);
    }

    /** Appends the datagram with this PSN. @return its entry in the output, or -1 when memory it names may not be read */
    int writeData(
            Conversation conversation,
            int psn,
            boolean ackWanted,
            @Nullable Source acked,
            DatagramOutput output,
            long nowNanos) {
        Peer peer = conversation.peer();
        PacketRing packets = conversation.packets;
        MemorySegment out = output.segment();
        int at = output.end();
        int payload = packets.length(psn);
        mayLeave = output.takesPiece(payload);
        int length = writeSegment(packets.message(psn), packets.offset(psn), payload, out, at + ReliableHeader.LENGTH);
        if (length < 0) {
            return -1;
        }
        header.wrap(out, at, ReliableHeader.LENGTH);
        header.put(
                DatagramPrefix.DATA,
                ackWanted ? ReliableHeader.ACK_WANTED_FLAG : 0,
                (int) peer.transmissions,
                settings.epoch(),
                peer.stream,
                peer.boundEpoch,
                psn,
                acked == null ? 0 : acked.stream,
                acked == null ? 0 : acked.takenPsn,
                acked == null ? 0 : echo(acked, nowNanos),
                settings.credit());
        SendWork unread = left;
        if (unread == null) {
            return finish(output, ReliableHeader.LENGTH + length, peer.address);
        }
        left = null;
        return finish(output, ReliableHeader.LENGTH + length - payload, unread, payload, peer.address);
    }

    /** Data does not say how long the echo waited: one that waited for long must not be taken for a round trip (RD-030). */
    private int echo(Source acked, long nowNanos) {
        return nowNanos - acked.echoNanos > settings.ackDelayNanos() ? acked.echo ^ OLD_ECHO : acked.echo;
    }

    /** Leaves payload where it is if that is possible, and copies it if not. */
    private int finish(DatagramOutput output, int headers, SendWork unread, int payload, DatagramAddress destination) {
        int at = output.end();
        crc.reset();
        crc.update(output.buffer(), at, headers);
        if (!copy.leave(unread, leftOffset, payload, crc, output.pieces(), at + headers)) {
            lastCheck = copy.gather(unread, leftOffset, payload, output.segment(), (long) at + headers);
            if (lastCheck != AccessCheck.OK) {
                return -1;
            }
            crc.update(output.buffer(), at + headers, payload);
        }
        return append(output, headers + payload, destination);
    }

    private int finish(DatagramOutput output, int length, DatagramAddress destination) {
        crc.reset();
        crc.update(output.buffer(), output.end(), length);
        return append(output, length, destination);
    }

    private int append(DatagramOutput output, int length, DatagramAddress destination) {
        int at = output.end();
        Crc32c.putWire(output.segment(), (long) at + length, crc.value());
        return output.append(length + Crc32c.LENGTH, destination);
    }

    /** @return octets written, or -1 */
    private int writeSegment(Outgoing message, long offset, int payload, MemorySegment out, int at) {
        return switch (message.kind) {
            case REQUEST -> writeRequest(message, message.request(), offset, payload, out, at);
            case READ_RESPONSE -> writeReadResponse(message, offset, payload, out, at);
            case ATOMIC_RESPONSE -> {
                putUntagged(
                        out,
                        at,
                        true,
                        RdmapOpcode.ATOMIC_RESPONSE,
                        0,
                        RdmapOpcode.ATOMIC_RESPONSE_QUEUE,
                        message.msn,
                        0);
                atomicResponse.wrap(out, at + UntaggedHeader.LENGTH);
                atomicResponse.put(message.sinkStag, message.value);
                yield UntaggedHeader.LENGTH + AtomicResponseHeader.LENGTH;
            }
            case TERMINATE -> {
                putUntagged(out, at, true, RdmapOpcode.TERMINATE, 0, RdmapOpcode.TERMINATE_QUEUE, message.msn, 0);
                MemorySegment.copy(
                        MemorySegment.ofArray(message.terminate),
                        0,
                        out,
                        at + UntaggedHeader.LENGTH,
                        message.terminate.length);
                yield UntaggedHeader.LENGTH + message.terminate.length;
            }
        };
    }

    private int writeRequest(Outgoing message, SendWork work, long offset, int payload, MemorySegment out, int at) {
        return switch (work.kind) {
            case SEND -> writeSend(work, offset, payload, out, at);
            case WRITE -> writeWrite(work, offset, payload, out, at);
            case WRITE_IMMEDIATE ->
                offset == PacketRing.IMMEDIATE
                        ? writeImmediate(message, work, out, at)
                        : writeWrite(work, offset, payload, out, at);
            case IMMEDIATE -> writeImmediate(message, work, out, at);
            case READ -> {
                putUntagged(out, at, true, RdmapOpcode.READ_REQUEST, 0, RdmapOpcode.READ_REQUEST_QUEUE, message.msn, 0);
                readRequest.wrap(out, at + UntaggedHeader.LENGTH);
                readRequest.put(
                        work.sinkStag, work.sinkOffset, (int) work.buffers.total(), work.remoteStag, work.remoteOffset);
                yield UntaggedHeader.LENGTH + ReadRequestHeader.LENGTH;
            }
            case FETCH_ADD, COMPARE_SWAP -> writeAtomicRequest(message, work, out, at);
            case INVALIDATE, BIND, FAST_REGISTER -> throw new IllegalStateException(work.kind + " has no message");
        };
    }

    private int writeSend(SendWork work, long offset, int payload, MemorySegment out, int at) {
        int opcode = work.solicited
                ? work.invalidate
                        ? RdmapOpcode.SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE
                        : RdmapOpcode.SEND_WITH_SOLICITED_EVENT
                : work.invalidate ? RdmapOpcode.SEND_WITH_INVALIDATE : RdmapOpcode.SEND;
        putUntagged(
                out,
                at,
                offset + payload == work.payloadLength(),
                opcode,
                work.invalidate ? work.remoteStag : 0,
                RdmapOpcode.SEND_QUEUE,
                work.msn,
                (int) offset);
        return gather(work, offset, payload, out, at, UntaggedHeader.LENGTH);
    }

    private int writeWrite(SendWork work, long offset, int payload, MemorySegment out, int at) {
        putTagged(
                out,
                at,
                offset + payload == work.payloadLength(),
                RdmapOpcode.RDMA_WRITE,
                work.remoteStag,
                work.remoteOffset + offset);
        return gather(work, offset, payload, out, at, TaggedHeader.LENGTH);
    }

    private int gather(SendWork work, long offset, int payload, MemorySegment out, int at, int headerLength) {
        if (mayLeave) {
            left = work;
            leftOffset = offset;
            return headerLength + payload;
        }
        lastCheck = copy.gather(work, offset, payload, out, at + headerLength);
        return lastCheck == AccessCheck.OK ? headerLength + payload : -1;
    }

    private int writeImmediate(Outgoing message, SendWork work, MemorySegment out, int at) {
        putUntagged(
                out,
                at,
                true,
                work.solicited ? RdmapOpcode.IMMEDIATE_DATA_WITH_SOLICITED_EVENT : RdmapOpcode.IMMEDIATE_DATA,
                0,
                RdmapOpcode.SEND_QUEUE,
                message.msn,
                0);
        immediateData.wrap(out, at + UntaggedHeader.LENGTH);
        immediateData.put(work.immediate);
        return UntaggedHeader.LENGTH + ImmediateData.LENGTH;
    }

    private int writeAtomicRequest(Outgoing message, SendWork work, MemorySegment out, int at) {
        putUntagged(out, at, true, RdmapOpcode.ATOMIC_REQUEST, 0, RdmapOpcode.READ_REQUEST_QUEUE, message.msn, 0);
        atomicRequest.wrap(out, at + UntaggedHeader.LENGTH);
        if (work.kind == WorkKind.FETCH_ADD) {
            atomicRequest.putFetchAdd(
                    work.sinkStag, work.remoteStag, work.remoteOffset, work.operand, work.operandMask);
        } else {
            atomicRequest.putCompareSwap(
                    work.sinkStag,
                    work.remoteStag,
                    work.remoteOffset,
                    work.operand,
                    work.operandMask,
                    work.compare,
                    work.compareMask);
        }
        return UntaggedHeader.LENGTH + AtomicRequestHeader.LENGTH;
    }

    /** The source is looked up for every segment, so that an invalidation takes effect in the middle of a large Read. */
    private int writeReadResponse(Outgoing message, long offset, int payload, MemorySegment out, int at) {
        putTagged(
                out,
                at,
                offset + payload == message.size,
                RdmapOpcode.READ_RESPONSE,
                message.sinkStag,
                message.sinkOffset + offset);
        if (payload == 0) {
            return TaggedHeader.LENGTH;
        }
        long from = message.sourceOffset + offset;
        Grant grant = stags.lookup(message.sourceStag);
        lastCheck = grant == null
                ? AccessCheck.INVALID_STAG
                : grant.check(settings.domain(), settings.queuePair(), Rights.REMOTE_READ, from, payload);
        if (grant == null || lastCheck != AccessCheck.OK) {
            return -1;
        }
        lastCheck = Placement.gather(grant, from, out, at + TaggedHeader.LENGTH, payload);
        if (lastCheck != AccessCheck.OK) {
            return -1;
        }
        grant.entry().countRemoteReads(1);
        return TaggedHeader.LENGTH + payload;
    }

    private void putTagged(MemorySegment out, int at, boolean last, int opcode, int stag, long taggedOffset) {
        tagged.wrap(out, at);
        tagged.put(last, DdpControl.rdmap(opcode), stag, taggedOffset);
    }

    private void putUntagged(
            MemorySegment out, int at, boolean last, int opcode, int invalidate, int queue, int msn, int offset) {
        untagged.wrap(out, at);
        untagged.put(last, DdpControl.rdmap(opcode), invalidate, queue, msn, offset);
    }

    /** Whether an acknowledgement or a refusal fits. */
    static boolean hasRoom(DatagramOutput output) {
        return output.hasRoom(LONGEST_ACKNOWLEDGEMENT);
    }

    /** Appends a datagram that only acknowledges. @return its entry in the output */
    int writeAcknowledgement(Source source, long nowNanos, DatagramOutput output) {
        return writeAcknowledgement(source.peer, source, source.epoch, 0, nowNanos, output);
    }

    /** Appends the question whether the peer is still there. @return its entry in the output */
    int writeQuestion(Peer peer, long nowNanos, DatagramOutput output) {
        Source source = peer.source(peer.boundEpoch);
        return writeAcknowledgement(peer, source, peer.boundEpoch, ReliableHeader.ACK_WANTED_FLAG, nowNanos, output);
    }

    private int writeAcknowledgement(
            Peer peer, @Nullable Source source, int peerEpoch, int flags, long nowNanos, DatagramOutput output) {
        int at = output.end();
        MemorySegment out = output.segment();
        header.wrap(out, at, ReliableHeader.LENGTH);
        header.put(
                DatagramPrefix.ACKNOWLEDGEMENT,
                flags | (source != null && source.isPutOff() ? ReliableHeader.NOT_READY_FLAG : 0),
                0,
                settings.epoch(),
                peer.stream,
                peerEpoch,
                peer.stream == 0 ? 0 : peer.nextPsn - 1,
                source == null ? 0 : source.stream,
                source == null ? 0 : source.takenPsn,
                source == null ? 0 : source.echo,
                settings.credit());
        EarlyDatagrams early = source == null ? null : source.early;
        int words = source == null || early == null || early.isEmpty()
                ? 0
                : Math.min(ReliableHeader.MAX_WORDS, Math.ceilDiv(early.highest() - source.takenPsn, Long.SIZE));
        long delay = source == null ? 0 : Math.max(0, nowNanos - source.echoNanos);
        int length = header.putAcknowledgement(delay / ReliableHeader.DELAY_UNIT_NANOS, words);
        for (int word = 0; word < words && early != null && source != null; word++) {
            header.putWord(word, early.word(source.takenPsn + 1 + word * Long.SIZE));
        }
        return finish(output, length, peer.address);
    }

    /** Appends a refusal: the datagram described was meant for a former life. */
    void writeRefusal(Refusal refusal, DatagramOutput output) {
        header.wrap(output.segment(), output.end(), ReliableHeader.LENGTH);
        header.put(
                DatagramPrefix.REFUSAL, 0, 0, settings.epoch(), refusal.stream, refusal.epoch, refusal.psn, 0, 0, 0, 0);
        finish(output, ReliableHeader.LENGTH, refusal.address);
    }
}
