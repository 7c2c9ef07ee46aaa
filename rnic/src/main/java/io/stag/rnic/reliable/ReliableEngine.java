package io.stag.rnic.reliable;

import io.stag.rnic.datagram.DatagramInput;
import io.stag.rnic.datagram.DatagramOutput;
import io.stag.rnic.memory.StagTable;
import io.stag.rnic.work.ReceiveQueue;
import io.stag.rnic.work.SendQueue;

/**
 * The protocol of one reliable datagram queue pair: requests and datagrams in, datagrams and completions out. It does no I/O
 * and reads no clock.
 *
 * <p>After requests were posted, after {@link #handle} and after {@link #handleTimeout}, ask {@link #hasOutput}; while it says
 * so, call {@link #fill}, hand the datagrams to a port, and tell with {@link #transmitted} how many entries it took. When
 * nothing came at a poll, call {@link #acknowledge} first. All calls may change {@link #nextDeadline}.
 */
public final class ReliableEngine {

    /** An engine that knows nobody yet. */
    public ReliableEngine(
            ReliableSettings settings,
            ReliableCounts counts,
            SendQueue sends,
            ReceiveQueue receives,
            StagTable stags,
            ReliableOwner owner) {}

    /** Takes everything that {@code input} holds, which came at about {@code nowNanos}. */
    public void handle(DatagramInput input, long nowNanos) {}

    /** Whether {@link #fill} would append something at {@code nowNanos}. */
    public boolean hasOutput(long nowNanos) {
        return false;
    }

    /** Appends datagrams until there is nothing more to send now, or no room. */
    public void fill(DatagramOutput output, long nowNanos) {}

    /** The port took this many entries of what {@link #fill} appended, and refused the next one if it has said so. */
    public void transmitted(DatagramOutput output, int taken) {}

    /** Nothing else came: acknowledgements that waited for company are due now. @return whether there are any */
    public boolean acknowledge() {
        return false;
    }

    /** When {@link #handleTimeout} is due; perhaps earlier than needed, never later. */
    public long nextDeadline() {
        return Long.MAX_VALUE;
    }

    /** Sends again, gives up, forgets. Everything that came before should have been handled. */
    public void handleTimeout(long nowNanos) {}

    /** Receives were posted: peers that wait for them may go on. */
    public void receivesPosted() {}

    /** Whether requests failed, so that no new ones are begun before {@link #reset}. */
    public boolean isFailed() {
        return false;
    }

    /** The program has dealt with the failure. */
    public void reset() {}

    /** Peers that are remembered. Any thread, perhaps a little old. */
    public int peers() {
        return 0;
    }

    /** Peers with something on its way, either way. Any thread, perhaps a little old. */
    public int activePeers() {
        return 0;
    }

    /** Smoothed round trip to the peer last heard, in nanoseconds. Any thread, perhaps a little old. */
    public long roundTripNanos() {
        return 0;
    }

    /** Datagrams that may be on their way to the peer last heard. Any thread, perhaps a little old. */
    public int window() {
        return 0;
    }
}
