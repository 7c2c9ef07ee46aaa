package io.stag.rnic.reliable;

import io.stag.verbs.DatagramRefusal;
import io.stag.verbs.ReliableCounters;
import java.util.EnumMap;
import java.util.Map;

/** Counters of one queue pair: plain fields, written under the agent's lock, read by anybody. */
@SuppressWarnings("EnumOrdinal") // an index into an array that nobody else sees
public final class ReliableCounts {
    /** Messages that a peer has acknowledged. */
    public long messagesSent;
    /** Messages that took effect here. */
    public long messagesReceived;
    /** Datagrams handed to the network. */
    public long datagramsSent;
    /** Octets handed to the network. */
    public long octetsSent;
    /** Datagrams received. */
    public long datagramsReceived;
    /** Octets received. */
    public long octetsReceived;
    /** Datagrams sent again. */
    public long retransmissions;
    /** Datagrams sent again although the first had come. */
    public long spuriousRetransmissions;
    /** Times that a peer acknowledged nothing for too long. */
    public long timeouts;
    /** Datagrams that came twice. */
    public long duplicates;
    /** Datagrams that came before others that were due. */
    public long outOfOrder;
    /** Early datagrams that there was no room to keep. */
    public long notKept;
    /** Datagrams with nothing but an acknowledgement, sent. */
    public long acknowledgementsSent;
    /** Times that a peer had no receive for a message, or too many Reads of ours. */
    public long peerNotReady;
    /** Times that a message came for which there was no receive, or too many Reads waited. */
    public long notReady;
    /** Acknowledgements that were nonsense. */
    public long badAcknowledgements;
    /** Streams that failed. */
    public long streamsFailed;
    /** Peers told that they broke a rule. */
    public long peersRefused;

    /** Calls that handed datagrams over. */
    public long sendCalls;
    /** Calls that brought datagrams. */
    public long receiveCalls;
    /** Completions that found no room. */
    public long completionsLost;
    /** Errors that found no room. */
    public long errorsDropped;

    private final long[] refused = new long[DatagramRefusal.values().length];

    /** Creates zeroes. */
    public ReliableCounts() {}

    /** Counts a datagram refused. */
    public void refused(DatagramRefusal reason) {
        refused[reason.ordinal()]++;
    }

    /** Datagrams refused for a reason. */
    public long refusals(DatagramRefusal reason) {
        return refused[reason.ordinal()];
    }

    /** Adds those of another queue pair. */
    public void add(ReliableCounts other) {
        messagesSent += other.messagesSent;
        messagesReceived += other.messagesReceived;
        datagramsSent += other.datagramsSent;
        octetsSent += other.octetsSent;
        sendCalls += other.sendCalls;
        datagramsReceived += other.datagramsReceived;
        octetsReceived += other.octetsReceived;
        receiveCalls += other.receiveCalls;
        retransmissions += other.retransmissions;
        spuriousRetransmissions += other.spuriousRetransmissions;
        timeouts += other.timeouts;
        duplicates += other.duplicates;
        outOfOrder += other.outOfOrder;
        notKept += other.notKept;
        acknowledgementsSent += other.acknowledgementsSent;
        peerNotReady += other.peerNotReady;
        notReady += other.notReady;
        badAcknowledgements += other.badAcknowledgements;
        streamsFailed += other.streamsFailed;
        peersRefused += other.peersRefused;
        completionsLost += other.completionsLost;
        errorsDropped += other.errorsDropped;
        for (int i = 0; i < refused.length; i++) {
            refused[i] += other.refused[i];
        }
    }

    /** All of them at about one moment. Any thread. */
    public ReliableCounters snapshot(int peers, int activePeers, long roundTripNanos, int window) {
        Map<DatagramRefusal, Long> reasons = new EnumMap<>(DatagramRefusal.class);
        for (DatagramRefusal reason : DatagramRefusal.values()) {
            if (refusals(reason) > 0) {
                reasons.put(reason, refusals(reason));
            }
        }
        return new ReliableCounters(
                messagesSent,
                messagesReceived,
                datagramsSent,
                octetsSent,
                sendCalls,
                datagramsReceived,
                octetsReceived,
                receiveCalls,
                retransmissions,
                spuriousRetransmissions,
                timeouts,
                duplicates,
                outOfOrder,
                notKept,
                acknowledgementsSent,
                peerNotReady,
                notReady,
                badAcknowledgements,
                streamsFailed,
                peersRefused,
                completionsLost,
                errorsDropped,
                peers,
                activePeers,
                roundTripNanos,
                window,
                reasons);
    }
}
