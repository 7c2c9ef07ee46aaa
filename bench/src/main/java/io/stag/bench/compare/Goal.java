package io.stag.bench.compare;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that Stag wants to reach: a figure of a run, absolute or as a ratio to another run of the same round; or the mean of
 * several such ratios.
 *
 * @param row the row of the table of goals that it belongs to; rounds interleave within a row
 * @param what what is measured, and against what
 * @param metric which figure
 * @param measured the runs, mostly one
 * @param against the other run for each, or none when the figure itself counts
 * @param floor what must be reached; null when there is only an aim
 * @param aim where one wants to be; null when there is only a floor
 */
record Goal(
        String row,
        String what,
        Metric metric,
        List<Cell> measured,
        List<Cell> against,
        @Nullable Double floor,
        @Nullable Double aim) {

    /** About one run. */
    Goal(
            String row,
            String what,
            Metric metric,
            Cell measured,
            @Nullable Cell against,
            @Nullable Double floor,
            @Nullable Double aim) {
        this(row, what, metric, List.of(measured), against == null ? List.of() : List.of(against), floor, aim);
    }

    /** What must be run in each round: each run beside that which it is compared with. */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (int i = 0; i < measured.size(); i++) {
            if (!against.isEmpty()) {
                cells.add(against.get(i));
            }
            cells.add(measured.get(i));
        }
        return cells;
    }

    GoalResult judge(Rounds rounds) {
        Spread absolute = rounds.mean(measured, metric);
        Spread value = against.isEmpty() ? absolute : rounds.meanRatio(measured, against, metric);
        return new GoalResult(
                row,
                what,
                metric,
                !against.isEmpty(),
                value,
                absolute,
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
