package io.stag.wire.ddp;

import static io.stag.wire.NetworkOrder.U16;
import static io.stag.wire.NetworkOrder.U8;

import java.lang.foreign.MemorySegment;

/**
 * The two control octets that begin every DDP segment (RFC 5041, section 4.1; RFC 5040, section 4.1).
 *
 * <pre>
 *  octet 0: T 0x80, L 0x40, reserved 0x3C, DV 0x03
 *  octet 1: RV 0xC0, reserved 0x30, opcode 0x0F     (RsvdULP to DDP)
 * </pre>
 */
public final class DdpControl {
    /** Octets of both controls. */
    public static final int LENGTH = 2;

    /** T in the DDP control: the segment is tagged. */
    public static final int TAGGED_FLAG = 0x80;

    /** L in the DDP control: the segment is the last of its message. */
    public static final int LAST_FLAG = 0x40;

    /** Reserved bits of the DDP control. */
    public static final int RESERVED_MASK = 0x3C;

    /** DV in the DDP control. */
    public static final int VERSION_MASK = 0x03;

    /** The DDP version of RFC 5041. */
    public static final int VERSION = 1;

    /** RV in the RDMAP control. */
    public static final int RDMAP_VERSION_MASK = 0xC0;

    /** Reserved bits of the RDMAP control. */
    public static final int RDMAP_RESERVED_MASK = 0x30;

    /** Opcode in the RDMAP control. */
    public static final int OPCODE_MASK = 0x0F;

    /** The RDMAP version of RFC 5040. */
    public static final int RDMAP_VERSION = 1;

    private static final int RDMAP_VERSION_SHIFT = 6;

    private DdpControl() {}

    /**
     * Reads the DDP control octet of a segment.
     *
     * @param segment where to read
     * @param offset offset of the DDP segment
     * @return 0 to 255
     */
    public static int ddpControl(MemorySegment segment, long offset) {
        return Byte.toUnsignedInt(segment.get(U8, offset));
    }

    /**
     * Reads the RDMAP control octet of a segment.
     *
     * @param segment where to read
     * @param offset offset of the DDP segment
     * @return 0 to 255
     */
    public static int rdmapControl(MemorySegment segment, long offset) {
        return Byte.toUnsignedInt(segment.get(U8, offset + 1));
    }

    /**
     * Reads both control octets of a segment at once.
     *
     * @param segment where to read
     * @param offset offset of the DDP segment
     * @return both, for {@link #ddpControl(int)} and {@link #rdmapControl(int)}
     */
    public static int controls(MemorySegment segment, long offset) {
        return Short.toUnsignedInt(segment.get(U16, offset));
    }

    /**
     * Puts both control octets together, as {@link #controls(MemorySegment, long)} reads them.
     *
     * @param ddp what {@link #ddp} made
     * @param rdmap what is RDMAP's; what is more than an octet does not count
     * @return both
     */
    public static int controls(int ddp, int rdmap) {
        return ddp << Byte.SIZE | (rdmap & 0xFF);
    }

    /**
     * The DDP control octet of both.
     *
     * @param controls what {@link #controls(MemorySegment, long)} gave
     * @return 0 to 255
     */
    public static int ddpControl(int controls) {
        return controls >>> Byte.SIZE;
    }

    /**
     * The RDMAP control octet of both.
     *
     * @param controls what {@link #controls(MemorySegment, long)} gave
     * @return 0 to 255
     */
    public static int rdmapControl(int controls) {
        return controls & 0xFF;
    }

    /**
     * T.
     *
     * @param ddpControl a DDP control octet
     * @return true when the segment is tagged
     */
    public static boolean isTagged(int ddpControl) {
        return (ddpControl & TAGGED_FLAG) != 0;
    }

    /**
     * L.
     *
     * @param ddpControl a DDP control octet
     * @return true when the segment is the last of its message
     */
    public static boolean isLast(int ddpControl) {
        return (ddpControl & LAST_FLAG) != 0;
    }

    /**
     * DV.
     *
     * @param ddpControl a DDP control octet
     * @return 0 to 3
     */
    public static int version(int ddpControl) {
        return ddpControl & VERSION_MASK;
    }

    /**
     * RV.
     *
     * @param rdmapControl an RDMAP control octet
     * @return 0 to 3
     */
    public static int rdmapVersion(int rdmapControl) {
        return (rdmapControl & RDMAP_VERSION_MASK) >>> RDMAP_VERSION_SHIFT;
    }

    /**
     * Opcode.
     *
     * @param rdmapControl an RDMAP control octet
     * @return 0 to 15
     */
    public static int opcode(int rdmapControl) {
        return rdmapControl & OPCODE_MASK;
    }

    /**
     * Makes a DDP control octet of {@link #VERSION}.
     *
     * @param tagged T
     * @param last L
     * @return the octet
     */
    public static int ddp(boolean tagged, boolean last) {
        return (tagged ? TAGGED_FLAG : 0) | (last ? LAST_FLAG : 0) | VERSION;
    }

    /**
     * Makes an RDMAP control octet of {@link #RDMAP_VERSION}.
     *
     * @param opcode 0 to 15
     * @return the octet
     */
    public static int rdmap(int opcode) {
        return RDMAP_VERSION << RDMAP_VERSION_SHIFT | (opcode & OPCODE_MASK);
    }

    static StringBuilder appendTo(StringBuilder out, int ddpControl, int rdmapControl) {
        out.append(isTagged(ddpControl) ? "tagged" : "untagged").append(isLast(ddpControl) ? " L=1" : " L=0");
        out.append(" DV=").append(version(ddpControl)).append(" RV=").append(rdmapVersion(rdmapControl));
        return out.append(" opcode ").append(opcode(rdmapControl));
    }
}
