package io.stag.wire.rdmap;

import static io.stag.wire.NetworkOrder.U16;
import static io.stag.wire.NetworkOrder.U8;

import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Header of a Terminate, after the untagged header (RFC 5040, section 4.8).
 *
 * <pre>
 *  0               1            2       4                    6                 20 or 24
 *  | layer | EType | error code | HdrCt | DDP segment length | DDP header      | RDMA header
 *  | 4     | 4 bits|            |       | only if D          | only if D       | 28 octets, only if R
 *
 *  HdrCt: M 0x8000 the length is valid, D 0x4000, R 0x2000, the rest reserved
 * </pre>
 *
 * <p>Implementations differ in which of the optional parts they send for a flag, so this flyweight reports a part as
 * present only if its flag is set and its octets are there. Linux siw fills the first three octets from C bit-fields in
 * little-endian order; {@link #swappedCode()} and {@link #swappedHeaderControl()} read them that way.
 */
public final class TerminateHeader {
    /** Octets that are always there. */
    public static final int LENGTH = 4;

    /** Octets with the terminated headers of a Read Request: the most there can be. */
    public static final int MAX_LENGTH = 4 + 2 + UntaggedHeader.LENGTH + ReadRequestHeader.LENGTH;

    /** M in HdrCt: DDP Segment Length holds a valid value. */
    public static final int SEGMENT_LENGTH_FLAG = 0x8000;

    /** D in HdrCt: DDP Segment Length and terminated DDP header follow. */
    public static final int DDP_HEADER_FLAG = 0x4000;

    /** R in HdrCt: the terminated RDMA header follows. */
    public static final int RDMA_HEADER_FLAG = 0x2000;

    private static final int CODE = 0;
    private static final int HEADER_CONTROL = 2;
    private static final int DDP_SEGMENT_LENGTH = 4;
    private static final int DDP_HEADER = 6;
    private static final int NONE = 0;
    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;
    private long available;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public TerminateHeader() {}

    /**
     * Lays this flyweight over a header.
     *
     * @param segment memory with the header
     * @param offset offset of its first octet
     * @param available octets from there on that belong to the Terminate message
     * @return false when fewer than {@link #LENGTH} octets are left; no accessor may then be called
     */
    public boolean wrap(MemorySegment segment, long offset, long available) {
        this.segment = segment;
        this.base = offset;
        this.available = Math.min(available, segment.byteSize() - offset);
        return this.available >= LENGTH;
    }

    /**
     * Layer, EType and error code as one number, see {@link TerminateCode#of(int)}.
     *
     * @return 16 bits, for instance 0x1202
     */
    public int code() {
        return Short.toUnsignedInt(segment.get(U16, base + CODE));
    }

    /**
     * Layer.
     *
     * @return 0 RDMAP, 1 DDP, 2 LLP; up to 15
     */
    public int layer() {
        return code() >>> 12;
    }

    /**
     * EType.
     *
     * @return 0 to 15
     */
    public int errorType() {
        return code() >>> 8 & 0xF;
    }

    /**
     * Error code within layer and type.
     *
     * @return 0 to 255
     */
    public int errorCode() {
        return code() & 0xFF;
    }

    /**
     * HdrCt with its reserved bits cleared.
     *
     * @return any of the three flags
     */
    public int headerControl() {
        return segment.get(U16, base + HEADER_CONTROL) & (SEGMENT_LENGTH_FLAG | DDP_HEADER_FLAG | RDMA_HEADER_FLAG);
    }

    /**
     * What {@link #code()} would be if the sender had swapped layer and type, as Linux siw does.
     *
     * @return 16 bits
     */
    public int swappedCode() {
        return errorType() << 12 | layer() << 8 | errorCode();
    }

    /**
     * What {@link #headerControl()} would be if the sender had put M, D and R into the masks 0x01, 0x02 and 0x04 of the
     * third octet, as Linux siw does.
     *
     * @return any of the three flags
     */
    public int swappedHeaderControl() {
        int octet = segment.get(U8, base + HEADER_CONTROL);
        return ((octet & 1) != 0 ? SEGMENT_LENGTH_FLAG : 0)
                | ((octet & 2) != 0 ? DDP_HEADER_FLAG : 0)
                | ((octet & 4) != 0 ? RDMA_HEADER_FLAG : 0);
    }

    /**
     * Whether {@link #ddpSegmentLength()} may be called and gives a valid value: M and D are set and the octets there.
     *
     * @return true when it may
     */
    public boolean hasDdpSegmentLength() {
        return (headerControl() & SEGMENT_LENGTH_FLAG) != 0 && isSegmentLengthThere(headerControl());
    }

    /**
     * DDP Segment Length. Senders differ in whether the header counts.
     *
     * @return 0 to 65535
     */
    public int ddpSegmentLength() {
        return Short.toUnsignedInt(segment.get(U16, base + DDP_SEGMENT_LENGTH));
    }

    /**
     * Where the terminated DDP header begins, if it is there.
     *
     * @return an offset in the wrapped segment
     */
    public long ddpHeaderOffset() {
        return base + DDP_HEADER;
    }

    /**
     * Octets of the terminated DDP header.
     *
     * @return 14 or 18 by its T flag, or 0 when it is not there in full
     */
    public int ddpHeaderLength() {
        return ddpHeaderLength(headerControl());
    }

    /**
     * Octets of the terminated DDP header.
     *
     * @param headerControl the flags to go by, {@link #headerControl()} or {@link #swappedHeaderControl()}
     * @return 14 or 18 by its T flag, or 0 when it is not there in full
     */
    public int ddpHeaderLength(int headerControl) {
        if ((headerControl & DDP_HEADER_FLAG) == 0 || available <= DDP_HEADER) {
            return NONE;
        }
        int length = headerLength(segment, ddpHeaderOffset());
        return available >= DDP_HEADER + length ? length : NONE;
    }

    /**
     * Where the terminated RDMA header begins, if it is there.
     *
     * @return an offset in the wrapped segment
     */
    public long rdmaHeaderOffset() {
        return rdmaHeaderOffset(headerControl());
    }

    /**
     * Where the terminated RDMA header begins, if it is there.
     *
     * @param headerControl the flags to go by, {@link #headerControl()} or {@link #swappedHeaderControl()}
     * @return an offset in the wrapped segment
     */
    public long rdmaHeaderOffset(int headerControl) {
        int ddpHeaderLength = ddpHeaderLength(headerControl);
        return ddpHeaderLength == NONE ? base + LENGTH : base + DDP_HEADER + ddpHeaderLength;
    }

    /**
     * Octets of the terminated RDMA header, which is a {@link ReadRequestHeader}.
     *
     * @return 28, or 0 when it is not there in full
     */
    public int rdmaHeaderLength() {
        return rdmaHeaderLength(headerControl());
    }

    /**
     * Octets of the terminated RDMA header, which is a {@link ReadRequestHeader}.
     *
     * @param headerControl the flags to go by, {@link #headerControl()} or {@link #swappedHeaderControl()}
     * @return 28, or 0 when it is not there in full
     */
    public int rdmaHeaderLength(int headerControl) {
        if ((headerControl & RDMA_HEADER_FLAG) == 0) {
            return NONE;
        }
        // A DDP header that is cut off leaves fewer than 28 octets, so there is no need to ask for it here.
        long remaining = available - (rdmaHeaderOffset(headerControl) - base);
        return remaining >= ReadRequestHeader.LENGTH ? ReadRequestHeader.LENGTH : NONE;
    }

    /**
     * Writes a header without terminated headers.
     *
     * @param code layer, type and code, for instance {@link TerminateCode#wireValue()}
     * @return octets written: 4
     */
    public int put(int code) {
        putControl(code, NONE);
        return LENGTH;
    }

    /**
     * Writes a header with the DDP header of the offending segment (flags M and D).
     *
     * @param code layer, type and code, for instance {@link TerminateCode#wireValue()}
     * @param ddpSegmentLength length of the offending segment
     * @param source memory with the offending segment
     * @param sourceOffset offset of its DDP header, of which 14 or 18 octets are copied by its T flag
     * @return octets written: 20 or 24
     */
    public int putWithDdpHeader(int code, int ddpSegmentLength, MemorySegment source, long sourceOffset) {
        putControl(code, SEGMENT_LENGTH_FLAG | DDP_HEADER_FLAG);
        return putHeaders(ddpSegmentLength, source, sourceOffset, headerLength(source, sourceOffset));
    }

    /**
     * Writes a header with both headers of the offending Read Request (flags M, D and R). Should a part of the Read
     * have been answered, the caller afterwards changes the copy at {@link #rdmaHeaderOffset()} to what remains.
     *
     * @param code layer, type and code, for instance {@link TerminateCode#wireValue()}
     * @param ddpSegmentLength length of the offending segment
     * @param source memory with the offending segment
     * @param sourceOffset offset of its untagged header, which the Read Request header follows
     * @return octets written: 52
     */
    public int putWithReadRequest(int code, int ddpSegmentLength, MemorySegment source, long sourceOffset) {
        putControl(code, SEGMENT_LENGTH_FLAG | DDP_HEADER_FLAG | RDMA_HEADER_FLAG);
        return putHeaders(ddpSegmentLength, source, sourceOffset, UntaggedHeader.LENGTH + ReadRequestHeader.LENGTH);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        out.append("Terminate 0x").append(HEX.toHexDigits((short) code()));
        TerminateCode.of(code()).ifPresent(known -> out.append(' ').append(known.meaning()));
        int flags = headerControl();
        out.append((flags & SEGMENT_LENGTH_FLAG) != 0 ? " M=1" : " M=0");
        out.append((flags & DDP_HEADER_FLAG) != 0 ? " D=1" : " D=0");
        out.append((flags & RDMA_HEADER_FLAG) != 0 ? " R=1" : " R=0");
        if (hasDdpSegmentLength()) {
            out.append(" segment length ").append(ddpSegmentLength());
        }
        return out;
    }

    private boolean isSegmentLengthThere(int headerControl) {
        return (headerControl & DDP_HEADER_FLAG) != 0 && available >= DDP_HEADER;
    }

    private void putControl(int code, int headerControl) {
        segment.set(U16, base + CODE, (short) code);
        segment.set(U16, base + HEADER_CONTROL, (short) headerControl);
    }

    private int putHeaders(int ddpSegmentLength, MemorySegment source, long sourceOffset, int length) {
        segment.set(U16, base + DDP_SEGMENT_LENGTH, (short) ddpSegmentLength);
        MemorySegment.copy(source, sourceOffset, segment, ddpHeaderOffset(), length);
        return DDP_HEADER + length;
    }

    private static int headerLength(MemorySegment segment, long offset) {
        return DdpControl.isTagged(DdpControl.ddpControl(segment, offset))
                ? TaggedHeader.LENGTH
                : UntaggedHeader.LENGTH;
    }
}
