package io.stag.rnic.qp;

import io.stag.verbs.ErrorDetail;
import io.stag.verbs.TerminateCount;
import io.stag.wire.rdmap.TerminateCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;

/** How often each error ended a stream of an RNIC. Codes that no RFC assigns are counted together. Any thread. */
public final class TerminateCounts {
    private static final TerminateCode[] CODES = TerminateCode.values();

    private final AtomicLongArray sent = new AtomicLongArray(CODES.length + 1);
    private final AtomicLongArray received = new AtomicLongArray(CODES.length + 1);

    /** All zero. */
    public TerminateCounts() {}

    /** Counts a Terminate with the 16-bit code {@code code}. */
    public void count(int code, boolean isSent) {
        Optional<TerminateCode> known = code == ErrorDetail.NO_TERMINATE ? Optional.empty() : TerminateCode.of(code);
        (isSent ? sent : received).incrementAndGet(known.map(Enum::ordinal).orElse(CODES.length));
    }

    /** The codes seen so far. */
    public List<TerminateCount> snapshot() {
        List<TerminateCount> counts = new ArrayList<>();
        for (int i = 0; i <= CODES.length; i++) {
            if (sent.get(i) > 0 || received.get(i) > 0) {
                counts.add(
                        i < CODES.length
                                ? new TerminateCount(
                                        CODES[i].wireValue(), CODES[i].meaning(), sent.get(i), received.get(i))
                                : new TerminateCount(
                                        ErrorDetail.NO_TERMINATE,
                                        "A code that no RFC assigns.",
                                        sent.get(i),
                                        received.get(i)));
            }
        }
        return counts;
    }
}
