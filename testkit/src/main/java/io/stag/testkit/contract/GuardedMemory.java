package io.stag.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Memory with guard octets on both sides of every piece; a write beside a piece shows at the end of the test. */
final class GuardedMemory implements AutoCloseable {
    private static final int GUARD = 64;
    private static final byte GUARD_OCTET = (byte) 0xA5;

    private final Arena arena = Arena.ofShared();
    private final List<MemorySegment> blocks = new ArrayList<>();

    /** A zeroed piece, aligned to eight octets. */
    MemorySegment allocate(long length) {
        MemorySegment block = arena.allocate(length + 2 * GUARD, Long.BYTES);
        MemorySegment piece = block.asSlice(GUARD, length);
        block.fill(GUARD_OCTET);
        piece.fill((byte) 0);
        blocks.add(block);
        return piece;
    }

    void check() {
        for (MemorySegment block : blocks) {
            for (long i = 0; i < GUARD; i++) {
                checkOctet(block, i);
                checkOctet(block, block.byteSize() - 1 - i);
            }
        }
    }

    private static void checkOctet(MemorySegment block, long at) {
        byte found = block.get(ValueLayout.JAVA_BYTE, at);
        if (found != GUARD_OCTET) {
            throw new AssertionError("octet " + (at - GUARD) + " of memory with " + (block.byteSize() - 2 * GUARD)
                    + " octets was overwritten with " + found);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
