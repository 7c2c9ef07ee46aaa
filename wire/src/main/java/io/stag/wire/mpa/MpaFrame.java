package io.stag.wire.mpa;

import static io.stag.wire.NetworkOrder.U16;
import static io.stag.wire.NetworkOrder.U64;
import static io.stag.wire.NetworkOrder.U8;

import java.lang.foreign.MemorySegment;

/**
 * Startup frame, Request or Reply (RFC 5044, section 7.1.1; RFC 6581, section 6).
 *
 * <pre>
 *  0             16      17    18          20
 *  | key          | flags | Rev | PD_Length | private data, PD_Length octets
 *
 *  flags: M 0x80, C 0x40, R 0x20, S 0x10, reserved 0x0F
 * </pre>
 */
public final class MpaFrame {
    /** Octets before the private data. */
    public static final int HEADER_LENGTH = 20;

    /** The most private data a frame may carry. */
    public static final int MAX_PRIVATE_DATA = 512;

    private static final int KEY = 0;
    private static final int KEY_END = 8;
    private static final int FLAGS = 16;
    private static final int REVISION = 17;
    private static final int PD_LENGTH = 18;
    private static final int MARKERS_FLAG = 0x80;
    private static final int CRC_FLAG = 0x40;
    private static final int REJECT_FLAG = 0x20;
    private static final int ENHANCED_FLAG = 0x10;
    private static final long KEY_START_VALUE = 0x4D50_4120_4944_2052L; // "MPA ID R", common to both
    private static final long REQUEST_KEY_END = 0x6571_2046_7261_6D65L; // "eq Frame"
    private static final long REPLY_KEY_END = 0x6570_2046_7261_6D65L; // "ep Frame"

    private MemorySegment segment = MemorySegment.NULL;
    private long base;
    private long available;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public MpaFrame() {}

    /**
     * Lays this flyweight over a frame.
     *
     * @param segment memory with the frame
     * @param offset offset of its first octet
     * @param available octets of the frame that are there; private data may be incomplete, see {@link #isComplete()}
     * @return false when the 20 octets of the header are not all there; no accessor may then be called
     */
    public boolean wrap(MemorySegment segment, long offset, long available) {
        this.segment = segment;
        this.base = offset;
        this.available = Math.min(available, segment.byteSize() - offset);
        return this.available >= HEADER_LENGTH;
    }

    /**
     * Whether the key is that of a Request.
     *
     * @return true for "MPA ID Req Frame"
     */
    public boolean isRequestKey() {
        return isKey(REQUEST_KEY_END);
    }

    /**
     * Whether the key is that of a Reply.
     *
     * @return true for "MPA ID Rep Frame"
     */
    public boolean isReplyKey() {
        return isKey(REPLY_KEY_END);
    }

    /**
     * M: the sender of this frame wants to receive Markers.
     *
     * @return the flag
     */
    public boolean markers() {
        return isSet(MARKERS_FLAG);
    }

    /**
     * C: the sender of this frame wants CRC.
     *
     * @return the flag
     */
    public boolean crc() {
        return isSet(CRC_FLAG);
    }

    /**
     * R: the connection is rejected; without meaning in a Request.
     *
     * @return the flag
     */
    public boolean reject() {
        return isSet(REJECT_FLAG);
    }

    /**
     * S: private data begins with an {@link EnhancedWord}; a reserved bit in revision 1.
     *
     * @return the flag
     */
    public boolean enhanced() {
        return isSet(ENHANCED_FLAG);
    }

    /**
     * Rev.
     *
     * @return 0 to 255
     */
    public int revision() {
        return Byte.toUnsignedInt(segment.get(U8, base + REVISION));
    }

    /**
     * PD_Length, as the frame says it.
     *
     * @return 0 to 65535
     */
    public int privateDataLength() {
        return Short.toUnsignedInt(segment.get(U16, base + PD_LENGTH));
    }

    /**
     * Where the private data begins.
     *
     * @return an offset in the wrapped segment
     */
    public long privateDataOffset() {
        return base + HEADER_LENGTH;
    }

    /**
     * Whether all private data is there.
     *
     * @return true when as many octets are available as the frame says it has
     */
    public boolean isComplete() {
        return available >= HEADER_LENGTH + privateDataLength();
    }

    /**
     * Writes the header of a Request. Private data is the caller's to write.
     *
     * @param markers M
     * @param crc C
     * @param enhanced S
     * @param revision Rev
     * @param privateDataLength octets of private data, the {@link EnhancedWord} included
     */
    public void putRequest(boolean markers, boolean crc, boolean enhanced, int revision, int privateDataLength) {
        put(REQUEST_KEY_END, flags(markers, crc, false, enhanced), revision, privateDataLength);
    }

    /**
     * Writes the header of a Reply. Private data is the caller's to write.
     *
     * @param markers M
     * @param crc C
     * @param reject R
     * @param enhanced S
     * @param revision Rev
     * @param privateDataLength octets of private data, the {@link EnhancedWord} included
     */
    public void putReply(
            boolean markers, boolean crc, boolean reject, boolean enhanced, int revision, int privateDataLength) {
        put(REPLY_KEY_END, flags(markers, crc, reject, enhanced), revision, privateDataLength);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        out.append(isRequestKey() ? "MPA Request" : isReplyKey() ? "MPA Reply" : "MPA frame with unknown key");
        out.append(" M=").append(markers() ? 1 : 0).append(" C=").append(crc() ? 1 : 0);
        out.append(" R=").append(reject() ? 1 : 0).append(" S=").append(enhanced() ? 1 : 0);
        return out.append(" Rev ").append(revision()).append(" PD_Length ").append(privateDataLength());
    }

    private boolean isKey(long end) {
        return segment.get(U64, base + KEY) == KEY_START_VALUE && segment.get(U64, base + KEY_END) == end;
    }

    private boolean isSet(int flag) {
        return (segment.get(U8, base + FLAGS) & flag) != 0;
    }

    private static int flags(boolean markers, boolean crc, boolean reject, boolean enhanced) {
        return (markers ? MARKERS_FLAG : 0)
                | (crc ? CRC_FLAG : 0)
                | (reject ? REJECT_FLAG : 0)
                | (enhanced ? ENHANCED_FLAG : 0);
    }

    private void put(long keyEnd, int flags, int revision, int privateDataLength) {
        segment.set(U64, base + KEY, KEY_START_VALUE);
        segment.set(U64, base + KEY_END, keyEnd);
        segment.set(U8, base + FLAGS, (byte) flags);
        segment.set(U8, base + REVISION, (byte) revision);
        segment.set(U16, base + PD_LENGTH, (short) privateDataLength);
    }
}
