package io.stag.verbs.cm;

/**
 * What two endpoints agreed on.
 *
 * @param revision MPA revision
 * @param crc whether CRC32C protects the stream, both ways
 * @param markersSent whether we put markers into our stream
 * @param markersReceived whether the peer puts markers into its stream
 * @param peerToPeer whether the peer-to-peer model of RFC 6581 is in use
 * @param inboundReads Reads and atomics of the peer that we hold at once (IRD)
 * @param outboundReads own Reads and atomics outstanding at once (ORD)
 * @param peerInboundReads IRD as the peer stated it, or -1 when it said nothing
 * @param peerOutboundReads ORD as the peer stated it, or -1 when it said nothing
 */
public record ConnectionInfo(
        int revision,
        boolean crc,
        boolean markersSent,
        boolean markersReceived,
        boolean peerToPeer,
        int inboundReads,
        int outboundReads,
        int peerInboundReads,
        int peerOutboundReads) {}
