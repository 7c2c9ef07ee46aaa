package io.stag.rnic.rdmap;

import io.stag.rnic.work.WorkKind;
import io.stag.verbs.QueuePairCounters;

/** Counters of one queue pair. Written by its agent, read by anybody: values may be a little old. */
public final class StreamCounters {
    /** Messages staged for sending. */
    public long messagesSent;
    /** Messages completely received. */
    public long messagesReceived;
    /** Messages staged that take a receive. */
    public long sendsSent;
    /** Messages that took a receive. */
    public long sendsReceived;
    /** Writes staged. */
    public long writesSent;
    /** Writes placed. */
    public long writesReceived;
    /** Read Requests staged. */
    public long readsSent;
    /** Reads answered. */
    public long readsServed;
    /** Atomic requests staged. */
    public long atomicsSent;
    /** Atomics carried out. */
    public long atomicsServed;
    /** Segments staged for sending. */
    public long segmentsSent;
    /** Segments received and accepted. */
    public long segmentsReceived;
    /** Stream octets taken by the transport. */
    public long octetsSent;
    /** Stream octets received. */
    public long octetsReceived;
    /** Times that the transport took less than there was. */
    public long sendStalls;
    /** Completions generated. */
    public long completions;
    /** Completions with another status than success. */
    public long completionErrors;
    /** Completions of requests that were not carried out. */
    public long completionsFlushed;
    /** Terminates sent. */
    public long terminatesSent;
    /** Terminates received. */
    public long terminatesReceived;

    /** Segments of Reads of nothing, both ways: requests and responses of liveness probes. */
    public long emptyReadSegments;

    /** All zero. */
    public StreamCounters() {}

    /** Counts a message by what asked for it. Of a Write with Immediate the Write was counted before. */
    void messageSent(WorkKind kind) {
        messagesSent++;
        switch (kind) {
            case SEND, IMMEDIATE, WRITE_IMMEDIATE -> sendsSent++;
            case WRITE -> writesSent++;
            case READ -> readsSent++;
            case FETCH_ADD, COMPARE_SWAP -> atomicsSent++;
            case INVALIDATE, BIND, FAST_REGISTER -> throw new IllegalStateException(kind + " has no message");
        }
    }

    /** A count that changes with every segment but those of liveness probes. */
    public long workDone() {
        return segmentsSent + segmentsReceived - emptyReadSegments;
    }

    /** Adds what another queue pair has done. */
    public void add(StreamCounters other) {
        messagesSent += other.messagesSent;
        messagesReceived += other.messagesReceived;
        sendsSent += other.sendsSent;
        sendsReceived += other.sendsReceived;
        writesSent += other.writesSent;
        writesReceived += other.writesReceived;
        readsSent += other.readsSent;
        readsServed += other.readsServed;
        atomicsSent += other.atomicsSent;
        atomicsServed += other.atomicsServed;
        segmentsSent += other.segmentsSent;
        segmentsReceived += other.segmentsReceived;
        octetsSent += other.octetsSent;
        octetsReceived += other.octetsReceived;
        sendStalls += other.sendStalls;
        completions += other.completions;
        completionErrors += other.completionErrors;
        completionsFlushed += other.completionsFlushed;
        terminatesSent += other.terminatesSent;
        terminatesReceived += other.terminatesReceived;
    }

    /** The values at this moment. */
    public QueuePairCounters snapshot() {
        return new QueuePairCounters(
                messagesSent,
                messagesReceived,
                sendsSent,
                sendsReceived,
                writesSent,
                writesReceived,
                readsSent,
                readsServed,
                atomicsSent,
                atomicsServed,
                segmentsSent,
                segmentsReceived,
                octetsSent,
                octetsReceived,
                sendStalls,
                completions,
                completionErrors,
                completionsFlushed,
                terminatesSent,
                terminatesReceived);
    }
}
