package io.stag.bench.compare;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A goal and what was reached of it.
 *
 * @param row its row
 * @param what what was measured
 * @param metric which figure
 * @param isRatio whether the value is a ratio to another run of the same round
 * @param value the figure or ratio that counts
 * @param absolute the figure of the measured run itself
 * @param floor what must be reached, or null
 * @param aim where one wants to be, or null
 * @param verdict how it ended
 * @param missedByPercent how far off the floor, or the aim where there is no floor
 * @param failure why nothing was measured, or null
 */
record GoalResult(
        String row,
        String what,
        Metric metric,
        boolean isRatio,
        Spread value,
        Spread absolute,
        @Nullable Double floor,
        @Nullable Double aim,
        Verdict verdict,
        double missedByPercent,
        @Nullable String failure) {

    /** How it ended. */
    enum Verdict {
        AIM,
        FLOOR,
        BELOW_AIM,
        MISSED,
        NOT_MEASURED
    }

    /** The verdict in words. */
    String verdictText() {
        return switch (verdict) {
            case AIM -> "aim reached";
            case FLOOR -> "floor reached";
            case BELOW_AIM -> String.format(Locale.ROOT, "%.0f %% off the aim", missedByPercent);
            case MISSED -> String.format(Locale.ROOT, "missed by %.0f %%", missedByPercent);
            case NOT_MEASURED -> "not measured" + (failure == null ? "" : ": " + failure);
        };
    }

    /** A limit as people write it, for instance {@code <= 1.20 x}. */
    String limit(@Nullable Double limit) {
        if (limit == null) {
            return "";
        }
        return (metric.moreIsBetter() ? ">= " : "<= ") + number(limit) + (isRatio ? " x" : "");
    }

    /** A value in the unit of the goal. */
    String number(double value) {
        return Spread.number(value, decimals());
    }

    /** Decimals that show the difference between value and limits. */
    int decimals() {
        return isRatio ? 2 : metric.decimals();
    }
}
