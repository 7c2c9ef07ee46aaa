package io.stag.verbs.cm;

import io.stag.verbs.QueuePair;
import java.net.InetSocketAddress;

/** A peer's wish to connect. Exactly one of {@link #accept} and {@link #reject} may be called. */
public interface ConnectionRequest {

    /** The peer's address. */
    InetSocketAddress remoteAddress();

    /** Revision of MPA that the peer speaks. */
    int revision();

    /** Whether the peer wants the peer-to-peer model of RFC 6581. */
    boolean peerToPeer();

    /** Reads the peer can hold for us (its IRD), or -1 when it did not say. */
    int peerInboundReads();

    /** Reads the peer wants outstanding (its ORD), or -1 when it did not say. */
    int peerOutboundReads();

    /** The peer's private data, a copy. */
    byte[] privateData();

    /**
     * Connects {@code queuePair}, which must be Idle. Post receives first: the peer may send at once.
     *
     * @return the connection, soon established
     */
    Connection accept(QueuePair queuePair, ConnectionConfig config);

    /** Refuses, with private data for the peer. */
    void reject(byte[] privateData);
}
