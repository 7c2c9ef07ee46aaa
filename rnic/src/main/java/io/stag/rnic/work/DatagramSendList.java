package io.stag.rnic.work;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.SoftAddressHandle;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The posting list of a datagram queue pair's send queue. Owned by one thread. */
public final class DatagramSendList implements DatagramSendRequests {
    private final PostingTarget target;
    private final SendSlots slots;

    /** A list for {@code queue}. */
    public DatagramSendList(SendQueue queue, PostingTarget target) {
        this.target = target;
        slots = new SendSlots(queue, target);
    }

    @Override
    public DatagramSendRequests send(long id, AddressHandle destination) {
        DatagramAddress numbers = SoftAddressHandle.own(destination).numbers();
        slots.begin(WorkKind.SEND, id).destination = numbers;
        return this;
    }

    @Override
    public DatagramSendRequests reply(long id, DatagramInfo source) {
        begin(WorkKind.SEND, id, source);
        return this;
    }

    @Override
    public DatagramSendRequests writeRecord(long id, AddressHandle destination, int remoteStag, long remoteOffset) {
        DatagramAddress numbers = SoftAddressHandle.own(destination).numbers();
        slots.begin(WorkKind.WRITE, id).at(remoteStag, remoteOffset).destination = numbers;
        return this;
    }

    @Override
    public DatagramSendRequests replyRecord(long id, DatagramInfo source, int remoteStag, long remoteOffset) {
        begin(WorkKind.WRITE, id, source).at(remoteStag, remoteOffset);
        return this;
    }

    private SendWork begin(WorkKind kind, long id, DatagramInfo source) {
        Objects.requireNonNull(source); // before anything is begun
        SendWork work = slots.begin(kind, id);
        address(work, source);
        return work;
    }

    private static void address(SendWork work, DatagramInfo source) {
        work.copyDestination(source.sourceHigh(), source.sourceLow(), source.sourcePort(), source.sourceScope());
    }

    private SendWork change() {
        return slots.change("send(id, to)");
    }

    private DatagramSendRequests kept() {
        slots.keep();
        return this;
    }

    @Override
    public DatagramSendRequests from(MemoryRegion region, long offset, long length) {
        SendWork work = change();
        if (work.inline != null) {
            throw eitherOr();
        }
        PeerList.addBuffer(work.buffers, PeerList.own(region), offset, length, target);
        return kept();
    }

    @Override
    public DatagramSendRequests inline(MemorySegment data) {
        SendWork work = change();
        if (work.buffers.count() > 0) {
            throw eitherOr();
        }
        if (data.byteSize() > target.maxInline()) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED,
                    data.byteSize() + " octets inline, the queue pair allows " + target.maxInline());
        }
        work.copyInline(data, target.maxInline());
        return kept();
    }

    private static VerbsException eitherOr() {
        return new VerbsException(VerbsError.INVALID_ARGUMENT, "a request has either inline payload or buffers");
    }

    @Override
    public DatagramSendRequests unsignaled() {
        change().signaled = false;
        return kept();
    }

    @Override
    public DatagramSendRequests solicited() {
        change().solicited = true;
        return kept();
    }

    @Override
    public int post() {
        return slots.post(slots.take());
    }
}
