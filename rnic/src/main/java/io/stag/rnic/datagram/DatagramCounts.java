package io.stag.rnic.datagram;

import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramRefusal;
import java.util.EnumMap;
import java.util.Map;

/** Counters of one queue pair: plain fields, written under the agent's lock, read by anybody. */
@SuppressWarnings("EnumOrdinal") // an index into an array that nobody else sees
public final class DatagramCounts {
    private static final DatagramRefusal[] REASONS = DatagramRefusal.values();

    /** Messages handed to the network. */
    public long messagesSent;
    /** Datagrams handed to the network. */
    public long datagramsSent;
    /** Octets handed to the network. */
    public long octetsSent;
    /** Calls that did so. */
    public long sendCalls;
    /** Messages that could not be sent. */
    public long sendFailures;
    /** Datagrams received. */
    public long datagramsReceived;
    /** Octets received. */
    public long octetsReceived;
    /** Calls that brought them. */
    public long receiveCalls;
    /** Sends received. */
    public long messagesReceived;
    /** Write-Records that came completely. */
    public long recordsComplete;
    /** Write-Records that did not. */
    public long recordsPartial;
    /** Octets of payload placed. */
    public long octetsPlaced;
    /** Messages closed by time. */
    public long messagesTimedOut;
    /** Messages closed to make room. */
    public long messagesDisplaced;
    /** Records that did not become completions. */
    public long recordsNotQueued;
    /** Completions that found no room. */
    public long completionsLost;
    /** Errors that found no room. */
    public long errorsDropped;

    private final long[] refused = new long[REASONS.length];

    /** Creates zeroes. */
    public DatagramCounts() {}

    /** Counts a datagram refused. */
    public void refused(DatagramRefusal reason) {
        refused[reason.ordinal()]++;
    }

    /** Everything that somebody may miss: a sum to see that more was lost. */
    public long losses() {
        long sum = recordsPartial + messagesTimedOut + messagesDisplaced + recordsNotQueued + completionsLost;
        for (long count : refused) {
            sum += count;
        }
        return sum;
    }

    /** Adds what another queue pair has done. */
    public void add(DatagramCounts other) {
        messagesSent += other.messagesSent;
        datagramsSent += other.datagramsSent;
        octetsSent += other.octetsSent;
        sendCalls += other.sendCalls;
        sendFailures += other.sendFailures;
        datagramsReceived += other.datagramsReceived;
        octetsReceived += other.octetsReceived;
        receiveCalls += other.receiveCalls;
        messagesReceived += other.messagesReceived;
        recordsComplete += other.recordsComplete;
        recordsPartial += other.recordsPartial;
        octetsPlaced += other.octetsPlaced;
        messagesTimedOut += other.messagesTimedOut;
        messagesDisplaced += other.messagesDisplaced;
        recordsNotQueued += other.recordsNotQueued;
        completionsLost += other.completionsLost;
        errorsDropped += other.errorsDropped;
        for (int i = 0; i < refused.length; i++) {
            refused[i] += other.refused[i];
        }
    }

    /** All of them at about one moment. Any thread. */
    public DatagramCounters snapshot(int openMessages, int sources, long reassemblyOctets) {
        Map<DatagramRefusal, Long> reasons = new EnumMap<>(DatagramRefusal.class);
        for (DatagramRefusal reason : REASONS) {
            if (refused[reason.ordinal()] > 0) {
                reasons.put(reason, refused[reason.ordinal()]);
            }
        }
        return new DatagramCounters(
                messagesSent,
                datagramsSent,
                octetsSent,
                sendCalls,
                sendFailures,
                datagramsReceived,
                octetsReceived,
                receiveCalls,
                messagesReceived,
                recordsComplete,
                recordsPartial,
                octetsPlaced,
                messagesTimedOut,
                messagesDisplaced,
                recordsNotQueued,
                completionsLost,
                errorsDropped,
                openMessages,
                sources,
                reassemblyOctets,
                reasons);
    }
}
