package io.stag.cli.dump;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Reads that one side requested and the other answers, matched by their order alone (RFC 5040, section 5.2). */
final class ReadTracker {
    private static final String CLAUSE = "RFC 5040 §5.2.2";
    private static final int MAX_OUTSTANDING = 1 << 16;
    private static final HexFormat HEX = HexFormat.of();

    /** What the response must say. */
    record Expected(int sinkStag, long sinkOffset, int size) {}

    private final Deque<Expected> outstanding = new ArrayDeque<>();
    private boolean complete;
    private int answered;

    /** @param fromStart whether all requests are in the capture */
    ReadTracker(boolean fromStart) {
        complete = fromStart;
    }

    void requested(Expected read) {
        if (outstanding.size() == MAX_OUTSTANDING) {
            forget();
        }
        outstanding.add(read);
    }

    /** Requests or responses are missing from the capture: nothing can be matched any more. */
    void forget() {
        complete = false;
        outstanding.clear();
        answered = 0;
    }

    void answered(int stag, long offset, int length, boolean last, Frame.Builder frame) {
        if (!complete) {
            return;
        }
        Expected read = outstanding.peek();
        if (read == null) {
            frame.anomaly("no Read is outstanding, Terminate 0x0206", CLAUSE);
            return;
        }
        check(read, stag, offset, length, last, frame);
        answered = last ? 0 : answered + length;
        if (last) {
            outstanding.remove();
        }
    }

    private void check(Expected read, int stag, long offset, int length, boolean last, Frame.Builder frame) {
        String wrong = difference(read, stag, offset, length, last);
        if (wrong != null) {
            frame.anomaly("does not answer the oldest Read: " + wrong, CLAUSE);
        }
    }

    private @Nullable String difference(Expected read, int stag, long offset, int length, boolean last) {
        long size = Integer.toUnsignedLong(read.size);
        long total = Integer.toUnsignedLong(answered) + length;
        if (stag != read.sinkStag) {
            return "sink STag is 0x" + HEX.toHexDigits(read.sinkStag);
        } else if (offset != read.sinkOffset + Integer.toUnsignedLong(answered)) {
            return "sink TO is 0x" + HEX.toHexDigits(read.sinkOffset + Integer.toUnsignedLong(answered));
        } else if (total > size || (last && total != size)) {
            return "its size is " + size + ", so far " + total;
        }
        return null;
    }
}
