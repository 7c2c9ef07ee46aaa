package io.stag.rnic.reliable;

import io.stag.rnic.memory.AccessCheck;
import io.stag.rnic.memory.AtomicMemory;
import io.stag.rnic.memory.Grant;
import io.stag.wire.rdmap.AtomicRequestHeader;

/** An atomic operation of a peer that waits for its turn. Filled again and again. */
final class AtomicOperation {
    private boolean add;
    private long operand;
    private long operandMask;
    private long compare;
    private long compareMask;

    AtomicOperation() {}

    void set(AtomicRequestHeader request) {
        add = request.atomicOpcode() == AtomicRequestHeader.FETCH_ADD;
        operand = request.addOrSwapData();
        operandMask = request.addOrSwapMask();
        compare = request.compareData();
        compareMask = request.compareMask();
    }

    AccessCheck execute(Grant grant, long offset, AtomicMemory.Original original) {
        return add
                ? AtomicMemory.fetchAdd(grant.memory(), offset, operand, operandMask, original)
                : AtomicMemory.compareSwap(
                        grant.memory(), offset, compare, compareMask, operand, operandMask, original);
    }
}
