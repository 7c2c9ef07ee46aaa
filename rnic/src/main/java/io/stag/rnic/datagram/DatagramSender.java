package io.stag.rnic.datagram;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.Rights;
import io.stag.rnic.work.ScatterCopy;
import io.stag.rnic.work.SendQueue;
import io.stag.rnic.work.SendWork;
import io.stag.rnic.work.WorkKind;
import io.stag.verbs.CompletionStatus;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.ErrorDetail.Layer;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a datagram queue pair: requests in, datagrams and completions out. It does no I/O and reads no clock.
 *
 * <p>Call {@link #fill}, hand the datagrams to a port, and tell with {@link #transmitted} how many entries it took. What it
 * did not take is forgotten and made again by the next {@link #fill}: until then, no request is complete.
 */
public final class DatagramSender {
    /** Octets around the payload of a Send; those of a Write-Record are four fewer. */
    public static final int OVERHEAD = DatagramPrefix.LENGTH + UntaggedHeader.LENGTH + Crc32c.LENGTH;

    /** Requests under way at once: what one call to the network can complete. */
    private static final int WINDOW = 256;

    /** Write-Records whose last segments may wait for each other. */
    private static final int MOST_OWED = 8;

    private static final int NO_FLOW = -1;

    private final DatagramSettings settings;
    private final DatagramCounts counts;
    private final SendQueue queue;
    private final DatagramOwner owner;
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final Crc32c crc = new Crc32c();
    private final ScatterCopy copy;

    private int owed; // the first requests under way of which the network has all but a last segment, or all
    private long sentOfNext; // octets of the one behind these that the network has taken

    // the same while output is filled: requests that are complete, the request at hand, and its octets
    private int complete;
    private int index;
    private long offset;
    private int reserved; // octets of output for the segments that are left out

    /** The same when the network has taken an entry of the output. */
    private static final class Progress {
        private int complete;
        private int index;
        private long offset;
        private int flow;
    }

    private final Progress[] progressAfter = new Progress[DatagramOutput.ENTRIES];
    private final @Nullable FlowWindow flow;
    private int flowBefore;
    private boolean heldBack;
    private int lastMessageId;

    /** A sender that has sent nothing. */
    public DatagramSender(DatagramSettings settings, DatagramCounts counts, SendQueue queue, DatagramOwner owner) {
        this.settings = settings;
        this.counts = counts;
        this.queue = queue;
        this.owner = owner;
        copy = new ScatterCopy(settings.domain(), settings.queuePair());
        Arrays.setAll(progressAfter, _ -> new Progress());
        flow = settings.flowWindow() > 0 ? new FlowWindow(settings.flowWindow(), settings.flowTimeoutNanos()) : null;
    }

    /** The longest payload, a multiple of 64, in datagrams of up to {@code datagramLength} octets. */
    public static int segmentLength(int datagramLength) {
        return (datagramLength - OVERHEAD) / DatagramPrefix.BLOCK * DatagramPrefix.BLOCK;
    }

    /** Whether there is something to send. */
    public boolean hasWork() {
        return queue.underWay() > 0 || queue.peekNext() != null;
    }

    /** Whether the flow window keeps the sender from going on before {@link #nextDeadline} or the next report. */
    public boolean isHeldBack() {
        return heldBack;
    }

    /** When {@link #handleTimeout} is due, because a sender that is held back may go on without a report. */
    public long nextDeadline() {
        return heldBack && flow != null ? flow.nextDeadline() : Long.MAX_VALUE;
    }

    /** What was on its way for too long counts as gone. */
    public void handleTimeout() {
        heldBack = false; // the next fill sees whether that is enough
    }

    /** A receiver reports the newest datagram that it got. */
    public void reported(DatagramAddress receiver, int number) {
        if (flow != null) {
            flow.report(receiver, number);
            heldBack = false;
        }
    }

    /**
     * Appends datagrams until there is nothing more to send, no room, or too much on its way.
     *
     * <p>The system cuts a row of datagrams apart that have one length, of which only the last may be shorter. Messages of
     * several segments that go to one place would make a row each, so the last segments of a few Write-Records wait until the
     * others are appended (DG-038), for which there is room kept. Those of Sends do not: each message that is open would take
     * a receive of its own.
     */
    public void fill(DatagramOutput output, long nowNanos) {
        heldBack = false;
        flowBefore = flow == null ? 0 : flow.taken();
        complete = 0;
        index = owed;
        offset = sentOfNext;
        reserved = 0;
        boolean room = appendOwed(output, nowNanos);
        while (room) {
            SendWork work = request(index);
            if (work == null || (work.failure == null && !appendWholeSegments(output, work, nowNanos))) {
                break;
            }
            pass(output, work);
            if (complete < index && !mayOwe(output, work)) {
                room = appendOwed(output, nowNanos);
            }
        }
        if (room) {
            appendOwed(output, nowNanos);
        }
    }

    private @Nullable SendWork request(int number) {
        if (number < queue.underWay()) {
            return queue.underWay(number);
        }
        SendWork next = queue.underWay() == WINDOW ? null : queue.peekNext();
        if (next == null) {
            return null;
        }
        queue.started();
        next.msn = ++lastMessageId;
        AccessCheck check = copy.pin(next, Rights.LOCAL_READ);
        if (check != AccessCheck.OK) {
            next.failure = check.localStatus();
        }
        return next;
    }

    /** Octets of the last segment of a message if that is shorter than others of it, else 0. */
    private int shortLength(SendWork work) {
        long length = work.payloadLength();
        return length > settings.segmentLength() ? (int) (length % settings.segmentLength()) : 0;
    }

    /** Appends all but a last segment that is shorter than the others. @return false when there is no room for all */
    private boolean appendWholeSegments(DatagramOutput output, SendWork work, long nowNanos) {
        long length = work.payloadLength();
        int leftOut = shortLength(work);
        long end = length - leftOut;
        if (leftOut > 0) {
            reserved += datagramLength(work, leftOut);
        }
        do {
            int payload = (int) Math.min(settings.segmentLength(), length - offset);
            if (!output.hasRoom(datagramLength(work, payload) + reserved, index - complete + 1)
                    || !append(output, work, offset, payload, complete < index, nowNanos)) {
                return false;
            }
            if (work.failure != null) {
                return true; // its datagrams so far may go: a message without end harms nobody
            }
            offset += payload;
            note(output);
        } while (offset < end);
        return true;
    }

    /** It is the turn of the request behind {@code work}. */
    private void pass(DatagramOutput output, SendWork work) {
        boolean owesNothing = work.failure != null || shortLength(work) == 0;
        if (complete == index && owesNothing) {
            complete++;
        }
        index++;
        offset = 0;
        note(output);
    }

    private static int datagramLength(SendWork work, int payload) {
        return DatagramPrefix.LENGTH + headerLength(work) + payload + Crc32c.LENGTH;
    }

    private static int headerLength(SendWork work) {
        return work.kind == WorkKind.WRITE ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
    }

    /** Whether the next request makes the row longer that {@code work} is in. */
    private boolean mayOwe(DatagramOutput output, SendWork work) {
        if (!output.joins() || work.kind != WorkKind.WRITE || index - complete >= MOST_OWED) {
            return false;
        }
        SendWork next = request(index);
        return next != null
                && next.failure == null
                && next.kind == WorkKind.WRITE
                && next.payloadLength() >= settings.segmentLength()
                && destination(next).isSame(destination(work));
    }

    /** Appends the segments that were left out. @return false when there is no room for all */
    private boolean appendOwed(DatagramOutput output, long nowNanos) {
        while (complete < index) {
            SendWork work = queue.underWay(complete);
            int payload = work.failure == null ? shortLength(work) : 0;
            if (payload > 0 && !append(output, work, work.payloadLength() - payload, payload, false, nowNanos)) {
                return false;
            }
            complete++;
            note(output);
        }
        reserved = 0;
        return true;
    }

    /** What has been appended so far stands for the progress so far. */
    private void note(DatagramOutput output) {
        int entry = output.count() - 1;
        if (entry >= 0) {
            Progress after = progressAfter[entry];
            after.complete = complete;
            after.index = index;
            after.offset = offset;
            after.flow = flow == null ? 0 : flow.taken();
        }
    }

    /** Appends a datagram, unless memory cannot be read, which fails the request. @return false when there is no room */
    private boolean append(
            DatagramOutput output, SendWork work, long from, int payload, boolean earlierFollow, long nowNanos) {
        DatagramAddress destination = destination(work);
        FlowWindow limit = destination.meansMany() ? null : flow; // many would report, or nobody
        if (limit != null && !limit.isOpen(nowNanos)) {
            heldBack = true;
            return false;
        }
        int octets = datagramLength(work, payload);
        if (!output.hasRoom(octets)) {
            return false;
        }
        int at = output.end();
        int payloadAt = at + DatagramPrefix.LENGTH + headerLength(work);
        int number = limit == null ? NO_FLOW : limit.take(destination, nowNanos);
        putHeaders(output.segment(), at, work, from, payload, earlierFollow, number);
        if (!leave(output, work, from, payload, payloadAt)) {
            AccessCheck check = copy.gather(work, from, payload, output.segment(), payloadAt);
            if (check != AccessCheck.OK) {
                if (limit != null) {
                    limit.takeBack(limit.taken() - 1);
                }
                work.failure = check.localStatus();
                return true;
            }
            crc.reset();
            crc.update(output.buffer(), at, octets - Crc32c.LENGTH);
        }
        Crc32c.putWire(output.segment(), (long) at + octets - Crc32c.LENGTH, crc.value());
        output.append(octets, destination);
        return true;
    }

    /** Leaves long payload where it is, and makes the CRC. @return false when it is to be copied */
    private boolean leave(DatagramOutput output, SendWork work, long from, int payload, int payloadAt) {
        if (!output.takesPiece(payload)) {
            return false;
        }
        crc.reset();
        crc.update(output.buffer(), output.end(), payloadAt - output.end());
        return copy.leave(work, from, payload, crc, output.pieces(), payloadAt);
    }

    private static DatagramAddress destination(SendWork work) {
        DatagramAddress destination = work.destination;
        if (destination == null) {
            throw new IllegalStateException("a request without destination");
        }
        return destination;
    }

    private void putHeaders(
            MemorySegment out, int at, SendWork work, long from, int payload, boolean earlierFollow, int flowNumber) {
        boolean write = work.kind == WorkKind.WRITE;
        long length = work.payloadLength();
        boolean last = from + payload == length;
        int flags = write && work.solicited ? DatagramPrefix.SOLICITED_FLAG : 0;
        if (flowNumber != NO_FLOW) {
            flags |= DatagramPrefix.REPORT_WANTED_FLAG;
        }
        if (earlierFollow) {
            flags |= DatagramPrefix.EARLIER_FOLLOW_FLAG;
        }
        DatagramPrefix.put(
                out,
                at,
                DatagramPrefix.SEGMENT,
                flags,
                flowNumber == NO_FLOW ? 0 : flowNumber,
                settings.epoch(),
                work.msn,
                (int) length,
                (int) from);
        if (write) {
            tagged.wrap(out, at + DatagramPrefix.LENGTH);
            tagged.put(last, DdpControl.rdmap(RdmapOpcode.RDMA_WRITE), work.remoteStag, work.remoteOffset + from);
        } else {
            int opcode = work.solicited ? RdmapOpcode.SEND_WITH_SOLICITED_EVENT : RdmapOpcode.SEND;
            untagged.wrap(out, at + DatagramPrefix.LENGTH);
            untagged.put(last, DdpControl.rdmap(opcode), 0, RdmapOpcode.SEND_QUEUE, work.msn, (int) from);
        }
    }

    /** The port took this many entries of what {@link #fill} appended, and refused the next one if it has said so. */
    public void transmitted(DatagramOutput output, int taken) {
        if (output.count() > 0) {
            counts.sendCalls++;
        }
        for (int i = 0; i < taken; i++) {
            counts.datagramsSent += output.segments(i);
            counts.octetsSent += output.length(i);
        }
        if (flow != null) {
            flow.takeBack(taken == 0 ? flowBefore : progressAfter[taken - 1].flow);
        }
        int done = 0;
        if (taken > 0) {
            Progress after = progressAfter[taken - 1];
            done = after.complete;
            finish(done, null);
            owed = after.index - done;
            sentOfNext = after.offset;
        }
        IOException failure = output.failure();
        if (failure != null) {
            Progress refused = progressAfter[taken];
            int touched = refused.offset > 0 ? refused.index + 1 : refused.index;
            refused(touched - done, failure, output.destination(taken));
        }
        finishWithoutDatagrams();
    }

    /** All requests with datagrams in a refused entry fail, and those before them that are not complete. */
    private void refused(int count, IOException why, DatagramAddress destination) {
        finish(
                count,
                ErrorDetail.of(
                        Layer.TRANSPORT,
                        "DG-030",
                        "sending to " + destination.object() + " was refused: " + why.getMessage()));
        owed = 0;
        sentOfNext = 0;
    }

    private void finish(int count, @Nullable ErrorDetail refusal) {
        for (int i = 0; i < count; i++) {
            SendWork work = queue.underWay(0);
            if (refusal != null && work.failure == null) {
                finish(work, CompletionStatus.GENERAL_ERR, refusal);
            } else {
                finish(work);
            }
        }
    }

    /** Requests of which nothing is to be sent any more end when it is their turn: nothing is owed, or memory is gone. */
    private void finishWithoutDatagrams() {
        while (queue.underWay() > 0) {
            SendWork work = queue.underWay(0);
            if (work.failure == null && (owed == 0 || shortLength(work) > 0)) {
                return;
            }
            finish(work);
            if (owed > 0) {
                owed--;
            } else {
                sentOfNext = 0;
            }
        }
    }

    private void finish(SendWork work) {
        CompletionStatus local = work.failure;
        if (local == null) {
            finish(work, CompletionStatus.SUCCESS, null);
        } else {
            finish(work, local, localError(local));
        }
    }

    private static ErrorDetail localError(CompletionStatus status) {
        return ErrorDetail.of(
                Layer.VERBS,
                "RDMA verbs §8.1",
                status == CompletionStatus.LOC_ACCESS_ERR
                        ? "a buffer of the request does not grant LOCAL_READ"
                        : "a buffer of the request is not registered any more");
    }

    private void finish(SendWork work, CompletionStatus status, @Nullable ErrorDetail detail) {
        long id = work.id;
        boolean signaled = work.signaled;
        WorkKind kind = work.kind;
        if (status == CompletionStatus.SUCCESS) {
            counts.messagesSent++;
        } else {
            counts.sendFailures++;
        }
        queue.retire(); // before its completion can be polled
        owner.sendCompleted(id, kind.operation(), signaled, status, detail);
    }
}
