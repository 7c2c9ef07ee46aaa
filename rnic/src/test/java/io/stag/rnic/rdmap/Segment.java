package io.stag.rnic.rdmap;

import io.stag.wire.Vectors;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.AtomicRequestHeader;
import io.stag.wire.rdmap.AtomicResponseHeader;
import io.stag.wire.rdmap.ImmediateData;
import io.stag.wire.rdmap.RdmapOpcode;
import io.stag.wire.rdmap.ReadRequestHeader;
import io.stag.wire.rdmap.TerminateHeader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;

/** A DDP segment, the content of one FPDU: made and read with the flyweights. */
final class Segment {
    private static final HexFormat HEX = HexFormat.of();

    private final byte[] octets;
    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();

    Segment(byte[] octets) {
        this.octets = octets;
        tagged.wrap(memory(), 0);
        untagged.wrap(memory(), 0);
    }

    /** The segment in the FPDU of a vector without markers. */
    static Segment ofVector(String id) {
        Vectors.Positive vector = Vectors.positive(id);
        int length = vector.decoded().path("ulpdu_length").intValue();
        return new Segment(HEX.parseHex(vector.hex(), 4, 4 + 2 * length));
    }

    static Segment send(int msn, byte[] payload) {
        return send(RdmapOpcode.SEND, msn, 0, true, payload);
    }

    static Segment send(int opcode, int msn, int messageOffset, boolean last, byte[] payload) {
        return untagged(last, opcode, 0, RdmapOpcode.SEND_QUEUE, msn, messageOffset, payload);
    }

    static Segment sendInvalidate(int msn, int stag, byte[] payload) {
        return untagged(true, RdmapOpcode.SEND_WITH_INVALIDATE, stag, RdmapOpcode.SEND_QUEUE, msn, 0, payload);
    }

    static Segment immediate(int msn, long value) {
        byte[] payload = new byte[ImmediateData.LENGTH];
        var data = new ImmediateData();
        data.wrap(MemorySegment.ofArray(payload), 0);
        data.put(value);
        return send(RdmapOpcode.IMMEDIATE_DATA, msn, 0, true, payload);
    }

    static Segment write(int stag, long taggedOffset, boolean last, byte[] payload) {
        return tagged(last, RdmapOpcode.RDMA_WRITE, stag, taggedOffset, payload);
    }

    static Segment readRequest(int msn, int sinkStag, long sinkOffset, int size, int sourceStag, long sourceOffset) {
        byte[] payload = new byte[ReadRequestHeader.LENGTH];
        var header = new ReadRequestHeader();
        header.wrap(MemorySegment.ofArray(payload), 0);
        header.put(sinkStag, sinkOffset, size, sourceStag, sourceOffset);
        return untagged(true, RdmapOpcode.READ_REQUEST, 0, RdmapOpcode.READ_REQUEST_QUEUE, msn, 0, payload);
    }

    static Segment readResponse(int stag, long taggedOffset, boolean last, byte[] payload) {
        return tagged(last, RdmapOpcode.READ_RESPONSE, stag, taggedOffset, payload);
    }

    static Segment fetchAdd(int msn, int identifier, int stag, long taggedOffset, long add, long mask) {
        byte[] payload = new byte[AtomicRequestHeader.LENGTH];
        var header = new AtomicRequestHeader();
        header.wrap(MemorySegment.ofArray(payload), 0);
        header.putFetchAdd(identifier, stag, taggedOffset, add, mask);
        return untagged(true, RdmapOpcode.ATOMIC_REQUEST, 0, RdmapOpcode.READ_REQUEST_QUEUE, msn, 0, payload);
    }

    static Segment atomicResponse(int msn, int identifier, long original) {
        byte[] payload = new byte[AtomicResponseHeader.LENGTH];
        var header = new AtomicResponseHeader();
        header.wrap(MemorySegment.ofArray(payload), 0);
        header.put(identifier, original);
        return untagged(true, RdmapOpcode.ATOMIC_RESPONSE, 0, RdmapOpcode.ATOMIC_RESPONSE_QUEUE, msn, 0, payload);
    }

    static Segment terminate(int code) {
        byte[] payload = new byte[TerminateHeader.LENGTH];
        var header = new TerminateHeader();
        header.wrap(MemorySegment.ofArray(payload), 0, payload.length);
        header.put(code);
        return untagged(true, RdmapOpcode.TERMINATE, 0, RdmapOpcode.TERMINATE_QUEUE, 1, 0, payload);
    }

    static Segment tagged(boolean last, int opcode, int stag, long taggedOffset, byte[] payload) {
        byte[] octets = new byte[TaggedHeader.LENGTH + payload.length];
        var header = new TaggedHeader();
        header.wrap(MemorySegment.ofArray(octets), 0);
        header.put(last, DdpControl.rdmap(opcode), stag, taggedOffset);
        System.arraycopy(payload, 0, octets, TaggedHeader.LENGTH, payload.length);
        return new Segment(octets);
    }

    static Segment untagged(
            boolean last, int opcode, int invalidateStag, int queue, int msn, int messageOffset, byte[] payload) {
        byte[] octets = new byte[UntaggedHeader.LENGTH + payload.length];
        var header = new UntaggedHeader();
        header.wrap(MemorySegment.ofArray(octets), 0);
        header.put(last, DdpControl.rdmap(opcode), invalidateStag, queue, msn, messageOffset);
        System.arraycopy(payload, 0, octets, UntaggedHeader.LENGTH, payload.length);
        return new Segment(octets);
    }

    /** The same with some octets replaced. */
    Segment with(int offset, int... replacements) {
        byte[] changed = octets.clone();
        for (int i = 0; i < replacements.length; i++) {
            changed[offset + i] = (byte) replacements[i];
        }
        return new Segment(changed);
    }

    /** The same, shorter or with zeros at its end. */
    Segment resized(int length) {
        return new Segment(Arrays.copyOf(octets, length));
    }

    byte[] octets() {
        return octets.clone();
    }

    int length() {
        return octets.length;
    }

    boolean isTagged() {
        return tagged.isTagged();
    }

    boolean isLast() {
        return tagged.isLast();
    }

    int opcode() {
        return tagged.opcode();
    }

    int stag() {
        return tagged.stag();
    }

    long taggedOffset() {
        return tagged.taggedOffset();
    }

    int invalidateStag() {
        return untagged.invalidateStag();
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

    byte[] payload() {
        return Arrays.copyOfRange(octets, headerLength(), octets.length);
    }

    ReadRequestHeader readRequestHeader() {
        var header = new ReadRequestHeader();
        header.wrap(memory(), headerLength());
        return header;
    }

    AtomicRequestHeader atomicRequestHeader() {
        var header = new AtomicRequestHeader();
        header.wrap(memory(), headerLength());
        return header;
    }

    AtomicResponseHeader atomicResponseHeader() {
        var header = new AtomicResponseHeader();
        header.wrap(memory(), headerLength());
        return header;
    }

    TerminateHeader terminateHeader() {
        var header = new TerminateHeader();
        header.wrap(memory(), headerLength(), octets.length - headerLength());
        return header;
    }

    /** The headers of the offending segment that a Terminate carries. */
    String terminatedHeaders() {
        return HEX.formatHex(octets, headerLength() + 6, octets.length);
    }

    private int headerLength() {
        return isTagged() ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
    }

    private MemorySegment memory() {
        return MemorySegment.ofArray(octets);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Segment segment && Arrays.equals(octets, segment.octets);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(octets);
    }

    @Override
    public String toString() {
        return HEX.formatHex(octets);
    }
}
