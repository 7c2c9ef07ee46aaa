package io.stag.rnic.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Radix tree from a 24-bit index to an entry: four levels of 64 slots. Any thread may read at any time; writers need the
 * table's lock. Empty nodes are cut off, so memory follows the number of entries although indexes are spread widely; a
 * reader still inside such a node finds an empty slot, as it would have a moment before.
 */
final class StagTree {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final int SLOT_BITS = 6;
    private static final int SLOTS = 1 << SLOT_BITS;
    private static final int TOP_SHIFT = IndexSequence.BITS - SLOT_BITS;

    private final @Nullable Object[] root = new @Nullable Object[SLOTS];

    @Nullable
    StagEntry get(int index) {
        @Nullable Object[] node = root;
        for (int shift = TOP_SHIFT; shift > 0; shift -= SLOT_BITS) {
            Object next = read(node, index >>> shift);
            if (next == null) {
                return null;
            }
            node = (@Nullable Object[]) next;
        }
        return (StagEntry) read(node, index);
    }

    void put(int index, StagEntry entry) {
        @Nullable Object[] node = root;
        for (int shift = TOP_SHIFT; shift > 0; shift -= SLOT_BITS) {
            @Nullable Object[] next = (@Nullable Object[]) read(node, index >>> shift);
            if (next == null) {
                next = new @Nullable Object[SLOTS];
                write(node, index >>> shift, next);
            }
            node = next;
        }
        write(node, index, entry);
    }

    void remove(int index) {
        remove(root, TOP_SHIFT, index);
    }

    List<StagEntry> entries() {
        List<StagEntry> found = new ArrayList<>();
        collect(root, found);
        return found;
    }

    /** How many nodes there are, the root included: what the tree costs. */
    int nodes() {
        return nodes(root);
    }

    private static int nodes(@Nullable Object[] node) {
        int count = 1;
        for (Object slot : node) {
            if (slot instanceof @Nullable Object[] below) {
                count += nodes(below);
            }
        }
        return count;
    }

    private static void remove(@Nullable Object[] node, int shift, int index) {
        if (shift > 0) {
            @Nullable Object[] next = (@Nullable Object[]) read(node, index >>> shift);
            if (next == null) {
                return;
            }
            remove(next, shift - SLOT_BITS, index);
            if (!isEmpty(next)) {
                return;
            }
        }
        write(node, index >>> shift, null);
    }

    private static boolean isEmpty(@Nullable Object[] node) {
        for (Object slot : node) {
            if (slot != null) {
                return false;
            }
        }
        return true;
    }

    private static void collect(@Nullable Object[] node, List<StagEntry> found) {
        for (Object slot : node) {
            if (slot instanceof StagEntry entry) {
                found.add(entry);
            } else if (slot != null) {
                collect((@Nullable Object[]) slot, found);
            }
        }
    }

    private static @Nullable Object read(@Nullable Object[] node, int slot) {
        return (@Nullable Object) SLOT.getAcquire(node, slot & SLOTS - 1);
    }

    private static void write(@Nullable Object[] node, int slot, @Nullable Object value) {
        SLOT.setRelease(node, slot & SLOTS - 1, value);
    }
}
