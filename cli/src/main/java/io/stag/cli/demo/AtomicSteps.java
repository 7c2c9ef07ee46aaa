package io.stag.cli.demo;

import io.stag.verbs.SendRequests;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;

/** Atomic operations on eight octets of the other end (RFC 7306). */
final class AtomicSteps {
    private static final long TARGET = 512;
    private static final HexFormat HEX = HexFormat.of();

    private AtomicSteps() {}

    static List<Step> all() {
        return List.of(
                new Step("FetchAdd", AtomicSteps::fetchAdd),
                new Step("FetchAdd, two fields at once", AtomicSteps::fetchAddMasked),
                new Step("CmpSwap", AtomicSteps::compareSwap),
                new Step("CmpSwap of some bits", AtomicSteps::compareSwapMasked));
    }

    private static String fetchAdd(Pair.Ends ends) {
        long id = ends.client().nextId();
        return change(ends, id, 41, 42, requests -> requests.fetchAdd(id, stag(ends), offset(ends), 1));
    }

    private static String fetchAddMasked(Pair.Ends ends) {
        long id = ends.client().nextId();
        long before = 0x0000_0007_FFFF_FFFFL; // the lower field overflows without touching the upper one
        long after = 0x0000_0008_0000_0001L;
        return change(
                ends,
                id,
                before,
                after,
                requests -> requests.fetchAdd(id, stag(ends), offset(ends), 0x0000_0001_0000_0002L, 1L << 31));
    }

    private static String compareSwap(Pair.Ends ends) {
        long id = ends.client().nextId();
        change(ends, id, 5, 5, requests -> requests.compareSwap(id, stag(ends), offset(ends), 4, 9));
        long second = ends.client().nextId();
        return change(ends, second, 5, 9, requests -> requests.compareSwap(second, stag(ends), offset(ends), 5, 9));
    }

    private static String compareSwapMasked(Pair.Ends ends) {
        long id = ends.client().nextId();
        return change(
                ends,
                id,
                0x1111_2222_3333_4444L,
                0x1111_2222_3333_AAAAL,
                requests -> requests.compareSwap(
                        id, stag(ends), offset(ends), 0x1111L << 48, 0xFFFFL << 48, 0xAAAAL, 0xFFFFL));
    }

    private static String change(
            Pair.Ends ends, long id, long before, long after, Function<SendRequests, SendRequests> operation) {
        ends.server().memory.segment().set(ValueLayout.JAVA_LONG, TARGET, before);
        operation.apply(ends.client().sends).into(ends.client().memory, 0, Long.BYTES);
        ends.client().postAndAwait(id);
        Check.equal("value before", before, ends.client().memory.segment().get(ValueLayout.JAVA_LONG, 0));
        Check.equal("value after", after, ends.server().memory.segment().get(ValueLayout.JAVA_LONG, TARGET));
        return before < 100 ? before + " to " + after : HEX.toHexDigits(before) + " to " + HEX.toHexDigits(after);
    }

    private static int stag(Pair.Ends ends) {
        return ends.server().memory.stag();
    }

    private static long offset(Pair.Ends ends) {
        return ends.server().memory.remoteOffset(TARGET);
    }
}
