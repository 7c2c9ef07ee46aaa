package io.stag.wire.rdmap;

import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U64;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Header of an RDMA Read Request, after the untagged header (RFC 5040, section 4.4).
 *
 * <pre>
 *  0           4         12     16            20          28
 *  | sink STag | sink TO | size | source STag | source TO |
 * </pre>
 */
public final class ReadRequestHeader {
    /** Octets of the header. */
    public static final int LENGTH = 28;

    private static final int SINK_STAG = 0;
    private static final int SINK_TO = 4;
    private static final int SIZE = 12;
    private static final int SOURCE_STAG = 16;
    private static final int SOURCE_TO = 20;
    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public ReadRequestHeader() {}

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
     * Data Sink STag.
     *
     * @return the steering tag into which the requester wants the data
     */
    public int sinkStag() {
        return segment.get(U32, base + SINK_STAG);
    }

    /**
     * Data Sink Tagged Offset.
     *
     * @return where in the sink the data belongs, unsigned
     */
    public long sinkTaggedOffset() {
        return segment.get(U64, base + SINK_TO);
    }

    /**
     * RDMA Read Message Size.
     *
     * @return octets to read, unsigned
     */
    public int messageSize() {
        return segment.get(U32, base + SIZE);
    }

    /**
     * Data Source STag.
     *
     * @return the steering tag from which to read
     */
    public int sourceStag() {
        return segment.get(U32, base + SOURCE_STAG);
    }

    /**
     * Data Source Tagged Offset.
     *
     * @return where in the source to begin, unsigned
     */
    public long sourceTaggedOffset() {
        return segment.get(U64, base + SOURCE_TO);
    }

    /**
     * Writes the header.
     *
     * @param sinkStag Data Sink STag
     * @param sinkTaggedOffset Data Sink Tagged Offset
     * @param messageSize octets to read, unsigned
     * @param sourceStag Data Source STag
     * @param sourceTaggedOffset Data Source Tagged Offset
     */
    public void put(int sinkStag, long sinkTaggedOffset, int messageSize, int sourceStag, long sourceTaggedOffset) {
        segment.set(U32, base + SINK_STAG, sinkStag);
        segment.set(U64, base + SINK_TO, sinkTaggedOffset);
        segment.set(U32, base + SIZE, messageSize);
        segment.set(U32, base + SOURCE_STAG, sourceStag);
        segment.set(U64, base + SOURCE_TO, sourceTaggedOffset);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        out.append("sink STag 0x").append(HEX.toHexDigits(sinkStag()));
        out.append(" TO 0x").append(HEX.toHexDigits(sinkTaggedOffset()));
        out.append(" size ").append(Integer.toUnsignedString(messageSize()));
        out.append(" source STag 0x").append(HEX.toHexDigits(sourceStag()));
        return out.append(" TO 0x").append(HEX.toHexDigits(sourceTaggedOffset()));
    }
}
