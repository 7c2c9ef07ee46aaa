package io.stag.verbs;

import java.util.Map;

/**
 * What a datagram queue pair has done since it was made.
 *
 * @param messagesSent messages handed to the network
 * @param datagramsSent datagrams handed to the network
 * @param octetsSent octets of these, headers included
 * @param sendCalls calls that handed them over; one may take many datagrams
 * @param sendFailures messages that the network refused
 * @param datagramsReceived datagrams received, refused ones included
 * @param octetsReceived octets of these, headers included
 * @param receiveCalls calls that brought them; one may bring many datagrams
 * @param messagesReceived Sends received completely
 * @param recordsComplete Write-Records of which every octet was placed
 * @param recordsPartial Write-Records that were closed before every octet had come
 * @param octetsPlaced octets of payload placed, of Sends and Write-Records
 * @param messagesTimedOut messages closed because nothing more came in time
 * @param messagesDisplaced messages closed early to make room for others
 * @param recordsNotQueued records that the validity maps show, but not the completion queue, where too many waited already
 * @param completionsLost completions that found the completion queue full
 * @param errorsDropped errors that found the error queue full
 * @param openMessages messages of which more is awaited now
 * @param sources sources known now
 * @param reassemblyOctets memory that keeps track of open messages now
 * @param refused datagrams refused, by reason
 */
public record DatagramCounters(
        long messagesSent,
        long datagramsSent,
        long octetsSent,
        long sendCalls,
        long sendFailures,
        long datagramsReceived,
        long octetsReceived,
        long receiveCalls,
        long messagesReceived,
        long recordsComplete,
        long recordsPartial,
        long octetsPlaced,
        long messagesTimedOut,
        long messagesDisplaced,
        long recordsNotQueued,
        long completionsLost,
        long errorsDropped,
        int openMessages,
        int sources,
        long reassemblyOctets,
        Map<DatagramRefusal, Long> refused) {

    /** Takes a copy of the map. */
    public DatagramCounters {
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
