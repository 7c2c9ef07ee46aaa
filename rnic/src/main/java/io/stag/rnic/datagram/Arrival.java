package io.stag.rnic.datagram;

import io.stag.verbs.DatagramRefusal;
import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.ddp.DdpControl;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import io.stag.wire.rdmap.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The datagram at hand: read, and checked as far as it can be without knowing what came before. Filled again and again. */
final class Arrival {
    private static final int REPORT_LENGTH = DatagramPrefix.LENGTH + Crc32c.LENGTH;
    private static final int SHORTEST_SEGMENT = REPORT_LENGTH + TaggedHeader.LENGTH;

    private final DatagramPrefix prefix = new DatagramPrefix();
    private final TaggedHeader taggedHeader = new TaggedHeader();
    private final UntaggedHeader untaggedHeader = new UntaggedHeader();
    private final Crc32c crc = new Crc32c();

    private LongSupplier clock = () -> 0;
    private boolean knowsTime;
    private long nowNanos;
    long sourceHigh;
    long sourceLow;
    int sourcePort;
    int sourceScope;

    MemorySegment memory = MemorySegment.NULL;
    boolean isReport;
    int epoch;

    /** Number of the message; in a report the epoch of who is told. */
    int id;

    /** Number of the datagram, if {@link #reportWanted}; in a report that of the newest received. */
    int flow;

    boolean reportWanted;

    /** Whether the sender will send more of messages before this one. */
    boolean earlierFollow;

    long length;
    long offset;
    int payloadAt;
    int payload;
    boolean tagged;
    int opcode;
    boolean solicited;
    int stag;

    /** Where the first octet of the whole message belongs. */
    long messageTaggedOffset;

    Arrival() {}

    /** The datagrams that follow came just now, whenever that is. */
    @SuppressWarnings("ReferenceEquality") // only whether there is something to store
    void cameNow(LongSupplier newClock) {
        if (clock != newClock) { // a store costs more, since the garbage collector keeps books of them
            clock = newClock;
        }
        knowsTime = false;
    }

    /** Whether {@link #nowNanos} need not ask any more. */
    boolean knowsTime() {
        return knowsTime;
    }

    /** When they came. The clock is asked when somebody wants to know: for a datagram that comes alone that takes long. */
    long nowNanos() {
        if (!knowsTime) {
            nowNanos = clock.getAsLong();
            knowsTime = true;
        }
        return nowNanos;
    }

    /** Whether one datagram is all of the message. */
    boolean isWhole() {
        return payload == length;
    }

    boolean isLast() {
        return offset + payload == length;
    }

    long firstBlock() {
        return offset / DatagramPrefix.BLOCK;
    }

    long endBlock() {
        return Math.ceilDiv(offset + payload, (long) DatagramPrefix.BLOCK);
    }

    /** Takes a datagram apart. @return why it is refused, or null */
    @Nullable
    DatagramRefusal read(MemorySegment segment, ByteBuffer buffer, int at, int octets) {
        if (octets < REPORT_LENGTH) {
            return DatagramRefusal.TOO_SHORT;
        }
        prefix.read(segment, at, octets);
        if (prefix.version() != DatagramPrefix.VERSION) {
            return DatagramRefusal.VERSION;
        }
        crc.reset();
        crc.update(buffer, at, octets - Crc32c.LENGTH);
        if (crc.value() != Crc32c.getWire(segment, (long) at + octets - Crc32c.LENGTH)) {
            return DatagramRefusal.CRC;
        }
        isReport = prefix.kind() == DatagramPrefix.REPORT;
        epoch = prefix.epoch();
        id = prefix.messageId();
        if (isReport) {
            flow = prefix.offset();
            return octets == REPORT_LENGTH ? null : DatagramRefusal.LAYOUT;
        }
        if (prefix.kind() != DatagramPrefix.SEGMENT) {
            return DatagramRefusal.KIND;
        }
        if (octets < SHORTEST_SEGMENT) {
            return DatagramRefusal.TOO_SHORT;
        }
        memory = segment;
        flow = prefix.flow();
        reportWanted = (prefix.flags() & DatagramPrefix.REPORT_WANTED_FLAG) != 0;
        earlierFollow = (prefix.flags() & DatagramPrefix.EARLIER_FOLLOW_FLAG) != 0;
        length = Integer.toUnsignedLong(prefix.messageLength());
        offset = Integer.toUnsignedLong(prefix.offset());
        return readHeader(segment, at + DatagramPrefix.LENGTH, octets - DatagramPrefix.LENGTH - Crc32c.LENGTH);
    }

    private @Nullable DatagramRefusal readHeader(MemorySegment segment, int at, int octets) {
        int controls = DdpControl.controls(segment, at);
        int control = DdpControl.ddpControl(controls);
        int rdmap = DdpControl.rdmapControl(controls);
        if (DdpControl.version(control) != DdpControl.VERSION
                || DdpControl.rdmapVersion(rdmap) != DdpControl.RDMAP_VERSION) {
            return DatagramRefusal.HEADER;
        }
        tagged = DdpControl.isTagged(control);
        opcode = DdpControl.opcode(rdmap);
        int headerLength = tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        if (octets < headerLength) {
            return DatagramRefusal.TOO_SHORT;
        }
        payloadAt = at + headerLength;
        payload = octets - headerLength;
        boolean fits = tagged ? readTagged(segment, at) : readUntagged(segment, at);
        if (!fits || DdpControl.isLast(control) != isLast()) {
            return DatagramRefusal.HEADER;
        }
        return isLaidOut() ? null : DatagramRefusal.LAYOUT;
    }

    private boolean readTagged(MemorySegment segment, int at) {
        taggedHeader.wrap(segment, at);
        stag = taggedHeader.stag();
        messageTaggedOffset = taggedHeader.taggedOffset() - offset;
        solicited = (prefix.flags() & DatagramPrefix.SOLICITED_FLAG) != 0;
        return opcode == RdmapOpcode.RDMA_WRITE;
    }

    private boolean readUntagged(MemorySegment segment, int at) {
        untaggedHeader.wrap(segment, at);
        solicited = opcode == RdmapOpcode.SEND_WITH_SOLICITED_EVENT;
        return (opcode == RdmapOpcode.SEND || solicited)
                && untaggedHeader.queueNumber() == RdmapOpcode.SEND_QUEUE
                && untaggedHeader.msn() == id
                && Integer.toUnsignedLong(untaggedHeader.messageOffset()) == offset;
    }

    private boolean isLaidOut() {
        return offset % DatagramPrefix.BLOCK == 0
                && offset + payload <= length
                && (payload % DatagramPrefix.BLOCK == 0 || isLast())
                && (payload > 0 || length == 0);
    }
}
