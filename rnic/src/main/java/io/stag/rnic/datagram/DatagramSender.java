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

    private static final int NO_FLOW = -1;

    private final DatagramSettings settings;
    private final DatagramCounts counts;
    private final SendQueue queue;
    private final DatagramOwner owner;
    private final DatagramPrefix prefix = new DatagramPrefix();
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final Crc32c crc = new Crc32c();
    private final ScatterCopy copy;

    private final @Nullable SendWork[] window = new SendWork[WINDOW]; // a ring of requests begun and not complete
    private int head;
    private int size;
    private long sentOfFirst; // octets of the first of them that the network has taken

    // for each entry of the output: requests that are complete with it, and octets of the one behind them
    private final int[] completeAfter = new int[DatagramOutput.ENTRIES];
    private final long[] octetsAfter = new long[DatagramOutput.ENTRIES];
    private final int[] flowAfter = new int[DatagramOutput.ENTRIES];
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
        flow = settings.flowWindow() > 0 ? new FlowWindow(settings.flowWindow(), settings.flowTimeoutNanos()) : null;
    }

    /** The longest payload, a multiple of 64, in datagrams of up to {@code datagramLength} octets. */
    public static int segmentLength(int datagramLength) {
        return (datagramLength - OVERHEAD) / DatagramPrefix.BLOCK * DatagramPrefix.BLOCK;
    }

    /** Whether there is something to send. */
    public boolean hasWork() {
        return size > 0 || queue.peekNext() != null;
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

    /** Appends datagrams until there is nothing more to send, no room, or too much on its way. */
    public void fill(DatagramOutput output, long nowNanos) {
        heldBack = false;
        flowBefore = flow == null ? 0 : flow.taken();
        long offset = sentOfFirst;
        for (int index = 0; ; index++) {
            SendWork work = request(index);
            if (work == null || (work.failure == null && !stage(output, index, work, offset, nowNanos))) {
                return;
            }
            offset = 0;
        }
    }

    private @Nullable SendWork request(int index) {
        if (index < size) {
            return inWindow(index);
        }
        SendWork next = index < WINDOW ? queue.peekNext() : null;
        if (next == null) {
            return null;
        }
        queue.started();
        next.msn = ++lastMessageId;
        AccessCheck check = copy.pin(next, Rights.LOCAL_READ);
        if (check != AccessCheck.OK) {
            next.failure = check.localStatus();
        }
        window[(head + size) % WINDOW] = next;
        size++;
        return next;
    }

    private SendWork inWindow(int index) {
        SendWork work = window[(head + index) % WINDOW];
        if (work == null) {
            throw new IllegalStateException("no request " + index + " of " + size);
        }
        return work;
    }

    /** @return false when there is no room for all of the message */
    private boolean stage(DatagramOutput output, int index, SendWork work, long from, long nowNanos) {
        long length = work.payloadLength();
        long offset = from;
        DatagramAddress destination = destination(work);
        FlowWindow limit = destination.isMulticast() ? null : flow; // many would report, or nobody
        do {
            if (limit != null && !limit.isOpen(nowNanos)) {
                heldBack = true;
                return false;
            }
            int payload = (int) Math.min(settings.segmentLength(), length - offset);
            int header = work.kind == WorkKind.WRITE ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
            int octets = DatagramPrefix.LENGTH + header + payload + Crc32c.LENGTH;
            if (!output.hasRoom(octets)) {
                return false;
            }
            int at = output.end();
            AccessCheck check =
                    copy.gather(work, offset, payload, output.segment(), at + DatagramPrefix.LENGTH + header);
            if (check != AccessCheck.OK) {
                work.failure = check.localStatus();
                return true; // its datagrams so far may go: a message without end harms nobody
            }
            int number = limit == null ? NO_FLOW : limit.take(destination, nowNanos);
            putHeaders(output.segment(), at, work, offset, length, offset + payload == length, number);
            crc.reset();
            crc.update(output.buffer(), at, octets - Crc32c.LENGTH);
            Crc32c.putWire(output.segment(), (long) at + octets - Crc32c.LENGTH, crc.value());
            int entry = output.append(octets, destination);
            flowAfter[entry] = flow == null ? 0 : flow.taken();
            offset += payload;
            completeAfter[entry] = offset == length ? index + 1 : index;
            octetsAfter[entry] = offset == length ? 0 : offset;
        } while (offset < length);
        return true;
    }

    private static DatagramAddress destination(SendWork work) {
        DatagramAddress destination = work.destination;
        if (destination == null) {
            throw new IllegalStateException("a request without destination");
        }
        return destination;
    }

    private void putHeaders(
            MemorySegment out, int at, SendWork work, long offset, long length, boolean last, int flowNumber) {
        boolean write = work.kind == WorkKind.WRITE;
        int flags = write && work.solicited ? DatagramPrefix.SOLICITED_FLAG : 0;
        if (flowNumber != NO_FLOW) {
            flags |= DatagramPrefix.REPORT_WANTED_FLAG;
        }
        prefix.wrap(out, at, DatagramPrefix.LENGTH);
        prefix.put(
                DatagramPrefix.SEGMENT,
                flags,
                flowNumber == NO_FLOW ? 0 : flowNumber,
                settings.epoch(),
                work.msn,
                (int) length,
                (int) offset);
        if (write) {
            tagged.wrap(out, at + DatagramPrefix.LENGTH);
            tagged.put(last, DdpControl.rdmap(RdmapOpcode.RDMA_WRITE), work.remoteStag, work.remoteOffset + offset);
        } else {
            int opcode = work.solicited ? RdmapOpcode.SEND_WITH_SOLICITED_EVENT : RdmapOpcode.SEND;
            untagged.wrap(out, at + DatagramPrefix.LENGTH);
            untagged.put(last, DdpControl.rdmap(opcode), 0, RdmapOpcode.SEND_QUEUE, work.msn, (int) offset);
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
            flow.takeBack(taken == 0 ? flowBefore : flowAfter[taken - 1]);
        }
        int complete = taken == 0 ? 0 : completeAfter[taken - 1];
        if (taken > 0) {
            complete(complete, null);
            sentOfFirst = octetsAfter[taken - 1];
        }
        IOException failure = output.failure();
        if (failure != null) {
            refused(completeAfter[taken] - complete, octetsAfter[taken] > 0, failure, output.destination(taken));
        }
        completeUnsendable();
    }

    /** All requests with datagrams in a refused entry fail. */
    private void refused(int whole, boolean andPartOfNext, IOException why, DatagramAddress destination) {
        complete(
                andPartOfNext ? whole + 1 : whole,
                ErrorDetail.of(
                        Layer.TRANSPORT,
                        "DG-030",
                        "sending to " + destination.object() + " was refused: " + why.getMessage()));
        sentOfFirst = 0;
    }

    private void complete(int count, @Nullable ErrorDetail refusal) {
        for (int i = 0; i < count; i++) {
            SendWork work = inWindow(0);
            CompletionStatus local = work.failure;
            if (local != null) {
                finish(work, local, localError(local));
            } else if (refusal != null) {
                finish(work, CompletionStatus.GENERAL_ERR, refusal);
            } else {
                finish(work, CompletionStatus.SUCCESS, null);
            }
        }
    }

    /** Requests whose memory cannot be read end when it is their turn. */
    private void completeUnsendable() {
        while (size > 0 && inWindow(0).failure != null) {
            SendWork work = inWindow(0);
            CompletionStatus local = work.failure == null ? CompletionStatus.LOC_PROT_ERR : work.failure;
            finish(work, local, localError(local));
            sentOfFirst = 0;
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
        window[head] = null;
        head = (head + 1) % WINDOW;
        size--;
        if (status == CompletionStatus.SUCCESS) {
            counts.messagesSent++;
        } else {
            counts.sendFailures++;
        }
        queue.retire(); // before its completion can be polled
        owner.sendCompleted(id, kind.operation(), signaled, status, detail);
    }
}
