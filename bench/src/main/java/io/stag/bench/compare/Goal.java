package io.stag.bench.compare;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that Stag wants to reach: a figure of a run, absolute or as a ratio to another run of the same round.
 *
 * @param row the row of the table of goals that it belongs to; rounds interleave within a row
 * @param what what is measured, and against what
 * @param metric which figure
 * @param measured the run
 * @param against the other run, or null when the figure itself counts
 * @param floor what must be reached; null when there is only an aim
 * @param aim where one wants to be; null when there is only a floor
 */
record Goal(
        String row,
        String what,
        Metric metric,
        Cell measured,
        @Nullable Cell against,
        @Nullable Double floor,
        @Nullable Double aim) {

    /** What must be run in each round. */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        if (against != null) {
            cells.add(against);
        }
        cells.add(measured);
        return cells;
    }

    GoalResult judge(Rounds rounds) {
        Spread value = against == null ? rounds.spread(measured, metric) : rounds.ratio(measured, against, metric);
        return new GoalResult(
                row,
                what,
                metric,
                against != null,
                value,
                rounds.spread(measured, metric),
                floor,
                aim,
                verdict(value.median()),
                missedBy(value.median()),
                failure(rounds));
    }

    private GoalResult.Verdict verdict(double value) {
        if (Double.isNaN(value)) {
            return GoalResult.Verdict.NOT_MEASURED;
        } else if (aim != null && reaches(value, aim)) {
            return GoalResult.Verdict.AIM;
        } else if (floor == null) {
            return GoalResult.Verdict.BELOW_AIM;
        }
        return reaches(value, floor) ? GoalResult.Verdict.FLOOR : GoalResult.Verdict.MISSED;
    }

    /** By how many percent the floor was missed, or the aim where there is no floor; 0 when it was reached. */
    private double missedBy(double value) {
        Double limit = floor == null ? aim : floor;
        if (limit == null || Double.isNaN(value) || reaches(value, limit)) {
            return 0;
        }
        return metric.moreIsBetter() ? (1 - value / limit) * 100 : (value / limit - 1) * 100;
    }

    private boolean reaches(double value, double limit) {
        return metric.moreIsBetter() ? value >= limit : value <= limit;
    }

    private @Nullable String failure(Rounds rounds) {
        return cells().stream()
                .filter(rounds.failures()::containsKey)
                .map(rounds.failures()::get)
                .findFirst()
                .orElse(null);
    }
}
