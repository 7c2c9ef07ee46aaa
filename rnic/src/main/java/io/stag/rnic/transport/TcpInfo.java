package io.stag.rnic.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What the kernel tells of a TCP connection, its {@code struct tcp_info}. Asking again allocates nothing. */
final class TcpInfo {
    private static final int LENGTH = 104; // that of Linux 2.6; newer kernels give as much as is asked for
    private static final long STATE = 0;
    private static final long RETRANSMITS = 2;
    private static final long PROBES = 3;
    private static final long SND_MSS = 16;
    private static final byte CLOSE = 7;

    private final MemorySegment memory;
    private final MemorySegment length;

    /** Memory that is freed when it is no longer reachable. */
    TcpInfo() {
        Arena arena = Arena.ofAuto();
        memory = arena.allocate(LENGTH, Long.BYTES);
        length = arena.allocate(JAVA_INT);
    }

    /** Asks anew. @return false when the kernel does not tell, so that nothing below means anything */
    boolean ask(int socket) {
        length.set(JAVA_INT, 0, LENGTH);
        return Libc.getsockopt(socket, Libc.IPPROTO_TCP, Libc.TCP_INFO, memory, length) == 0
                && length.get(JAVA_INT, 0) >= SND_MSS + Integer.BYTES;
    }

    /** Whether there is no connection any more: both ends have finished, it was reset, or the peer did not answer. */
    boolean isClosed() {
        return memory.get(JAVA_BYTE, STATE) == CLOSE;
    }

    /** Segments sent again and again, and questions whether the peer is there, since it answered the last time. */
    int unanswered() {
        return Byte.toUnsignedInt(memory.get(JAVA_BYTE, RETRANSMITS))
                + Byte.toUnsignedInt(memory.get(JAVA_BYTE, PROBES));
    }

    /** Payload of a segment, without the options that every segment carries. */
    int segmentSize() {
        return memory.get(JAVA_INT, SND_MSS);
    }
}
