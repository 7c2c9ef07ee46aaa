package io.stag.cli.dump;

import io.stag.wire.SerialNumber;
import io.stag.wire.rdmap.RdmapOpcode;
import java.util.Arrays;

/** Message sequence numbers and offsets of the four queues of one direction (RFC 5041, sections 4.3 and 5.2). */
final class UntaggedOrder {
    private static final String MSN_CLAUSE = "RFC 5041 §4.3";
    private static final String MO_CLAUSE = "RFC 5041 §5.2";
    private static final int QUEUES = RdmapOpcode.ATOMIC_RESPONSE_QUEUE + 1;

    private final int[] nextMsn = new int[QUEUES];
    private final int[] nextOffset = new int[QUEUES];
    private final boolean[] known = new boolean[QUEUES];

    UntaggedOrder(boolean fromStart) {
        for (int queue = 0; queue < QUEUES; queue++) {
            nextMsn[queue] = 1;
            known[queue] = fromStart;
        }
    }

    /** Octets are missing: the next segment of each queue is taken as it comes. */
    void forget() {
        Arrays.fill(known, false);
    }

    void segment(int queue, int msn, int offset, int length, boolean last, Frame.Builder frame) {
        if (known[queue]) {
            check(queue, msn, offset, frame);
        }
        known[queue] = true;
        nextMsn[queue] = last ? SerialNumber.next(msn) : msn;
        nextOffset[queue] = last ? 0 : offset + length;
    }

    private void check(int queue, int msn, int offset, Frame.Builder frame) {
        if (msn != nextMsn[queue]) {
            int distance = SerialNumber.distance(nextMsn[queue], msn);
            String kind = distance > 0 ? "MSN gap" : "MSN repeated";
            frame.anomaly(
                    kind + " on queue " + queue + ": " + Integer.toUnsignedString(msn) + ", expected "
                            + Integer.toUnsignedString(nextMsn[queue]) + ", Terminate 0x1203",
                    MSN_CLAUSE);
        } else if (offset != nextOffset[queue]) {
            frame.anomaly(
                    "MO " + Integer.toUnsignedString(offset) + ", expected "
                            + Integer.toUnsignedString(nextOffset[queue]) + ", Terminate 0x1204",
                    MO_CLAUSE);
        }
    }
}
