package io.stag.rnic.flight;

import io.stag.verbs.CompletionStatus;
import io.stag.verbs.DatagramCounters;
import io.stag.verbs.DatagramQueuePair;
import io.stag.verbs.ErrorDetail;
import io.stag.verbs.Operation;
import io.stag.verbs.QueuePair;
import io.stag.verbs.QueuePairState;
import io.stag.verbs.ReliableCounters;
import io.stag.verbs.ReliableQueuePair;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The way to the flight recorder. No class of an event is loaded before somebody has started to record: the JDK makes
 * them over while it loads them, which takes a good part of a second for the first one.
 */
public final class FlightEvents {
    private FlightEvents() {}

    /** Whether anybody records or has recorded; a plain field of the JDK. */
    public static boolean isOn() {
        return FlightRecorder.isInitialized();
    }

    /** A queue pair goes from one state to another. */
    public static void queuePairState(
            QueuePair queuePair, QueuePairState from, QueuePairState to, @Nullable ErrorDetail cause) {
        if (isOn() && from != to) {
            QueuePairStateEvent.record(queuePair, from, to, cause);
        }
    }

    /** A Terminate went out or came in. */
    public static void terminate(QueuePair queuePair, boolean sent, ErrorDetail detail) {
        if (isOn()) {
            TerminateEvent.record(queuePair, sent, detail);
        }
    }

    /** A datagram queue pair refused datagrams or gave messages up between two moments. */
    public static void datagramLoss(DatagramQueuePair queuePair, DatagramCounters before, DatagramCounters now) {
        if (isOn()) {
            DatagramLossEvent.record(queuePair, before, now);
        }
    }

    /** Datagrams of a reliable datagram queue pair count as lost. */
    public static void reliableLoss(
            ReliableQueuePair queuePair, String peer, long lost, ReliableCounters before, ReliableCounters now) {
        if (isOn()) {
            ReliableLossEvent.record(queuePair, peer, lost, before, now);
        }
    }

    /** A reliable datagram queue pair waits for a peer. */
    public static void reliableStall(ReliableQueuePair queuePair, String peer, long times) {
        if (isOn()) {
            ReliableStallEvent.record(queuePair, peer, times);
        }
    }

    /** A work request failed. */
    public static void workError(
            QueuePair queuePair,
            long workId,
            Operation operation,
            CompletionStatus status,
            @Nullable ErrorDetail detail) {
        if (isOn()) {
            WorkErrorEvent.record(queuePair, workId, operation, status, detail);
        }
    }
}
