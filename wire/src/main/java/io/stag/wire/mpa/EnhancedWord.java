package io.stag.wire.mpa;

import static io.stag.wire.NetworkOrder.U16;

import java.lang.foreign.MemorySegment;

/**
 * The word that begins the private data of an enhanced startup frame (RFC 6581, section 9).
 *
 * <pre>
 *  0     2           16    18          32
 *  |A|B| IRD, 14 bits |C|D| ORD, 14 bits |
 * </pre>
 *
 * @param peerToPeer A: a ready-to-receive message will follow
 * @param rtrSend B: it may be a zero-length Send
 * @param rtrWrite C: it may be a zero-length RDMA Write
 * @param rtrRead D: it may be a zero-length RDMA Read
 * @param ird inbound RDMA Read queue depth, or {@link #NOT_NEGOTIATED}
 * @param ord outbound RDMA Read queue depth, or {@link #NOT_NEGOTIATED}
 */
public record EnhancedWord(boolean peerToPeer, boolean rtrSend, boolean rtrWrite, boolean rtrRead, int ird, int ord) {
    /** Octets of the word. */
    public static final int LENGTH = 4;

    /** IRD or ORD that is left to the upper layer; also the largest value of the fields. */
    public static final int NOT_NEGOTIATED = 0x3FFF;

    private static final int ORD = 2;
    private static final int FIRST_FLAG = 0x8000;
    private static final int SECOND_FLAG = 0x4000;
    private static final int DEPTH_MASK = 0x3FFF;

    /** Refuses depths that do not fit into 14 bits. */
    public EnhancedWord {
        if ((ird & ~DEPTH_MASK) != 0 || (ord & ~DEPTH_MASK) != 0) {
            throw new IllegalArgumentException("IRD " + ird + " or ORD " + ord + " exceeds 14 bits");
        }
    }

    /**
     * Reads a word.
     *
     * @param segment where to read; {@link #LENGTH} octets must be there
     * @param offset offset of the word
     * @return the word
     */
    public static EnhancedWord read(MemorySegment segment, long offset) {
        int first = segment.get(U16, offset);
        int second = segment.get(U16, offset + ORD);
        return new EnhancedWord(
                (first & FIRST_FLAG) != 0,
                (first & SECOND_FLAG) != 0,
                (second & FIRST_FLAG) != 0,
                (second & SECOND_FLAG) != 0,
                first & DEPTH_MASK,
                second & DEPTH_MASK);
    }

    /**
     * Writes this word.
     *
     * @param segment where to write
     * @param offset offset of the word
     */
    public void put(MemorySegment segment, long offset) {
        segment.set(U16, offset, half(peerToPeer, rtrSend, ird));
        segment.set(U16, offset + ORD, half(rtrWrite, rtrRead, ord));
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        out.append(peerToPeer ? "peer-to-peer" : "client-server").append(" RTR");
        if (!rtrSend && !rtrWrite && !rtrRead) {
            out.append(" none");
        }
        out.append(rtrSend ? " Send" : "").append(rtrWrite ? " Write" : "").append(rtrRead ? " Read" : "");
        appendDepth(out.append(" IRD "), ird);
        return appendDepth(out.append(" ORD "), ord);
    }

    private static short half(boolean first, boolean second, int depth) {
        return (short) ((first ? FIRST_FLAG : 0) | (second ? SECOND_FLAG : 0) | depth);
    }

    private static StringBuilder appendDepth(StringBuilder out, int depth) {
        return depth == NOT_NEGOTIATED ? out.append("not negotiated") : out.append(depth);
    }
}
