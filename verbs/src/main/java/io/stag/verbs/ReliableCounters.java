package io.stag.verbs;

import java.util.Map;

/**
 * What a reliable datagram queue pair has done since it was made.
 *
 * @param messagesSent messages that a peer has acknowledged
 * @param messagesReceived messages of peers that took effect here
 * @param datagramsSent datagrams handed to the network, repeated ones and acknowledgements included
 * @param octetsSent octets of these, headers included
 * @param sendCalls calls that handed them over; one may take many datagrams
 * @param datagramsReceived datagrams received, refused ones included
 * @param octetsReceived octets of these, headers included
 * @param receiveCalls calls that brought them; one may bring many datagrams
 * @param retransmissions datagrams sent again
 * @param spuriousRetransmissions of these, such that had come the first time
 * @param timeouts times that a peer acknowledged nothing for too long
 * @param duplicates datagrams that came twice
 * @param outOfOrder datagrams that came before others that were due
 * @param notKept early datagrams that there was no room to keep; they come again
 * @param acknowledgementsSent datagrams sent with nothing but an acknowledgement
 * @param peerNotReady times that a peer had no receive for a message, or too many Reads waited there
 * @param notReady times that a message came for which there was no receive, or too many Reads waited here
 * @param badAcknowledgements acknowledgements that were nonsense
 * @param streamsFailed peers to which requests failed
 * @param peersRefused peers told that they broke a rule
 * @param completionsLost completions that found the completion queue full
 * @param errorsDropped errors that found the error queue full
 * @param peers peers remembered now
 * @param activePeers peers with something on its way now, either way
 * @param roundTripNanos smoothed round trip to the peer last heard, or 0
 * @param window datagrams that may be on their way to the peer last heard
 * @param refused datagrams refused, by reason
 */
public record ReliableCounters(
        long messagesSent,
        long messagesReceived,
        long datagramsSent,
        long octetsSent,
        long sendCalls,
        long datagramsReceived,
        long octetsReceived,
        long receiveCalls,
        long retransmissions,
        long spuriousRetransmissions,
        long timeouts,
        long duplicates,
        long outOfOrder,
        long notKept,
        long acknowledgementsSent,
        long peerNotReady,
        long notReady,
        long badAcknowledgements,
        long streamsFailed,
        long peersRefused,
        long completionsLost,
        long errorsDropped,
        int peers,
        int activePeers,
        long roundTripNanos,
        int window,
        Map<DatagramRefusal, Long> refused) {

    /** Takes a copy of the map. */
    public ReliableCounters {
        refused = Map.copyOf(refused);
    }

    /** Datagrams refused for one reason. */
    public long refused(DatagramRefusal reason) {
        return refused.getOrDefault(reason, 0L);
    }

    /** Datagrams refused for any reason. */
    public long refusedInAll() {
        return refused.values().stream().mapToLong(Long::longValue).sum();
    }
}
