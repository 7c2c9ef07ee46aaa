package io.stag.rnic.mpa;

import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import io.stag.wire.mpa.EnhancedWord;
import java.util.Set;

/**
 * What one side brings to the startup. Private data is passed beside it.
 *
 * @param revision MPA revision an initiator asks with: 1 (RFC 5044) or 2 (RFC 6581, always enhanced); a responder
 *     answers with the revision it was asked with
 * @param crc whether we ask for CRC
 * @param markers whether we ask the peer for Markers in what it sends
 * @param peerToPeer whether an initiator asks for the peer-to-peer model; without meaning in revision 1 and for a
 *     responder
 * @param readyToReceive kinds of first message an initiator can send or a responder can take; not empty in revision 2
 * @param ird inbound Reads and atomics we hold, 0 to {@value #MAX_DEPTH}
 * @param ord outbound Reads and atomics we want, 0 to {@value #MAX_DEPTH}
 * @param maxIrd how far {@code ird} may be raised to suit the peer; at least {@code ird}
 * @param fallBackToRevision1 whether an initiator may try again with revision 1
 */
public record StartupOffer(
        int revision,
        boolean crc,
        boolean markers,
        boolean peerToPeer,
        Set<ReadyToReceive> readyToReceive,
        int ird,
        int ord,
        int maxIrd,
        boolean fallBackToRevision1) {

    /** Largest IRD and ORD that can be told to the peer; one more means "not negotiated" on the wire. */
    public static final int MAX_DEPTH = EnhancedWord.NOT_NEGOTIATED - 1;

    /** Refuses what no frame can say. */
    public StartupOffer {
        readyToReceive = Set.copyOf(readyToReceive);
        if (revision != 1 && revision != 2) {
            throw new IllegalArgumentException("MPA revision " + revision + " is neither 1 nor 2");
        }
        if (revision == 2 && readyToReceive.isEmpty()) {
            throw new IllegalArgumentException("revision 2 needs at least one kind of ready-to-receive message");
        }
        if (ird < 0 || maxIrd < ird || maxIrd > MAX_DEPTH || ord < 0 || ord > MAX_DEPTH) {
            throw new IllegalArgumentException(
                    "IRD " + ird + " (at most " + maxIrd + ") and ORD " + ord + " must be within 0 to " + MAX_DEPTH);
        }
    }
}
