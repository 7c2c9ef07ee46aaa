package io.stag.rnic.rdmap;

/** Counters of one queue pair. Written by its agent, read by anybody: values may be a little old. */
public final class StreamCounters {
    /** Messages staged for sending. */
    public long messagesSent;
    /** Messages completely received. */
    public long messagesReceived;
    /** Segments staged for sending. */
    public long segmentsSent;
    /** Segments received and accepted. */
    public long segmentsReceived;
    /** Stream octets taken by the transport. */
    public long octetsSent;
    /** Stream octets received. */
    public long octetsReceived;
    /** Reads answered. */
    public long readsServed;
    /** Atomics carried out. */
    public long atomicsServed;
    /** Completions generated. */
    public long completions;
    /** Completions with another status than success. */
    public long completionErrors;
    /** Terminates sent. */
    public long terminatesSent;
    /** Terminates received. */
    public long terminatesReceived;

    /** All zero. */
    public StreamCounters() {}
}
