package io.stag.cli.dump;

import java.nio.ByteBuffer;

/** A packet of a capture file; one instance per reader, filled again for each packet. */
final class CapturedPacket {
    /** Nanoseconds since 1970. */
    long timestampNanos;

    /** Link type of the interface (LINKTYPE_ registry of tcpdump.org). */
    int linkType;

    /** Where the octets are, from index 0; has an array, and is longer than {@link #length}. */
    ByteBuffer buffer = ByteBuffer.allocate(0);

    /** Octets captured. */
    int length;
}
