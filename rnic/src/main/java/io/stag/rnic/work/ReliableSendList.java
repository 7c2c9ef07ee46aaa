package io.stag.rnic.work;

import io.stag.rnic.datagram.DatagramAddress;
import io.stag.rnic.datagram.SoftAddressHandle;
import io.stag.verbs.AddressHandle;
import io.stag.verbs.DatagramInfo;
import io.stag.verbs.ReliableSendRequests;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import org.jspecify.annotations.Nullable;

/** The posting list of a reliable datagram queue pair's send queue. Owned by one thread. */
public final class ReliableSendList extends PeerList<ReliableSendRequests> implements ReliableSendRequests {
    private final DatagramAddress source = new DatagramAddress();
    private @Nullable DatagramAddress destination; // of a handle, or source

    /** A list for {@code queue}. */
    public ReliableSendList(SendQueue queue, PostingTarget target) {
        super(queue, target, "to(peer).send(id)");
    }

    @Override
    ReliableSendRequests self() {
        return this;
    }

    @Override
    public ReliableSendRequests to(AddressHandle newDestination) {
        destination = SoftAddressHandle.own(newDestination).numbers();
        return this;
    }

    @Override
    public ReliableSendRequests to(DatagramInfo newSource) {
        source.set(newSource.sourceHigh(), newSource.sourceLow(), newSource.sourcePort(), newSource.sourceScope());
        destination = source;
        return this;
    }

    @Override
    SendWork begin(WorkKind kind, long id) {
        DatagramAddress peer = destination;
        if (peer == null) {
            throw new VerbsException(VerbsError.INVALID_STATE, "say first where requests go, with to(peer)");
        }
        SendWork work = super.begin(kind, id);
        if (peer == source) {
            work.copyDestination(peer.high(), peer.low(), peer.port(), peer.scope()); // the list fills its own again
        } else {
            work.destination = peer;
        }
        return work;
    }
}
