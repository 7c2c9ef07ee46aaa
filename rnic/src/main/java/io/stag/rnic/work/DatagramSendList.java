package io.stag.rnic.work;

import io.stag.rnic.datagram.SoftAddressHandle;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.DatagramSendRequests;
import io.stag.verbs.MemoryRegion;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.MemorySegment;

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
        slots.begin(WorkKind.SEND, id).destination =
                SoftAddressHandle.own(destination).numbers();
        return this;
    }

    @Override
    public DatagramSendRequests reply(long id, DatagramInfo source) {
        address(slots.begin(WorkKind.SEND, id), source);
        return this;
    }

    @Override
    public DatagramSendRequests writeRecord(long id, AddressHandle destination, int remoteStag, long remoteOffset) {
        slots.begin(WorkKind.WRITE, id).at(remoteStag, remoteOffset).destination =
                SoftAddressHandle.own(destination).numbers();
        return this;
    }

    @Override
    public DatagramSendRequests replyRecord(long id, DatagramInfo source, int remoteStag, long remoteOffset) {
        address(slots.begin(WorkKind.WRITE, id).at(remoteStag, remoteOffset), source);
        return this;
    }

    private static void address(SendWork work, DatagramInfo source) {
        work.copyDestination(source.sourceHigh(), source.sourceLow(), source.sourcePort(), source.sourceScope());
    }

    private SendWork current() {
        return slots.current("send(id, to)");
    }

    @Override
    public DatagramSendRequests from(MemoryRegion region, long offset, long length) {
        SendWork work = current();
        if (work.inline != null) {
            throw eitherOr();
        }
        PeerList.addBuffer(work.buffers, PeerList.own(region), offset, length, target);
        return this;
    }

    @Override
    public DatagramSendRequests inline(MemorySegment data) {
        SendWork work = current();
        if (work.buffers.count() > 0) {
            throw eitherOr();
        }
        if (data.byteSize() > target.maxInline()) {
            throw new VerbsException(
                    VerbsError.LIMIT_EXCEEDED,
                    data.byteSize() + " octets inline, the queue pair allows " + target.maxInline());
        }
        work.copyInline(data, target.maxInline());
        return this;
    }

    private static VerbsException eitherOr() {
        return new VerbsException(VerbsError.INVALID_ARGUMENT, "a request has either inline payload or buffers");
    }

    @Override
    public DatagramSendRequests unsignaled() {
        current().signaled = false;
        return this;
    }

    @Override
    public DatagramSendRequests solicited() {
        current().solicited = true;
        return this;
    }

    @Override
    public int post() {
        return slots.post(slots.take());
    }
}
