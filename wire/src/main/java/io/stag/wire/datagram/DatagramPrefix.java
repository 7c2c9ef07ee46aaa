package io.stag.wire.datagram;

import static io.stag.wire.NetworkOrder.U16;
import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U8;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * What stands before the DDP header in every datagram ({@code docs/datagram-wire.md}). One instance per agent, re-wrapped per
 * datagram.
 *
 * <pre>
 *  0      1       2      4       8            12               16       20
 *  | V, K | flags | flow | epoch | message id | message length | offset | DDP header, payload, CRC
 * </pre>
 *
 * <p>Octet 0 has the version of the profile in its upper half and the kind of the datagram in its lower half.
 */
public final class DatagramPrefix {
    /** Octets of the prefix. */
    public static final int LENGTH = 20;

    /** The version of the profile. */
    public static final int VERSION = 1;

    /** Kind: a segment of an unreliable message, a Send or a Write-Record. */
    public static final int SEGMENT = 1;

    /**
     * Kind: what a receiver tells a sender about the flow. Behind the prefix comes the CRC; in place of message id, message
     * length and offset stand the epoch of the sender, the datagrams received from it, and the newest flow number of these.
     */
    public static final int REPORT = 2;

    /** Kind: a segment of a reliable message; what stands behind the epoch tells {@link ReliableHeader}. */
    public static final int DATA = 3;

    /** Kind: tells a sender of reliable messages what has arrived, see {@link ReliableHeader}. */
    public static final int ACKNOWLEDGEMENT = 4;

    /** Kind: tells a sender of reliable messages that the queue pair it means is no more, see {@link ReliableHeader}. */
    public static final int REFUSAL = 5;

    /** Flag: the message asks for an event at the receiver. For Write-Records; Sends have opcodes for it. */
    public static final int SOLICITED_FLAG = 0x01;

    /** Flag: the sender would like reports of what arrives, and has numbered its datagrams for that. */
    public static final int REPORT_WANTED_FLAG = 0x02;

    /** Flag: of messages before this one more will follow, so it does not tell that what is missing of them is lost. */
    public static final int EARLIER_FOLLOW_FLAG = 0x04;

    /** Segments are cut at multiples of this, so that a bit per so many octets tells exactly what arrived. */
    public static final int BLOCK = 64;

    private static final int VERSION_AND_KIND = 0;
    private static final int FLAGS = 1;
    private static final int FLOW = 2;
    private static final int EPOCH = 4;
    private static final int MESSAGE_ID = 8;
    private static final int MESSAGE_LENGTH = 12;
    private static final int OFFSET = 16;
    private static final int VERSION_SHIFT = 4;
    private static final int KIND_MASK = 0x0F;
    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public DatagramPrefix() {}

    /**
     * Lays this flyweight over a prefix.
     *
     * @param segment memory with the datagram
     * @param offset offset of its first octet
     * @param available octets of the datagram
     * @return false when fewer than {@link #LENGTH} octets are left; no accessor may then be called
     */
    public boolean wrap(MemorySegment segment, long offset, long available) {
        this.segment = segment;
        this.base = offset;
        return Math.min(available, segment.byteSize() - offset) >= LENGTH;
    }

    /**
     * Version of the profile.
     *
     * @return 0 to 15
     */
    public int version() {
        return Byte.toUnsignedInt(segment.get(U8, base + VERSION_AND_KIND)) >>> VERSION_SHIFT;
    }

    /**
     * Kind of the datagram.
     *
     * @return 0 to 15
     */
    public int kind() {
        return segment.get(U8, base + VERSION_AND_KIND) & KIND_MASK;
    }

    /**
     * Flags; bits that have no meaning yet may be set.
     *
     * @return 0 to 255
     */
    public int flags() {
        return Byte.toUnsignedInt(segment.get(U8, base + FLAGS));
    }

    /**
     * Flow number: counts datagrams that reports are wanted for, modulo 2^16; else 0.
     *
     * @return 0 to 65535
     */
    public int flow() {
        return Short.toUnsignedInt(segment.get(U16, base + FLOW));
    }

    /**
     * Epoch: drawn at random by the sending queue pair when it was made, so that a successor at the same address is not
     * taken for it.
     *
     * @return any number
     */
    public int epoch() {
        return segment.get(U32, base + EPOCH);
    }

    /**
     * Number of the message, counted by its sender over all destinations.
     *
     * @return the number, to be compared with {@link io.stag.wire.SerialNumber}
     */
    public int messageId() {
        return segment.get(U32, base + MESSAGE_ID);
    }

    /**
     * Octets of the whole message.
     *
     * @return the length, unsigned
     */
    public int messageLength() {
        return segment.get(U32, base + MESSAGE_LENGTH);
    }

    /**
     * Where in the message the payload of this datagram begins.
     *
     * @return the offset, unsigned
     */
    public int offset() {
        return segment.get(U32, base + OFFSET);
    }

    /**
     * Writes a prefix of {@link #VERSION}.
     *
     * @param kind kind of the datagram
     * @param flags flags
     * @param flow flow number, or 0
     * @param epoch epoch of the sender
     * @param messageId number of the message
     * @param messageLength octets of the whole message
     * @param offset where in the message the payload begins
     */
    public void put(int kind, int flags, int flow, int epoch, int messageId, int messageLength, int offset) {
        segment.set(U8, base + VERSION_AND_KIND, (byte) (VERSION << VERSION_SHIFT | (kind & KIND_MASK)));
        segment.set(U8, base + FLAGS, (byte) flags);
        segment.set(U16, base + FLOW, (short) flow);
        segment.set(U32, base + EPOCH, epoch);
        segment.set(U32, base + MESSAGE_ID, messageId);
        segment.set(U32, base + MESSAGE_LENGTH, messageLength);
        segment.set(U32, base + OFFSET, offset);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        out.append("version ").append(version()).append(' ').append(kindName(kind()));
        if ((flags() & SOLICITED_FLAG) != 0) {
            out.append(" solicited");
        }
        if ((flags() & REPORT_WANTED_FLAG) != 0) {
            out.append(" report wanted, flow ").append(flow());
        }
        if ((flags() & EARLIER_FOLLOW_FLAG) != 0) {
            out.append(" earlier follow");
        }
        out.append(" epoch 0x").append(HEX.toHexDigits(epoch()));
        out.append(" message ").append(Integer.toUnsignedString(messageId()));
        out.append(" length ").append(Integer.toUnsignedString(messageLength()));
        return out.append(" offset ").append(Integer.toUnsignedString(offset()));
    }

    /**
     * A kind in words.
     *
     * @param kind 0 to 15
     * @return the name, or "unknown kind" with the number
     */
    public static String kindName(int kind) {
        return switch (kind) {
            case SEGMENT -> "segment";
            case REPORT -> "report";
            case DATA -> "data";
            case ACKNOWLEDGEMENT -> "acknowledgement";
            case REFUSAL -> "refusal";
            default -> "unknown kind " + kind;
        };
    }
}
