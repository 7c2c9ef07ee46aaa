package io.stag.wire.datagram;

import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U64;
import static io.stag.wire.NetworkOrder.pair;
import static io.stag.wire.NetworkOrder.pairOfShorts;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * What stands before the DDP header in every datagram ({@code docs/datagram-wire.md}). One instance per agent, which reads
 * prefix after prefix.
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

    private static final int HEAD = 0; // version, kind, flags, flow, epoch
    private static final int MESSAGE = 8; // its id and length
    private static final int OFFSET = 16;
    private static final int FIRST_OCTET_SHIFT = 56;
    private static final int FLAGS_SHIFT = 48;
    private static final int FLOW_SHIFT = 32;
    private static final int VERSION_SHIFT = 4;
    private static final int KIND_MASK = 0x0F;
    private static final HexFormat HEX = HexFormat.of();

    private long head;
    private long message;
    private int offset;

    /** Creates one that has read nothing yet. */
    public DatagramPrefix() {}

    /**
     * Reads a prefix. What becomes of the memory afterwards does not matter.
     *
     * @param segment memory with the datagram
     * @param at offset of its first octet
     * @param available octets of the datagram
     * @return false when fewer than {@link #LENGTH} octets are left; nothing was read then
     */
    public boolean read(MemorySegment segment, long at, long available) {
        if (Math.min(available, segment.byteSize() - at) < LENGTH) {
            return false;
        }
        head = segment.get(U64, at + HEAD);
        message = segment.get(U64, at + MESSAGE);
        offset = segment.get(U32, at + OFFSET);
        return true;
    }

    /**
     * Version of the profile.
     *
     * @return 0 to 15
     */
    public int version() {
        return (int) (head >>> (FIRST_OCTET_SHIFT + VERSION_SHIFT));
    }

    /**
     * Kind of the datagram.
     *
     * @return 0 to 15
     */
    public int kind() {
        return (int) (head >>> FIRST_OCTET_SHIFT) & KIND_MASK;
    }

    /**
     * Flags; bits that have no meaning yet may be set.
     *
     * @return 0 to 255
     */
    public int flags() {
        return (int) (head >>> FLAGS_SHIFT) & 0xFF;
    }

    /**
     * Flow number: counts datagrams that reports are wanted for, modulo 2^16; else 0.
     *
     * @return 0 to 65535
     */
    public int flow() {
        return (int) (head >>> FLOW_SHIFT) & 0xFFFF;
    }

    /**
     * Epoch: drawn at random by the sending queue pair when it was made, so that a successor at the same address is not
     * taken for it.
     *
     * @return any number
     */
    public int epoch() {
        return (int) head;
    }

    /**
     * Number of the message, counted by its sender over all destinations.
     *
     * @return the number, to be compared with {@link io.stag.wire.SerialNumber}
     */
    public int messageId() {
        return (int) (message >>> Integer.SIZE);
    }

    /**
     * Octets of the whole message.
     *
     * @return the length, unsigned
     */
    public int messageLength() {
        return (int) message;
    }

    /**
     * Where in the message the payload of this datagram begins.
     *
     * @return the offset, unsigned
     */
    public int offset() {
        return offset;
    }

    /**
     * Writes a prefix of {@link #VERSION}.
     *
     * @param segment where to write
     * @param at offset of its first octet
     * @param kind kind of the datagram
     * @param flags flags
     * @param flow flow number, or 0
     * @param epoch epoch of the sender
     * @param messageId number of the message
     * @param messageLength octets of the whole message
     * @param offset where in the message the payload begins
     */
    public static void put(
            MemorySegment segment,
            long at,
            int kind,
            int flags,
            int flow,
            int epoch,
            int messageId,
            int messageLength,
            int offset) {
        segment.set(U64, at + HEAD, head(kind, flags, flow, epoch));
        segment.set(U64, at + MESSAGE, pair(messageId, messageLength));
        segment.set(U32, at + OFFSET, offset);
    }

    /** The first eight octets, which all kinds have. */
    static long head(int kind, int flags, int flow, int epoch) {
        int firstOctet = VERSION << VERSION_SHIFT | (kind & KIND_MASK);
        int beginning = firstOctet << Byte.SIZE | (flags & 0xFF);
        return pair(pairOfShorts(beginning, flow), epoch);
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
