package io.stag.wire.rdmap;

import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U64;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Header of an Atomic Request, after the untagged header (RFC 7306, section 5.2.1).
 *
 * <pre>
 *  0                    4            8      12   20            28            36        44        52
 *  | reserved | AOpCode | request id | STag | TO | add or swap | add or swap | compare | compare |
 *  | 28 bits  | 4 bits  |            |      |    | data        | mask        | data    | mask    |
 * </pre>
 */
public final class AtomicRequestHeader {
    /** Octets of the header. */
    public static final int LENGTH = 52;

    /** AOpCode of FetchAdd. */
    public static final int FETCH_ADD = 0;

    /** AOpCode of CmpSwap. */
    public static final int COMPARE_SWAP = 2;

    private static final int ATOMIC_OPCODE = 0;
    private static final int REQUEST_IDENTIFIER = 4;
    private static final int REMOTE_STAG = 8;
    private static final int REMOTE_TO = 12;
    private static final int ADD_OR_SWAP_DATA = 20;
    private static final int ADD_OR_SWAP_MASK = 28;
    private static final int COMPARE_DATA = 36;
    private static final int COMPARE_MASK = 44;
    private static final int ATOMIC_OPCODE_MASK = 0xF;
    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public AtomicRequestHeader() {}

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
     * AOpCode.
     *
     * @return 0 to 15
     */
    public int atomicOpcode() {
        return segment.get(U32, base + ATOMIC_OPCODE) & ATOMIC_OPCODE_MASK;
    }

    /**
     * Request Identifier, returned in the response.
     *
     * @return what the requester chose
     */
    public int requestIdentifier() {
        return segment.get(U32, base + REQUEST_IDENTIFIER);
    }

    /**
     * Remote STag.
     *
     * @return the steering tag of the target
     */
    public int remoteStag() {
        return segment.get(U32, base + REMOTE_STAG);
    }

    /**
     * Remote Tagged Offset.
     *
     * @return where in the target the eight octets lie, unsigned
     */
    public long remoteTaggedOffset() {
        return segment.get(U64, base + REMOTE_TO);
    }

    /**
     * Add Data or Swap Data.
     *
     * @return the operand
     */
    public long addOrSwapData() {
        return segment.get(U64, base + ADD_OR_SWAP_DATA);
    }

    /**
     * Add Mask or Swap Mask.
     *
     * @return the mask of the operand
     */
    public long addOrSwapMask() {
        return segment.get(U64, base + ADD_OR_SWAP_MASK);
    }

    /**
     * Compare Data, without meaning in a FetchAdd.
     *
     * @return what to compare with
     */
    public long compareData() {
        return segment.get(U64, base + COMPARE_DATA);
    }

    /**
     * Compare Mask, without meaning in a FetchAdd.
     *
     * @return which bits to compare
     */
    public long compareMask() {
        return segment.get(U64, base + COMPARE_MASK);
    }

    /**
     * Writes the header of a FetchAdd; Compare Data becomes 0 and Compare Mask all ones, as the RFC wishes.
     *
     * @param requestIdentifier Request Identifier
     * @param remoteStag Remote STag
     * @param remoteTaggedOffset Remote Tagged Offset
     * @param addData Add Data
     * @param addMask Add Mask
     */
    public void putFetchAdd(
            int requestIdentifier, int remoteStag, long remoteTaggedOffset, long addData, long addMask) {
        putTarget(FETCH_ADD, requestIdentifier, remoteStag, remoteTaggedOffset);
        putOperands(addData, addMask, 0L, -1L);
    }

    /**
     * Writes the header of a CmpSwap.
     *
     * @param requestIdentifier Request Identifier
     * @param remoteStag Remote STag
     * @param remoteTaggedOffset Remote Tagged Offset
     * @param swapData Swap Data
     * @param swapMask Swap Mask
     * @param compareData Compare Data
     * @param compareMask Compare Mask
     */
    public void putCompareSwap(
            int requestIdentifier,
            int remoteStag,
            long remoteTaggedOffset,
            long swapData,
            long swapMask,
            long compareData,
            long compareMask) {
        putTarget(COMPARE_SWAP, requestIdentifier, remoteStag, remoteTaggedOffset);
        putOperands(swapData, swapMask, compareData, compareMask);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        int atomicOpcode = atomicOpcode();
        switch (atomicOpcode) {
            case FETCH_ADD -> out.append("FetchAdd");
            case COMPARE_SWAP -> out.append("CmpSwap");
            default -> out.append("AOpCode ").append(atomicOpcode);
        }
        out.append(" id 0x").append(HEX.toHexDigits(requestIdentifier()));
        out.append(" STag 0x").append(HEX.toHexDigits(remoteStag()));
        out.append(" TO 0x").append(HEX.toHexDigits(remoteTaggedOffset()));
        out.append(" data 0x").append(HEX.toHexDigits(addOrSwapData()));
        out.append(" mask 0x").append(HEX.toHexDigits(addOrSwapMask()));
        out.append(" compare 0x").append(HEX.toHexDigits(compareData()));
        return out.append(" mask 0x").append(HEX.toHexDigits(compareMask()));
    }

    private void putTarget(int atomicOpcode, int requestIdentifier, int remoteStag, long remoteTaggedOffset) {
        segment.set(U32, base + ATOMIC_OPCODE, atomicOpcode);
        segment.set(U32, base + REQUEST_IDENTIFIER, requestIdentifier);
        segment.set(U32, base + REMOTE_STAG, remoteStag);
        segment.set(U64, base + REMOTE_TO, remoteTaggedOffset);
    }

    private void putOperands(long data, long mask, long compareData, long compareMask) {
        segment.set(U64, base + ADD_OR_SWAP_DATA, data);
        segment.set(U64, base + ADD_OR_SWAP_MASK, mask);
        segment.set(U64, base + COMPARE_DATA, compareData);
        segment.set(U64, base + COMPARE_MASK, compareMask);
    }
}
