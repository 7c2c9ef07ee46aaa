package io.stag.wire.ddp;

import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U64;
import static io.stag.wire.NetworkOrder.pair;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Header of a tagged DDP segment (RFC 5041, section 4.2). One instance per agent, re-wrapped per segment.
 *
 * <pre>
 *  0         1         2      6               14
 *  | control | RsvdULP | STag | tagged offset | payload
 * </pre>
 */
public final class TaggedHeader {
    /** Octets of the header. */
    public static final int LENGTH = 14;

    private static final int CONTROL = 0;
    private static final int STAG = 2;
    private static final int TAGGED_OFFSET = 6;
    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public TaggedHeader() {}

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
     * STag.
     *
     * @return the steering tag of the buffer
     */
    public int stag() {
        return segment.get(U32, base + STAG);
    }

    /**
     * TO.
     *
     * @return where in the buffer the payload belongs, unsigned
     */
    public long taggedOffset() {
        return segment.get(U64, base + TAGGED_OFFSET);
    }

    /**
     * Writes the header of a segment of {@link DdpControl#VERSION}.
     *
     * @param last L
     * @param rsvdUlp the octet of RDMAP, see {@link DdpControl#rdmap(int)}
     * @param stag STag
     * @param taggedOffset TO
     */
    public void put(boolean last, int rsvdUlp, int stag, long taggedOffset) {
        int controls = DdpControl.controls(DdpControl.ddp(true, last), rsvdUlp);
        segment.set(U64, base + CONTROL, pair(controls, stag) << Short.SIZE); // the next write is over its end
        segment.set(U64, base + TAGGED_OFFSET, taggedOffset);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        DdpControl.appendTo(out, control(), rsvdUlp());
        out.append(" STag 0x").append(HEX.toHexDigits(stag()));
        return out.append(" TO 0x").append(HEX.toHexDigits(taggedOffset()));
    }
}
