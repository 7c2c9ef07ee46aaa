package io.stag.cli.dump;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Octets of a stream that no frame has taken yet. */
final class StreamBuffer {
    private static final int INITIAL = 4096;

    private byte[] array = new byte[INITIAL];
    private MemorySegment segment = MemorySegment.ofArray(array);
    private int start;
    private int end;

    void append(byte[] data, int offset, int length) {
        if (end + length > array.length) {
            makeRoom(length);
        }
        System.arraycopy(data, offset, array, end, length);
        end += length;
    }

    /** Memory with the octets; the first one is at {@link #start}. */
    MemorySegment segment() {
        return segment;
    }

    int start() {
        return start;
    }

    int size() {
        return end - start;
    }

    byte octet(int index) {
        return array[start + index];
    }

    void consume(int length) {
        start += length;
        if (start == end) {
            start = 0;
            end = 0;
        }
    }

    void clear() {
        consume(size());
    }

    private void makeRoom(int length) {
        int size = size();
        if (size + length > array.length) {
            byte[] larger = new byte[Math.max(size + length, 2 * array.length)];
            System.arraycopy(array, start, larger, 0, size);
            array = larger;
            segment = MemorySegment.ofArray(array);
        } else {
            System.arraycopy(array, start, array, 0, size);
        }
        start = 0;
        end = size;
    }

    /** A copy, for messages. */
    byte[] copy(int length) {
        return Arrays.copyOfRange(array, start, start + Math.min(length, size()));
    }
}
