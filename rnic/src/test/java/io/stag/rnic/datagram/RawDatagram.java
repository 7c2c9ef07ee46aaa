package io.stag.rnic.datagram;

import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.ddp.TaggedHeader;
import io.stag.wire.ddp.UntaggedHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A datagram made field by field, right unless told otherwise. */
final class RawDatagram {
    static final int EPOCH = 0x1BAD_B002;

    int versionAndKind = 0x11;
    int flags;
    int epoch = EPOCH;
    int id = 1;
    int length;
    int offset;
    int control;
    int rdmap;
    int stag;
    long taggedOffset;
    int queue;
    int msn = 1;
    int mo;
    byte[] payload = {};

    private RawDatagram() {}

    /** Octet {@code index} of message {@code id}. */
    static byte pattern(int id, long index) {
        return (byte) ((index + 1) * 31 + id * 7L + (index >>> 8));
    }

    /** Octets of a message. */
    static byte[] octets(int id, long offset, int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = pattern(id, offset + i);
        }
        return octets;
    }

    static RawDatagram send(int id, int length, int offset, int payload) {
        RawDatagram datagram = new RawDatagram();
        datagram.id = id;
        datagram.msn = id;
        datagram.length = length;
        datagram.offset = offset;
        datagram.mo = offset;
        datagram.control = (offset + payload == length ? 0x40 : 0) | 1;
        datagram.rdmap = 0x43;
        datagram.payload = octets(id, offset, payload);
        return datagram;
    }

    /** A segment of a Write-Record whose first octet belongs to {@code messageOffset} of the memory. */
    static RawDatagram write(int id, int stag, long messageOffset, int length, int offset, int payload) {
        RawDatagram datagram = send(id, length, offset, payload);
        datagram.control |= 0x80;
        datagram.rdmap = 0x40;
        datagram.stag = stag;
        datagram.taggedOffset = messageOffset + offset;
        return datagram;
    }

    /** Of messages before it more will follow. */
    RawDatagram withEarlierFollowing() {
        flags |= 4;
        return this;
    }

    RawDatagram solicited() {
        if ((control & 0x80) != 0) {
            flags |= 1;
        } else {
            rdmap = 0x45;
        }
        return this;
    }

    byte[] octets() {
        boolean tagged = (control & 0x80) != 0;
        int header = tagged ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        ByteBuffer out = ByteBuffer.allocate(DatagramPrefix.LENGTH + header + payload.length + Crc32c.LENGTH);
        out.put((byte) versionAndKind).put((byte) flags).putShort((short) 0);
        out.putInt(epoch).putInt(id).putInt(length).putInt(offset);
        out.put((byte) control).put((byte) rdmap);
        if (tagged) {
            out.putInt(stag).putLong(taggedOffset);
        } else {
            out.putInt(0).putInt(queue).putInt(msn).putInt(mo);
        }
        out.put(payload);
        return withCrc(out.array());
    }

    /** Sets the last four octets. */
    static byte[] withCrc(byte[] octets) {
        Crc32c crc = new Crc32c();
        MemorySegment segment = MemorySegment.ofArray(octets);
        crc.update(segment, 0, octets.length - Crc32c.LENGTH);
        segment.set(
                ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN),
                octets.length - Crc32c.LENGTH,
                crc.value());
        return octets;
    }
}
