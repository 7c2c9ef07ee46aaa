package io.stag.wire.ddp;

import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U64;
import static io.stag.wire.NetworkOrder.pair;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Header of an untagged DDP segment (RFC 5041, section 4.3). One instance per agent, re-wrapped per segment.
 *
 * <pre>
 *  0         1         2                 6    10    14   18
 *  | control | RsvdULP | invalidate STag | QN | MSN | MO | payload or header of RDMAP
 * </pre>
 *
 * <p>To DDP the octets 1 to 5 are all RsvdULP; RDMAP puts the STag to invalidate into the last four of them (RFC 5040,
 * section 4.1).
 */
public final class UntaggedHeader {
    /** Octets of the header. */
    public static final int LENGTH = 18;

    private static final int CONTROL = 0;
    private static final int INVALIDATE_STAG = 2;
    private static final int QN = 6;
    private static final int MSN = 10;
    private static final int MO = 14;
    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public UntaggedHeader() {}

    /**
     * Lays this flyweight over a header that may use the rest of the segment.
     *
     * @param segment memory with the header
     * @param offset offset of its first octet
     * @return false when fewer than {@link #LENGTH} octets are left; no accessor may then be called
     */
    public boolean wrap(MemorySegment segment, long offset) {
        return wrap(segment, offset, Long.MAX_VALUE);
    }

    /**
     * Lays this flyweight over a header.
     *
     * @param segment memory with the header
     * @param offset offset of its first octet
     * @param available octets from there on that belong to the DDP segment
     * @return false when fewer than {@link #LENGTH} octets are left; no accessor may then be called
     */
    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"
    }) // only whether there is something to store
    public boolean wrap(MemorySegment segment, long offset, long available) {
        if (this.segment != segment) { // a store costs more, since the garbage collector keeps books of them
            this.segment = segment;
        }
        this.base = offset;
        return Math.min(available, segment.byteSize() - offset) >= LENGTH;
    }

    /**
     * DDP control octet; {@link DdpControl} takes it apart.
     *
     * @return 0 to 255
     */
    public int control() {
        return DdpControl.ddpControl(segment, base);
    }

    /**
     * RsvdULP octet, to RDMAP its control octet; {@link DdpControl} takes it apart.
     *
     * @return 0 to 255
     */
    public int rsvdUlp() {
        return DdpControl.rdmapControl(segment, base);
    }

    /**
     * T.
     *
     * @return true when the segment is tagged
     */
    public boolean isTagged() {
        return DdpControl.isTagged(control());
    }

    /**
     * L.
     *
     * @return true when the segment is the last of its message
     */
    public boolean isLast() {
        return DdpControl.isLast(control());
    }

    /**
     * DV.
     *
     * @return 0 to 3
     */
    public int version() {
        return DdpControl.version(control());
    }

    /**
     * RV.
     *
     * @return 0 to 3
     */
    public int rdmapVersion() {
        return DdpControl.rdmapVersion(rsvdUlp());
    }

    /**
     * Opcode of RDMAP.
     *
     * @return 0 to 15
     */
    public int opcode() {
        return DdpControl.opcode(rsvdUlp());
    }

    /**
     * Invalidate STag, of Send with Invalidate only; else reserved.
     *
     * @return the steering tag to invalidate
     */
    public int invalidateStag() {
        return segment.get(U32, base + INVALIDATE_STAG);
    }

    /**
     * QN.
     *
     * @return the queue number, unsigned
     */
    public int queueNumber() {
        return segment.get(U32, base + QN);
    }

    /**
     * MSN.
     *
     * @return the message sequence number, to be compared with {@link io.stag.wire.SerialNumber}
     */
    public int msn() {
        return segment.get(U32, base + MSN);
    }

    /**
     * MO.
     *
     * @return offset of the payload in its message, unsigned
     */
    public int messageOffset() {
        return segment.get(U32, base + MO);
    }

    /**
     * Writes the header of a segment of {@link DdpControl#VERSION}.
     *
     * @param last L
     * @param rsvdUlp the octet of RDMAP, see {@link DdpControl#rdmap(int)}
     * @param invalidateStag STag to invalidate, or 0
     * @param queueNumber QN
     * @param msn MSN
     * @param messageOffset MO
     */
    public void put(boolean last, int rsvdUlp, int invalidateStag, int queueNumber, int msn, int messageOffset) {
        int controls = DdpControl.controls(DdpControl.ddp(false, last), rsvdUlp);
        segment.set(
                U64, base + CONTROL, pair(controls, invalidateStag) << Short.SIZE); // the next write is over its end
        segment.set(U64, base + QN, pair(queueNumber, msn));
        segment.set(U32, base + MO, messageOffset);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        DdpControl.appendTo(out, control(), rsvdUlp());
        if (invalidateStag() != 0) {
            out.append(" invalidate STag 0x").append(HEX.toHexDigits(invalidateStag()));
        }
        out.append(" QN ").append(Integer.toUnsignedString(queueNumber()));
        out.append(" MSN ").append(Integer.toUnsignedString(msn()));
        return out.append(" MO ").append(Integer.toUnsignedString(messageOffset()));
    }
}
