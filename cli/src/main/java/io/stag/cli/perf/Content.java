package io.stag.cli.perf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The octets that every test carries, so that both sides can verify what they got. */
public final class Content {
    private Content() {}

    /** Writes the octets of a message. */
    public static void fill(MemorySegment segment, long offset, long length) {
        for (long i = 0; i < length; i++) {
            segment.set(ValueLayout.JAVA_BYTE, offset + i, octet(i));
        }
    }

    /** Compares; the last octet may differ, since write-lat counts there. */
    public static boolean isRight(MemorySegment segment, long offset, long length) {
        for (long i = 0; i < length - 1; i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, offset + i) != octet(i)) {
                return false;
            }
        }
        return true;
    }

    private static byte octet(long index) {
        return (byte) (index * 7 + (index >>> 8) + 1);
    }
}
