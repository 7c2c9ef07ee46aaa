package io.stag.wire.datagram;

import static io.stag.wire.NetworkOrder.U16;
import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U64;
import static io.stag.wire.NetworkOrder.U8;
import static io.stag.wire.NetworkOrder.pair;
import static io.stag.wire.NetworkOrder.pairOfShorts;

import io.stag.wire.ddp.TaggedHeader;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Prefix and acknowledgement that every reliable datagram begins with ({@code docs/reliable-datagram.md}), and what follows
 * them in a datagram that only acknowledges. One instance per agent, re-wrapped per datagram.
 *
 * <pre>
 *  0      1       2      4       8        12           16    20
 *  | V, K | flags | flow | epoch | stream | peer epoch | PSN |
 *  20             24          28     30       32
 *  | acked stream | acked PSN | echo | credit | data: DDP header, payload, CRC
 *                                             | refusal: CRC
 *                                             32      34      36
 *                                             | delay | words | 8 octets for each word, CRC
 * </pre>
 *
 * <p>All lengths are without the CRC that ends the datagram.
 */
public final class ReliableHeader {
    /** Octets of prefix and acknowledgement. */
    public static final int LENGTH = 32;

    /** Octets of a datagram that acknowledges, without its words. */
    public static final int ACKNOWLEDGEMENT_LENGTH = 36;

    /** Words that an acknowledgement has at most: 8,192 datagrams beyond the acknowledged one. */
    public static final int MAX_WORDS = 128;

    /** Datagrams that a word tells of. */
    public static final int WORD_BITS = Long.SIZE;

    /** What the delay of an acknowledgement counts. */
    public static final int DELAY_UNIT_NANOS = 4_000;

    /** Flag of data: an acknowledgement is wanted at once. */
    public static final int ACK_WANTED_FLAG = 0x02;

    /** Flag of acknowledgements: the message due next cannot be taken now. */
    public static final int NOT_READY_FLAG = 0x04;

    private static final int VERSION_AND_KIND = 0;
    private static final int FLAGS = 1;
    private static final int FLOW = 2;
    private static final int EPOCH = 4;
    private static final int STREAM = 8;
    private static final int PEER_EPOCH = 12;
    private static final int PSN = 16;
    private static final int ACKED_STREAM = 20;
    private static final int ACKED_PSN = 24;
    private static final int ECHO = 28;
    private static final int CREDIT = 30;
    private static final int DELAY = 32;
    private static final int WORDS = 34;
    private static final int FIRST_WORD = 36;
    private static final int VERSION_SHIFT = 4;
    private static final int KIND_MASK = 0x0F;
    private static final HexFormat HEX = HexFormat.of();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    /** Creates a flyweight that is not yet wrapped around anything. */
    public ReliableHeader() {}

    /**
     * Lays this flyweight over the beginning of a datagram.
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
     * Whether a datagram of this kind can have this length. Only after {@code true} the accessors of delay and words may be
     * called.
     *
     * @param length octets of the datagram without its CRC, {@link #LENGTH} or more, all of them in the wrapped memory
     * @return false for data without DDP header, an acknowledgement whose words are too many or do not fill it, a refusal
     *     that goes on, and every other kind
     */
    public boolean isLengthRight(int length) {
        return switch (kind()) {
            case DatagramPrefix.DATA -> length >= LENGTH + TaggedHeader.LENGTH;
            case DatagramPrefix.ACKNOWLEDGEMENT ->
                length >= ACKNOWLEDGEMENT_LENGTH
                        && words() <= MAX_WORDS
                        && length == ACKNOWLEDGEMENT_LENGTH + words() * Long.BYTES;
            case DatagramPrefix.REFUSAL -> length == LENGTH;
            default -> false;
        };
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
     * Flow number: counts transmissions of the sender to this peer, first and repeated ones, modulo 2^16.
     *
     * @return 0 to 65535
     */
    public int flow() {
        return Short.toUnsignedInt(segment.get(U16, base + FLOW));
    }

    /**
     * Epoch of the sending queue pair.
     *
     * @return any number, but 0 from nobody who keeps to the rules
     */
    public int epoch() {
        return segment.get(U32, base + EPOCH);
    }

    /**
     * Number of the sender's stream to this peer; in a refusal that of the refused datagram.
     *
     * @return the number, unsigned
     */
    public int stream() {
        return segment.get(U32, base + STREAM);
    }

    /**
     * Epoch of the queue pair that is meant.
     *
     * @return any number; 0 while the sender does not know it
     */
    public int peerEpoch() {
        return segment.get(U32, base + PEER_EPOCH);
    }

    /**
     * Number of the datagram in its stream; in an acknowledgement the last one its sender has used, in a refusal that of the
     * refused datagram.
     *
     * @return the number, to be compared with {@link io.stag.wire.SerialNumber}
     */
    public int psn() {
        return segment.get(U32, base + PSN);
    }

    /**
     * The stream of the peer that is acknowledged.
     *
     * @return its number, or 0 for none
     */
    public int ackedStream() {
        return segment.get(U32, base + ACKED_STREAM);
    }

    /**
     * All datagrams of the acknowledged stream up to this one have taken effect.
     *
     * @return the number, to be compared with {@link io.stag.wire.SerialNumber}
     */
    public int ackedPsn() {
        return segment.get(U32, base + ACKED_PSN);
    }

    /**
     * Flow number of the newest datagram that came from the peer.
     *
     * @return 0 to 65535
     */
    public int echo() {
        return Short.toUnsignedInt(segment.get(U16, base + ECHO));
    }

    /**
     * How many datagrams beyond the acknowledged one the receiver will take.
     *
     * @return 0 to 65535
     */
    public int credit() {
        return Short.toUnsignedInt(segment.get(U16, base + CREDIT));
    }

    /**
     * Time between the arrival of the echoed datagram and this acknowledgement, in units of {@link #DELAY_UNIT_NANOS}.
     *
     * @return 0 to 65535
     */
    public int delay() {
        return Short.toUnsignedInt(segment.get(U16, base + DELAY));
    }

    /**
     * Number of words behind an acknowledgement.
     *
     * @return 0 to 65535
     */
    public int words() {
        return Short.toUnsignedInt(segment.get(U16, base + WORDS));
    }

    /**
     * A word of an acknowledgement: a bit for each PSN, set if it has arrived. The least significant bit of the first word
     * stands for the one behind the acknowledged PSN.
     *
     * @param index 0 for the first, below {@link #words}
     * @return the bits
     */
    public long word(int index) {
        return segment.get(U64, base + FIRST_WORD + (long) index * Long.BYTES);
    }

    /**
     * Writes prefix and acknowledgement of {@link DatagramPrefix#VERSION}.
     *
     * @param kind kind of the datagram
     * @param flags flags
     * @param flow number of this transmission
     * @param epoch epoch of the sender
     * @param stream stream of the sender
     * @param peerEpoch epoch of the peer, or 0
     * @param psn number of the datagram
     * @param ackedStream stream of the peer that is acknowledged, or 0
     * @param ackedPsn the last of its datagrams before the first that is missing
     * @param echo flow number of the newest datagram of the peer
     * @param credit datagrams beyond the acknowledged one that will be taken
     */
    public void put(
            int kind,
            int flags,
            int flow,
            int epoch,
            int stream,
            int peerEpoch,
            int psn,
            int ackedStream,
            int ackedPsn,
            int echo,
            int credit) {
        segment.set(U64, base + VERSION_AND_KIND, DatagramPrefix.head(kind, flags, flow, epoch));
        segment.set(U64, base + STREAM, pair(stream, peerEpoch));
        segment.set(U64, base + PSN, pair(psn, ackedStream));
        segment.set(U64, base + ACKED_PSN, pair(ackedPsn, pairOfShorts(echo, credit)));
    }

    /**
     * Writes what an acknowledgement has behind the header; its words follow with {@link #putWord}.
     *
     * @param delay time since the arrival of the echoed datagram, in units of {@link #DELAY_UNIT_NANOS}; a longer one than
     *     the field can hold is written as the longest
     * @param words number of words, at most {@link #MAX_WORDS}
     * @return octets of the whole datagram without its CRC
     */
    public int putAcknowledgement(long delay, int words) {
        segment.set(U16, base + DELAY, (short) Math.min(delay, 0xFFFF));
        segment.set(U16, base + WORDS, (short) words);
        return ACKNOWLEDGEMENT_LENGTH + words * Long.BYTES;
    }

    /**
     * Writes a word of an acknowledgement.
     *
     * @param index 0 for the first
     * @param bits a bit for each PSN, see {@link #word}
     */
    public void putWord(int index, long bits) {
        segment.set(U64, base + FIRST_WORD + (long) index * Long.BYTES, bits);
    }

    /**
     * Appends one line without its end.
     *
     * @param out where to append
     * @return {@code out}
     */
    public StringBuilder appendTo(StringBuilder out) {
        out.append("version ").append(version()).append(' ').append(DatagramPrefix.kindName(kind()));
        if ((flags() & ACK_WANTED_FLAG) != 0) {
            out.append(" acknowledgement wanted");
        }
        if ((flags() & NOT_READY_FLAG) != 0) {
            out.append(" not ready");
        }
        out.append(" flow ").append(flow());
        out.append(" epoch 0x").append(HEX.toHexDigits(epoch()));
        out.append(" stream ").append(Integer.toUnsignedString(stream()));
        out.append(" to epoch 0x").append(HEX.toHexDigits(peerEpoch()));
        out.append(" PSN ").append(Integer.toUnsignedString(psn()));
        out.append(" acked stream ").append(Integer.toUnsignedString(ackedStream()));
        out.append(" PSN ").append(Integer.toUnsignedString(ackedPsn()));
        return out.append(" echo ").append(echo()).append(" credit ").append(credit());
    }
}
