package io.stag.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Memory of a simulated program: guard octets around every piece, and the patterns by which octets are known. */
final class SimMemory implements AutoCloseable {
    private static final int GUARD = 32;
    private static final byte GUARD_OCTET = (byte) 0xA5;
    private static final byte SENTINEL = (byte) 0x5A;

    private final Arena arena = Arena.ofShared();
    private final List<MemorySegment> blocks = new ArrayList<>();

    MemorySegment allocate(long length) {
        MemorySegment block = arena.allocate(length + 2 * GUARD, Long.BYTES);
        block.asSlice(0, GUARD).fill(GUARD_OCTET);
        block.asSlice(GUARD + length, GUARD).fill(GUARD_OCTET);
        blocks.add(block);
        return block.asSlice(GUARD, length);
    }

    void checkGuards() {
        for (MemorySegment block : blocks) {
            for (long i = 0; i < GUARD; i++) {
                check(block.get(ValueLayout.JAVA_BYTE, i) == GUARD_OCTET, "guard octets before a region changed");
                check(
                        block.get(ValueLayout.JAVA_BYTE, block.byteSize() - 1 - i) == GUARD_OCTET,
                        "guard octets behind a region changed");
            }
        }
    }

    /** No octet of a pattern is 0, so that untouched memory is told from placed octets. */
    static byte pattern(int key, int index) {
        int mixed = (index + 1) * 0x9E37_79B1 + key * 0x85EB_CA77;
        int octet = mixed >>> 24;
        return (byte) (octet == 0 || octet == (SENTINEL & 0xFF) ? 1 : octet);
    }

    static void fill(MemorySegment segment, int key) {
        for (int i = 0; i < segment.byteSize(); i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, pattern(key, i));
        }
    }

    /** Octets of the slot that hold the pattern, from its start; the rest must be untouched. */
    static int placed(MemorySegment memory, int slot, int length, int key, int patternAt, Object what) {
        int placed = 0;
        while (placed < length && at(memory, slot + placed) == pattern(key, patternAt + placed)) {
            placed++;
        }
        for (int i = placed; i < length; i++) {
            check(at(memory, slot + i) == 0, "octet " + i + " is neither untouched nor what was sent: " + what);
        }
        return placed;
    }

    static void checkComplete(MemorySegment memory, int slot, int length, int key, int patternAt, Object what) {
        for (int i = 0; i < length; i++) {
            if (at(memory, slot + i) != pattern(key, patternAt + i)) {
                throw new AssertionError("octet " + i + " is " + at(memory, slot + i) + " instead of "
                        + pattern(key, patternAt + i) + ": " + what);
            }
        }
    }

    static void checkUntouched(MemorySegment memory, int slot, int length, Object what) {
        for (int i = 0; i < length; i++) {
            check(at(memory, slot + i) == 0, "octet " + i + " was written: " + what);
        }
    }

    static void retire(MemorySegment memory, int slot, int length) {
        memory.asSlice(slot, length).fill(SENTINEL);
    }

    static void checkRetired(MemorySegment memory, int slot, int length, Object what) {
        for (int i = 0; i < length; i++) {
            check(at(memory, slot + i) == SENTINEL, "octet " + i + " was placed a second time: " + what);
        }
    }

    private static byte at(MemorySegment memory, int index) {
        return memory.get(ValueLayout.JAVA_BYTE, index);
    }

    static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
