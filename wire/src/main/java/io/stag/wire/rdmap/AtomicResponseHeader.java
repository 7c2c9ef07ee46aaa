package io.stag.wire.rdmap;

import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U64;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Header of an Atomic Response, after the untagged header (RFC 7306, section 5.2.2). Section 4 of the RFC calls it 32
 * octets long; its figure and the sum of its fields give 12.
 *
 * <pre>
 *  0                     4                            12
 *  | original request id | original remote data value |
 * </pre>
 */
public final class AtomicResponseHeader {
    /** Octets of the header. */
    public static final int LENGTH = 12;

    private static final int ORIGINAL_REQUEST_IDENTIFIER = 0;
    private static final int ORIGINAL_REMOTE_DATA_VALUE = 4;
    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public AtomicResponseHeader() {}

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
     * Original Request Identifier.
     *
     * @return the identifier of the request that is answered
     */
    public int originalRequestIdentifier() {
        return segment.get(U32, base + ORIGINAL_REQUEST_IDENTIFIER);
    }

    /**
     * Original Remote Data Value.
     *
     * @return what the target held before the operation
     */
    public long originalRemoteDataValue() {
        return segment.get(U64, base + ORIGINAL_REMOTE_DATA_VALUE);
    }

    /**
     * Writes the header.
     *
     * @param originalRequestIdentifier Original Request Identifier
     * @param originalRemoteDataValue Original Remote Data Value
     */
    public void put(int originalRequestIdentifier, long originalRemoteDataValue) {
        segment.set(U32, base + ORIGINAL_REQUEST_IDENTIFIER, originalRequestIdentifier);
        segment.set(U64, base + ORIGINAL_REMOTE_DATA_VALUE, originalRemoteDataValue);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        out.append("id 0x").append(HEX.toHexDigits(originalRequestIdentifier()));
        return out.append(" original value 0x").append(HEX.toHexDigits(originalRemoteDataValue()));
    }
}
