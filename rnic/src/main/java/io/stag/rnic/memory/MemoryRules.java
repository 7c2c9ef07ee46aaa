package io.stag.rnic.memory;

import io.stag.verbs.VerbsError;
import io.stag.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Which memory can be registered. */
final class MemoryRules {
    private MemoryRules() {}

    /** Throws when memory or rights are not allowed for a region. */
    static void require(MemorySegment memory, int rights) {
        String wrongRights = Rights.check(rights);
        if (wrongRights != null) {
            throw new VerbsException(VerbsError.INVALID_ARGUMENT, wrongRights);
        }
        String wrongMemory = check(memory, rights);
        if (wrongMemory != null) {
            throw new VerbsException(VerbsError.INVALID_MEMORY, wrongMemory);
        }
    }

    /** Null when the memory can be registered with the rights, else what is wrong and what is allowed. */
    static @Nullable String check(MemorySegment memory, int rights) {
        if (!memory.isNative()) {
            return "the segment is on the heap, where the garbage collector moves it; "
                    + "allocate it with Arena.ofShared() or ProtectionDomain.allocate";
        }
        if (!memory.scope().isAlive()) {
            return "the arena of the segment is closed; it must stay open as long as the memory is registered";
        }
        // Agents are other threads than the caller, and which ones may change.
        if (!memory.isAccessibleBy(Thread.ofVirtual().unstarted(() -> {}))) {
            return "the segment is confined to one thread; allocate it with Arena.ofShared(), ofAuto() or global()";
        }
        if (memory.byteSize() == 0) {
            return "the segment has no octets; a pointer from native code first needs MemorySegment.reinterpret(size)";
        }
        if (memory.isReadOnly() && (rights & Rights.CHANGING) != 0) {
            return "the segment is read-only, so only LOCAL_READ, REMOTE_READ and WINDOW_BIND are possible, got "
                    + Rights.toSet(rights);
        }
        return null;
    }
}
