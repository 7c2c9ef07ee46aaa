package io.stag.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A DDP segment as plain octets, read and written without the engine's flyweights. Fields as in RFC 5041 and 5040. */
record Segment(byte[] ulpdu) {
    static final int TAGGED = 14;
    static final int UNTAGGED = 18;
    static final int READ_REQUEST = 28;
    static final int ATOMIC_REQUEST = 52;
    static final int ATOMIC_RESPONSE = 12;
    static final int IMMEDIATE = 8;

    static final int WRITE = 0;
    static final int READ = 1;
    static final int READ_RESPONSE = 2;
    static final int SEND = 3;
    static final int SEND_SE_INVALIDATE = 6;
    static final int TERMINATE = 7;
    static final int IMMEDIATE_DATA = 8;
    static final int IMMEDIATE_DATA_SE = 9;
    static final int ATOMIC = 10;
    static final int ATOMIC_ANSWER = 11;

    private static final int[] QUEUES = {-1, 1, -1, 0, 0, 0, 0, 2, 0, 0, 1, 3};

    static Segment tagged(int control, int rdmapControl, int stag, long offset, byte[] payload) {
        return new Segment(ByteBuffer.allocate(TAGGED + payload.length)
                .put((byte) control)
                .put((byte) rdmapControl)
                .putInt(stag)
                .putLong(offset)
                .put(payload)
                .array());
    }

    static Segment untagged(
            int control, int rdmapControl, int stag, int queue, int msn, int messageOffset, byte[] payload) {
        return new Segment(ByteBuffer.allocate(UNTAGGED + payload.length)
                .put((byte) control)
                .put((byte) rdmapControl)
                .putInt(stag)
                .putInt(queue)
                .putInt(msn)
                .putInt(messageOffset)
                .put(payload)
                .array());
    }

    static byte[] readRequest(int sinkStag, long sinkOffset, int size, int sourceStag, long sourceOffset) {
        return ByteBuffer.allocate(READ_REQUEST)
                .putInt(sinkStag)
                .putLong(sinkOffset)
                .putInt(size)
                .putInt(sourceStag)
                .putLong(sourceOffset)
                .array();
    }

    static byte[] atomicRequest(
            int opcode, int id, int stag, long offset, long data, long mask, long compare, long compareMask) {
        return ByteBuffer.allocate(ATOMIC_REQUEST)
                .putInt(opcode)
                .putInt(id)
                .putInt(stag)
                .putLong(offset)
                .putLong(data)
                .putLong(mask)
                .putLong(compare)
                .putLong(compareMask)
                .array();
    }

    static byte[] atomicResponse(int id, long value) {
        return ByteBuffer.allocate(ATOMIC_RESPONSE).putInt(id).putLong(value).array();
    }

    /** The queue of an untagged message, or -1. */
    static int queueOf(int opcode) {
        return opcode < QUEUES.length ? QUEUES[opcode] : -1;
    }

    boolean hasHeader() {
        return ulpdu.length >= TAGGED && (isTagged() || ulpdu.length >= UNTAGGED);
    }

    boolean isTagged() {
        return (ulpdu[0] & 0x80) != 0;
    }

    boolean isLast() {
        return (ulpdu[0] & 0x40) != 0;
    }

    int version() {
        return ulpdu[0] & 3;
    }

    int rdmapVersion() {
        return ulpdu[1] >> 6 & 3;
    }

    int opcode() {
        return ulpdu[1] & 15;
    }

    boolean isSend() {
        return opcode() >= SEND && opcode() <= SEND_SE_INVALIDATE;
    }

    boolean invalidates() {
        return opcode() == 4 || opcode() == 6;
    }

    boolean solicits() {
        return opcode() == 5 || opcode() == 6 || opcode() == IMMEDIATE_DATA_SE;
    }

    /** STag of a tagged segment, or the one to invalidate. */
    int stag() {
        return u32(2);
    }

    long taggedOffset() {
        return u64(6);
    }

    int queue() {
        return u32(6);
    }

    int msn() {
        return u32(10);
    }

    int messageOffset() {
        return u32(14);
    }

    int headerLength() {
        return isTagged() ? TAGGED : UNTAGGED;
    }

    int payloadLength() {
        return ulpdu.length - headerLength();
    }

    byte[] payload() {
        return Arrays.copyOfRange(ulpdu, headerLength(), ulpdu.length);
    }

    int u32(int at) {
        return ByteBuffer.wrap(ulpdu).getInt(at);
    }

    long u64(int at) {
        return ByteBuffer.wrap(ulpdu).getLong(at);
    }

    @Override
    public String toString() {
        return java.util.HexFormat.of().formatHex(ulpdu);
    }
}
