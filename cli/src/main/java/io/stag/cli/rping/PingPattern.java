package io.stag.cli.rping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Content of a ping: a text with its number, then the characters from {@code A} to {@code z} over and over, beginning one
 * later with each ping; a zero at the end.
 */
final class PingPattern {
    /** The least size: a number of any length fits into the text. */
    static final int MIN_SIZE = 23;

    /** The largest size. */
    static final int MAX_SIZE = 65_536;

    private static final int FIRST = 'A';
    private static final int LAST = 'z';
    private static final int CYCLE = LAST - FIRST + 1;
    private static final String TEXT = "rdma-ping-";

    private PingPattern() {}

    static void fill(MemorySegment buffer, int size, int ping) {
        byte[] text = (TEXT + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < size - 1; i++) {
            buffer.set(ValueLayout.JAVA_BYTE, i, i < text.length ? text[i] : character(ping, i - text.length));
        }
        buffer.set(ValueLayout.JAVA_BYTE, size - 1, (byte) 0);
    }

    /** Where two buffers differ first, or -1. */
    static long mismatch(MemorySegment left, MemorySegment right, int size) {
        return MemorySegment.mismatch(left, 0, size, right, 0, size);
    }

    /** Octets up to the zero, which counts too; what an echo sends back. */
    static int echoLength(MemorySegment buffer, int size) {
        for (int i = 0; i < size; i++) {
            if (buffer.get(ValueLayout.JAVA_BYTE, i) == 0) {
                return i + 1;
            }
        }
        return size;
    }

    /** The text up to the zero. */
    static String text(MemorySegment buffer, int size) {
        int length = echoLength(buffer, size);
        byte[] octets = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        int end = octets[length - 1] == 0 ? length - 1 : length;
        return new String(octets, 0, end, StandardCharsets.ISO_8859_1);
    }

    private static byte character(int ping, int index) {
        return (byte) (FIRST + (ping % CYCLE + index) % CYCLE);
    }
}
