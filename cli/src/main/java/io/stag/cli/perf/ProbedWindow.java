package io.stag.cli.perf;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * How many messages may be on their way: UDP has no credits, and a sender that does not look back drowns its receiver. From
 * time to time the sender asks a question, a probe; the answer says that everything before it has arrived or is lost. A
 * question or answer that gets lost is asked again after a while.
 */
final class ProbedWindow {
    /** What the receiver asks its system for. */
    static final int RECEIVE_BUFFER = 4 << 20;

    private static final int DEPTHS = 4;
    private static final int OVERHEAD = 1_024; // what a system counts for a datagram besides its octets
    private static final long PATIENCE_NANOS = 20_000_000;

    private final int size;
    private long sent;
    private long probed;
    private long answered;
    private long probedAt;

    ProbedWindow(int size) {
        this.size = size;
    }

    /**
     * Messages that fit the receive buffer of a system like this one; one at least.
     *
     * @param segment octets of a message in one datagram
     * @param room octets of the receive buffer
     */
    static int messages(RunSpec spec, int segment, int room) {
        long cost = spec.size() + (long) Math.ceilDiv(spec.size(), segment) * OVERHEAD;
        return (int) Math.clamp(room / cost, 1, (long) DEPTHS * spec.depth());
    }

    /** The receive buffer that the system grants; it may be less than one wants. */
    static int receiveBuffer() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
            return channel.getOption(StandardSocketOptions.SO_RCVBUF);
        }
    }

    /** Messages that may be on their way at most. */
    int size() {
        return size;
    }

    boolean hasRoom(int messages) {
        return sent + messages - answered <= size;
    }

    void sent(int messages) {
        sent += messages;
    }

    /** Whether to ask: after a quarter of the window, or when no answer came for long. */
    boolean isProbeDue(long nowNanos) {
        return sent - probed >= Math.max(1, size / 4) || isOverdue(nowNanos);
    }

    /** The same when nothing more will be sent: everything must be answered for. */
    boolean isLastProbeDue(long nowNanos) {
        return probed < sent || isOverdue(nowNanos);
    }

    private boolean isOverdue(long nowNanos) {
        return answered < sent && nowNanos - probedAt > PATIENCE_NANOS;
    }

    /** What a question that is asked now says. */
    long probe(long nowNanos) {
        probed = sent;
        probedAt = nowNanos;
        return sent;
    }

    /** Takes an answer; one that was overtaken, or that nobody asked for, changes nothing. */
    void answered(long value) {
        if (value > answered && value <= probed) {
            answered = value;
        }
    }

    boolean isAllAnswered() {
        return answered == sent;
    }
}
