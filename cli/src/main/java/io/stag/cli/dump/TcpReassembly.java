package io.stag.cli.dump;

import java.util.Map;
import java.util.TreeMap;

/**
 * Puts the segments of one direction of a TCP connection in order. Octets seen twice are dropped, early ones held back
 * until the gap before them is filled; when too many are held back, the gap is reported and left open.
 */
final class TcpReassembly {
    /** Takes the stream in order. Positions count from the first octet after the SYN, or the first one captured. */
    interface Sink {
        void octets(byte[] data, int offset, int length, long timestampNanos);

        /** {@code length} octets of the stream are not in the capture. */
        void gap(long length, long timestampNanos);

        /** The stream ended, by FIN or RST. */
        void end(boolean reset, long timestampNanos);
    }

    private static final int MAX_HELD = 4 << 20;

    private final MemoryBudget budget;
    private final Sink sink;
    private final TreeMap<Long, byte[]> held = new TreeMap<>();
    private int heldOctets;
    private boolean started;
    private boolean ended;
    private int nextSequence;
    private long nextPosition;
    private long finPosition = Long.MAX_VALUE;
    private long retransmissions;
    private long outOfOrder;

    TcpReassembly(MemoryBudget budget, Sink sink) {
        this.budget = budget;
        this.sink = sink;
    }

    /** The stream begins after the SYN's sequence number. */
    void start(int synSequence) {
        if (!started) {
            started = true;
            nextSequence = synSequence + 1;
        }
    }

    /** True when {@code synSequence} is not the one the stream began with: the ports were used again. */
    boolean isOther(int synSequence) {
        return started && synSequence + 1 != nextSequence - (int) nextPosition;
    }

    /** Takes a segment. */
    void segment(TcpSegment segment, long timestampNanos) {
        if (!started) {
            started = true;
            nextSequence = segment.sequence;
        }
        if (ended) {
            return;
        }
        int sequence = (segment.flags & TcpSegment.SYN) != 0 ? segment.sequence + 1 : segment.sequence;
        long position = nextPosition + (sequence - nextSequence);
        long end = position + segment.payloadLength;
        if ((segment.flags & TcpSegment.FIN) != 0) {
            finPosition = end + segment.payloadCut;
        }
        if (segment.payloadLength > 0) {
            if (position > nextPosition) {
                hold(position, segment, timestampNanos);
            } else if (end > nextPosition) {
                int skip = (int) (nextPosition - position);
                deliver(segment.octets, segment.payloadOffset + skip, segment.payloadLength - skip, timestampNanos);
                deliverHeld(timestampNanos);
            } else {
                retransmissions++;
            }
        }
        if (segment.payloadCut > 0 && end == nextPosition) {
            leaveGap(segment.payloadCut, timestampNanos);
        }
        endIfDue((segment.flags & TcpSegment.RST) != 0, timestampNanos);
    }

    /** No more packets: what was held back is delivered, with the gaps between. */
    void finish(long timestampNanos) {
        while (!held.isEmpty()) {
            leaveGap(held.firstKey() - nextPosition, timestampNanos);
        }
        endIfDue(false, timestampNanos);
    }

    /** Nobody wants the octets any more. */
    void discard() {
        held.clear();
        budget.giveBack(heldOctets);
        heldOctets = 0;
        ended = true;
    }

    long retransmissions() {
        return retransmissions;
    }

    long outOfOrder() {
        return outOfOrder;
    }

    private void hold(long position, TcpSegment segment, long timestampNanos) {
        outOfOrder++;
        byte[] before = held.get(position);
        if (before != null && before.length >= segment.payloadLength) {
            retransmissions++;
            return;
        }
        while (heldOctets + segment.payloadLength > MAX_HELD || !budget.take(segment.payloadLength)) {
            if (held.isEmpty()) { // others use up the budget
                leaveGap(position - nextPosition, timestampNanos);
                deliver(segment.octets, segment.payloadOffset, segment.payloadLength, timestampNanos);
                return;
            }
            leaveGap(held.firstKey() - nextPosition, timestampNanos);
            if (position <= nextPosition) { // the gap before this segment is gone: take it the usual way
                segment(segment, timestampNanos);
                return;
            }
        }
        byte[] copy = new byte[segment.payloadLength];
        System.arraycopy(segment.octets, segment.payloadOffset, copy, 0, copy.length);
        byte[] replaced = held.put(position, copy);
        heldOctets += copy.length;
        if (replaced != null) {
            release(replaced);
        }
    }

    private void leaveGap(long length, long timestampNanos) {
        if (length > 0) {
            nextPosition += length;
            nextSequence += (int) length;
            sink.gap(length, timestampNanos);
        }
        deliverHeld(timestampNanos);
    }

    private void deliverHeld(long timestampNanos) {
        while (!held.isEmpty() && held.firstKey() <= nextPosition && !ended) {
            Map.Entry<Long, byte[]> first = held.pollFirstEntry();
            byte[] segment = first.getValue();
            release(segment);
            int skip = (int) (nextPosition - first.getKey());
            if (skip < segment.length) {
                deliver(segment, skip, segment.length - skip, timestampNanos);
            }
        }
    }

    private void release(byte[] segment) {
        heldOctets -= segment.length;
        budget.giveBack(segment.length);
    }

    private void deliver(byte[] data, int offset, int length, long timestampNanos) {
        nextPosition += length;
        nextSequence += length;
        sink.octets(data, offset, length, timestampNanos);
    }

    private void endIfDue(boolean reset, long timestampNanos) {
        if (!ended && (reset || nextPosition >= finPosition)) {
            ended = true;
            sink.end(reset, timestampNanos);
        }
    }
}
