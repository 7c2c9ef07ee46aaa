package io.stag.wire.rdmap;

import static io.stag.wire.NetworkOrder.U64;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** The eight octets of Immediate Data, after the untagged header (RFC 7306, section 6.3); opaque to RDMAP. */
public final class ImmediateData {
    /** Octets of the data. */
    public static final int LENGTH = 8;

    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public ImmediateData() {}

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
    public boolean wrap(MemorySegment segment, long offset, long available) {
        this.segment = segment;
        this.base = offset;
        return Math.min(available, segment.byteSize() - offset) >= LENGTH;
    }

    /**
     * The octets as a number, the first octet most significant.
     *
     * @return the number
     */
    public long value() {
        return segment.get(U64, base);
    }

    /**
     * Writes the octets.
     *
     * @param value a number, whose most significant octet goes first
     */
    public void put(long value) {
        segment.set(U64, base, value);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        return out.append("immediate 0x").append(HEX.toHexDigits(value()));
    }
}
