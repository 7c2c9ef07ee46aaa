package io.stag.bench.compare;

import io.stag.cli.perf.Measurement;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A figure of a run. */
@SuppressWarnings("ImmutableEnumChecker") // functions without state
public enum Metric {
    /** Median; half the round trip, the whole one for read and atomic. */
    LATENCY("us", 2, false, measurement -> measurement.result().p50Us()),
    BANDWIDTH("MB/s", 0, true, measurement -> measurement.result().mbPerS()),
    MESSAGE_RATE("messages/s", 0, true, measurement -> measurement.result().msgsPerS()),
    /** Processor time of both ends. */
    CPU("us of CPU/message", 2, false, measurement -> measurement.result().cpuUsPerMsg()),
    /** Octets on the heaps of both ends. */
    ALLOCATION("octets/operation", 3, false, measurement -> measurement.result().allocBytesPerOp()),
    /** Payload that arrived, of what was sent in datagrams. */
    DELIVERED(
            "% of the octets",
            2,
            true,
            measurement -> measurement.result().delivery() == null
                    ? null
                    : measurement.result().delivery().octetsPercent()),
    /** Jain's index over the connections. */
    FAIRNESS("Jain", 3, true, measurement -> measurement.result().fairness());

    private final String unit;
    private final int decimals;
    private final boolean moreIsBetter;
    private final Function<Measurement, @Nullable Double> value;

    Metric(String unit, int decimals, boolean moreIsBetter, Function<Measurement, @Nullable Double> value) {
        this.unit = unit;
        this.decimals = decimals;
        this.moreIsBetter = moreIsBetter;
        this.value = value;
    }

    String unit() {
        return unit;
    }

    int decimals() {
        return decimals;
    }

    boolean moreIsBetter() {
        return moreIsBetter;
    }

    /** The figure, or NaN where the run has none. */
    double of(@Nullable Measurement measurement) {
        Double figure = measurement == null ? null : value.apply(measurement);
        return figure == null ? Double.NaN : figure;
    }
}
