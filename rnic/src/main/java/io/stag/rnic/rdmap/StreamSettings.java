package io.stag.rnic.rdmap;

import io.stag.verbs.cm.ConnectionConfig.ReadyToReceive;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an RDMAP stream starts with.
 *
 * @param initiator whether this side sent the MPA Request; a responder sends nothing before it received an FPDU
 * @param crc whether CRC32C is used, both ways
 * @param markersSent whether markers go into our stream
 * @param markersReceived whether markers come in the peer's stream
 * @param emss TCP segment size from which the size of FPDUs follows
 * @param ird Reads and atomics of the peer held at once
 * @param ord own Reads and atomics outstanding at once
 * @param firstMessage ready-to-receive message that an initiator sends first, or null
 * @param firstMessageTaken kinds of ready-to-receive message that a responder may get
 * @param allowRemoteRead whether the peer may read
 * @param allowRemoteWrite whether the peer may write
 */
public record StreamSettings(
        boolean initiator,
        boolean crc,
        boolean markersSent,
        boolean markersReceived,
        int emss,
        int ird,
        int ord,
        @Nullable ReadyToReceive firstMessage,
        Set<ReadyToReceive> firstMessageTaken,
        boolean allowRemoteRead,
        boolean allowRemoteWrite) {}
