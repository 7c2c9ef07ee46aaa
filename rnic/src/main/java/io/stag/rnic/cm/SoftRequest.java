package io.stag.rnic.cm;

import io.stag.rnic.mpa.StartupEvent.RequestReceived;
import io.stag.rnic.qp.SoftQueuePair;
import io.stag.verbs.QueuePair;
import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.ConnectionRequest;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** A peer's Request that waits for a decision, as the program sees it. Any thread; one decision counts. */
final class SoftRequest implements ConnectionRequest {
    private final SoftConnection connection;
    private final ResponderSetup setup;
    private final RequestReceived received;
    private final AtomicBoolean decided = new AtomicBoolean();

    SoftRequest(SoftConnection connection, ResponderSetup setup, RequestReceived received) {
        this.connection = connection;
        this.setup = setup;
        this.received = received;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public int revision() {
        return received.revision();
    }

    @Override
    public boolean peerToPeer() {
        return received.peerToPeer();
    }

    @Override
    public int peerInboundReads() {
        return received.peerIrd();
    }

    @Override
    public int peerOutboundReads() {
        return received.peerOrd();
    }

    @Override
    public byte[] privateData() {
        return connection.peerPrivateData();
    }

    @Override
    public Connection accept(QueuePair queuePair, ConnectionConfig config) {
        SoftQueuePair soft = SoftConnectionManager.own(queuePair, connection.host());
        if (config.privateData().length > limit()) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT,
                    "private data of " + config.privateData().length + " octets is above " + limit());
        }
        ConnectionSetup.check(soft, config);
        soft.checkConnectable(); // a wrong queue pair leaves the request open
        decide();
        try {
            setup.accept(soft, config, received.revision());
        } catch (VerbsException e) {
            decided.set(false); // for instance a queue pair that is not Idle: the caller may try another or reject
            throw e;
        }
        return connection;
    }

    @Override
    public void reject(byte[] data) {
        if (data.length > limit()) {
            throw new VerbsException(
                    VerbsError.INVALID_ARGUMENT, "private data of " + data.length + " octets is above " + limit());
        }
        decide();
        setup.reject(data.clone());
    }

    private int limit() {
        return received.enhanced() ? ConnectionConfig.MAX_PRIVATE_DATA - 4 : ConnectionConfig.MAX_PRIVATE_DATA;
    }

    private void decide() {
        if (!decided.compareAndSet(false, true)) {
            throw new VerbsException(VerbsError.INVALID_STATE, "the request was already accepted or rejected");
        }
    }
}
