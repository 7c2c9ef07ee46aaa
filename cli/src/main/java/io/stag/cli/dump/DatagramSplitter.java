package io.stag.cli.dump;

import io.stag.wire.Crc32c;
import io.stag.wire.datagram.DatagramPrefix;
import io.stag.wire.datagram.ReliableHeader;
import java.lang.foreign.MemorySegment;

/**
 * Finds out whether a UDP datagram is several in one: where the system cuts and joins datagrams (UDP_SEGMENT, UDP_GRO), a
 * capture on the machine itself shows the whole train as one packet that says nothing of the cuts. Where the CRC of the first
 * ends and a prefix of the same sender begins, there is one; all but the last have the same length.
 */
final class DatagramSplitter {
    /** No kind that leaves in trains is shorter than a refusal. */
    private static final int SHORTEST = ReliableHeader.LENGTH + Crc32c.LENGTH;

    private final Crc32c crc = new Crc32c();
    private final DatagramPrefix first = new DatagramPrefix();
    private final DatagramPrefix next = new DatagramPrefix();

    boolean isCrcRight(MemorySegment packet, long offset, int length) {
        if (length < Crc32c.LENGTH) {
            return false;
        }
        crc.reset();
        crc.update(packet, offset, length - Crc32c.LENGTH);
        return crc.value() == Crc32c.getWire(packet, offset + length - Crc32c.LENGTH);
    }

    /** Octets of each datagram but the last; {@code length} when it is only one, or none of ours. */
    int cut(MemorySegment packet, long offset, int length) {
        if (length < 2 * SHORTEST || !first.read(packet, offset, length) || isCrcRight(packet, offset, length)) {
            return length;
        }
        for (int at = SHORTEST; at + SHORTEST <= length; at++) {
            next.read(packet, offset + at, length - at);
            if (next.version() == first.version()
                    && next.kind() == first.kind()
                    && next.epoch() == first.epoch()
                    && isCrcRight(packet, offset, at)) {
                return at;
            }
        }
        return length;
    }
}
