package io.stag.cli.perf;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/**
 * Keeps client and server on different processors: the client on the first half of those allowed, the server on the
 * second. Works on the calling thread and those it starts later; Linux with native access only.
 */
public final class Affinity {
    private static final long MASK_OCTETS = 128;
    private static final FunctionDescriptor SIGNATURE = FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);

    private Affinity() {}

    /** Whether this process may and can do it. */
    static boolean isAvailable() {
        return System.getProperty("os.name").equals("Linux")
                && Affinity.class.getModule().isNativeAccessEnabled();
    }

    /**
     * Pins the calling thread.
     *
     * @param server which half
     * @return processors it may use now, or 0 when nothing was changed
     */
    public static int pin(boolean server) {
        if (!isAvailable()) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_OCTETS);
            int length = call("sched_getaffinity", mask);
            BitSet allowed = BitSet.valueOf(mask.asByteBuffer());
            int count = allowed.cardinality();
            if (length < 0 || count < 2) {
                return 0;
            }
            BitSet half = half(allowed, server);
            mask.fill((byte) 0);
            MemorySegment.copy(MemorySegment.ofArray(half.toByteArray()), 0, mask, 0, half.toByteArray().length);
            return call("sched_setaffinity", mask) < 0 ? 0 : half.cardinality();
        }
    }

    static BitSet half(BitSet allowed, boolean second) {
        int count = allowed.cardinality();
        int from = second ? count / 2 : 0;
        int to = second ? count : count / 2;
        BitSet half = new BitSet();
        int index = 0;
        for (int cpu = allowed.nextSetBit(0); cpu >= 0; cpu = allowed.nextSetBit(cpu + 1)) {
            if (index >= from && index < to) {
                half.set(cpu);
            }
            index++;
        }
        return half;
    }

    @SuppressWarnings("restricted") // isAvailable() asked for the permission
    private static int call(String function, MemorySegment mask) {
        Linker linker = Linker.nativeLinker();
        MethodHandle handle = linker.downcallHandle(linker.defaultLookup().findOrThrow(function), SIGNATURE);
        try {
            return (int) handle.invokeExact(0, MASK_OCTETS, mask);
        } catch (Throwable e) {
            throw new IllegalStateException(function, e);
        }
    }
}
