package io.stag.rnic.mpa;

import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What Request and Reply amount to, seen from one side.
 *
 * @param revision MPA revision of both frames
 * @param crc whether CRC is generated and checked, in both directions
 * @param markersSent whether we put Markers into our stream
 * @param markersReceived whether the peer puts Markers into its stream
 * @param peerToPeer whether a ready-to-receive message is the first FPDU of the initiator
 * @param readyToReceive initiator in the peer-to-peer model: the kind to send, even with {@code ord} 0; null in the
 *     client-server model, and for a responder, which takes any of {@code agreed}
 * @param agreed peer-to-peer model: for an initiator the kinds both sides named, for a responder the kinds its Reply
 *     names (when nothing was common, what it can take)
 * @param ird our inbound depth, perhaps raised: what our queue pair must hold
 * @param ord our outbound depth
 * @param peerIrd IRD as the peer stated it (0x3FFF: left to the upper layer), or {@link #UNKNOWN}
 * @param peerOrd ORD as the peer stated it, likewise
 */
public record Negotiated(
        int revision,
        boolean crc,
        boolean markersSent,
        boolean markersReceived,
        boolean peerToPeer,
        @Nullable ReadyToReceive readyToReceive,
        Set<ReadyToReceive> agreed,
        int ird,
        int ord,
        int peerIrd,
        int peerOrd) {

    /** IRD or ORD of a peer whose frame does not state it. */
    public static final int UNKNOWN = -1;

    /** Keeps a copy of the set. */
    public Negotiated {
        agreed = Set.copyOf(agreed);
    }
}
