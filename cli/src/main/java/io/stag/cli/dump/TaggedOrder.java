package io.stag.cli.dump;

import java.util.HexFormat;

/** Segments of RDMA Writes in one direction: those of one message follow each other (RFC 5041, section 5.2). */
final class TaggedOrder {
    private static final String CLAUSE = "RFC 5041 §5.2";

    private boolean inside;
    private int stag;
    private long nextOffset;

    /** Octets are missing: the next segment is taken as it comes. */
    void forget() {
        inside = false;
    }

    void segment(int segmentStag, long offset, int length, boolean last, Frame.Builder frame) {
        if (inside && (segmentStag != stag || offset != nextOffset)) {
            HexFormat hex = HexFormat.of();
            frame.anomaly(
                    "expected the rest of a message at STag 0x" + hex.toHexDigits(stag) + " TO 0x"
                            + hex.toHexDigits(nextOffset),
                    CLAUSE);
        }
        inside = !last;
        stag = segmentStag;
        nextOffset = offset + length;
    }
}
