package io.stag.cli.misbehave;

import static io.stag.wire.NetworkOrder.U32;
import static io.stag.wire.NetworkOrder.U64;
import static io.stag.wire.NetworkOrder.U8;

import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A DDP segment, the content of one FPDU. The factories make right ones; the {@code with} methods give a copy with one
 * field wrong.
 */
final class Segment {
    private static final int CONTROL = 0;
    private static final int RDMAP_CONTROL = 1;
    private static final int INVALIDATE_STAG = 2;
    private static final int QUEUE = 6;
    private static final int MSN = 10;
    private static final int MESSAGE_OFFSET = 14;

    private final byte[] octets;
    private final MemorySegment memory;
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();

    /** A segment with any content. */
    Segment(byte[] octets) {
        this.octets = octets;
        memory = MemorySegment.ofArray(octets);
        tagged.wrap(memory, 0);
        untagged.wrap(memory, 0);
    }

    static Segment send(int msn, byte[] payload) {
        return untagged(RdmapOpcode.SEND, 0, msn, payload);
    }

    static Segment sendInvalidate(int msn, int stag) {
        return untagged(RdmapOpcode.SEND_WITH_INVALIDATE, stag, msn, new byte[0]);
    }

    static Segment immediate(int msn, int length) {
        return untagged(RdmapOpcode.IMMEDIATE_DATA, 0, msn, new byte[length]);
    }

    static Segment write(int stag, long taggedOffset, int length) {
        return tagged(RdmapOpcode.RDMA_WRITE, stag, taggedOffset, length);
    }

    static Segment readResponse(int stag, long taggedOffset, int length) {
        return tagged(RdmapOpcode.READ_RESPONSE, stag, taggedOffset, length);
    }

    /** A Read Request; the sink is our own business, the peer must only copy it. */
    static Segment readRequest(int msn, int sinkStag, int size, int sourceStag, long sourceOffset) {
        Segment segment = untagged(RdmapOpcode.READ_REQUEST, 0, msn, new byte[ReadRequestHeader.LENGTH]);
        ReadRequestHeader header = new ReadRequestHeader();
        header.wrap(segment.memory, UntaggedHeader.LENGTH);
        header.put(sinkStag, 0, size, sourceStag, sourceOffset);
        return segment;
    }

    /** A FetchAdd of 0, which changes nothing if it is carried out (RFC 7306, section 1.1). */
    static Segment fetchAdd(int msn, int stag, long taggedOffset) {
        Segment segment = untagged(RdmapOpcode.ATOMIC_REQUEST, 0, msn, new byte[AtomicRequestHeader.LENGTH]);
        AtomicRequestHeader header = new AtomicRequestHeader();
        header.wrap(segment.memory, UntaggedHeader.LENGTH);
        header.putFetchAdd(msn, stag, taggedOffset, 0, 0);
        return segment;
    }

    static Segment atomicResponse(int msn) {
        return untagged(RdmapOpcode.ATOMIC_RESPONSE, 0, msn, new byte[AtomicResponseHeader.LENGTH]);
    }

    static Segment terminate(int code) {
        Segment segment = untagged(RdmapOpcode.TERMINATE, 0, 1, new byte[TerminateHeader.LENGTH]);
        TerminateHeader header = new TerminateHeader();
        header.wrap(segment.memory, UntaggedHeader.LENGTH, TerminateHeader.LENGTH);
        header.put(code);
        return segment;
    }

    private static Segment untagged(int opcode, int invalidateStag, int msn, byte[] payload) {
        Segment segment = new Segment(new byte[UntaggedHeader.LENGTH + payload.length]);
        segment.untagged.put(true, DdpControl.rdmap(opcode), invalidateStag, RdmapOpcode.queue(opcode), msn, 0);
        System.arraycopy(payload, 0, segment.octets, UntaggedHeader.LENGTH, payload.length);
        return segment;
    }

    private static Segment tagged(int opcode, int stag, long taggedOffset, int length) {
        Segment segment = new Segment(new byte[TaggedHeader.LENGTH + length]);
        segment.tagged.put(true, DdpControl.rdmap(opcode), stag, taggedOffset);
        Arrays.fill(segment.octets, TaggedHeader.LENGTH, segment.octets.length, (byte) 0xEE);
        return segment;
    }

    Segment withoutLast() {
        return withOctet(CONTROL, ddpControl() & ~DdpControl.LAST_FLAG);
    }

    Segment withTaggedFlipped() {
        return withOctet(CONTROL, ddpControl() ^ DdpControl.TAGGED_FLAG);
    }

    Segment withDdpVersion(int version) {
        return withOctet(CONTROL, (ddpControl() & ~DdpControl.VERSION_MASK) | version);
    }

    Segment withDdpReservedBits() {
        return withOctet(CONTROL, ddpControl() | DdpControl.RESERVED_MASK);
    }

    Segment withRdmapVersion(int version) {
        return withOctet(RDMAP_CONTROL, (rdmapControl() & ~DdpControl.RDMAP_VERSION_MASK) | (version << 6));
    }

    Segment withRdmapReservedBits() {
        return withOctet(RDMAP_CONTROL, rdmapControl() | DdpControl.RDMAP_RESERVED_MASK);
    }

    Segment withOpcode(int opcode) {
        return withOctet(RDMAP_CONTROL, (rdmapControl() & ~DdpControl.OPCODE_MASK) | opcode);
    }

    Segment withInvalidateStag(int stag) {
        return withWord(INVALIDATE_STAG, stag);
    }

    Segment withQueue(int queue) {
        return withWord(QUEUE, queue);
    }

    Segment withMsn(int msn) {
        return withWord(MSN, msn);
    }

    Segment withMessageOffset(int offset) {
        return withWord(MESSAGE_OFFSET, offset);
    }

    /** A copy with another word of the header of RDMAP, or of the payload. */
    Segment withPayloadWord(int offset, int value) {
        return withWord(UntaggedHeader.LENGTH + offset, value);
    }

    /** A copy cut off, or made longer with zeros. */
    Segment withLength(int length) {
        return new Segment(Arrays.copyOf(octets, length));
    }

    private Segment withOctet(int offset, int value) {
        Segment copy = new Segment(octets.clone());
        copy.memory.set(U8, offset, (byte) value);
        return copy;
    }

    private Segment withWord(int offset, int value) {
        Segment copy = new Segment(octets.clone());
        copy.memory.set(U32, offset, value);
        return copy;
    }

    byte[] octets() {
        return octets;
    }

    int length() {
        return octets.length;
    }

    /** Whether there are as many octets as the T flag asks for; without, only {@link #length} may be called. */
    boolean hasHeader() {
        return octets.length >= DdpControl.LENGTH && octets.length >= headerLength();
    }

    boolean isTagged() {
        return DdpControl.isTagged(ddpControl());
    }

    boolean isLast() {
        return DdpControl.isLast(ddpControl());
    }

    int opcode() {
        return DdpControl.opcode(rdmapControl());
    }

    int stag() {
        return tagged.stag();
    }

    long taggedOffset() {
        return tagged.taggedOffset();
    }

    int queue() {
        return untagged.queueNumber();
    }

    int msn() {
        return untagged.msn();
    }

    int messageOffset() {
        return untagged.messageOffset();
    }

    int payloadLength() {
        return octets.length - headerLength();
    }

    int payloadWord(int offset) {
        return memory.get(U32, headerLength() + (long) offset);
    }

    long payloadLong(int offset) {
        return memory.get(U64, headerLength() + (long) offset);
    }

    /** The fields of a Read Request. */
    ReadRequestHeader readRequest() {
        ReadRequestHeader header = new ReadRequestHeader();
        header.wrap(memory, UntaggedHeader.LENGTH);
        return header;
    }

    /** The fields of a Terminate of at least 4 octets. */
    TerminateHeader terminateHeader() {
        TerminateHeader header = new TerminateHeader();
        header.wrap(memory, UntaggedHeader.LENGTH, payloadLength());
        return header;
    }

    private int headerLength() {
        return isTagged() ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
    }

    private int ddpControl() {
        return DdpControl.ddpControl(memory, 0);
    }

    private int rdmapControl() {
        return DdpControl.rdmapControl(memory, 0);
    }
}
