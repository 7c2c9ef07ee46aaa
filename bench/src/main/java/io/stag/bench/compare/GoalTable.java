package io.stag.bench.compare;

import io.stag.cli.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints goals and what was reached. */
final class GoalTable {
    private GoalTable() {}

    static void print(List<GoalResult> results, PrintWriter out) {
        Table table = new Table("what", "measured", "ratio", "half of them", "floor", "aim", "verdict");
        String row = "";
        for (GoalResult result : results) {
            if (!result.row().equals(row)) {
                row = result.row();
                table.row(row.toUpperCase(Locale.ROOT), "", "", "", "", "", "");
            }
            table.row(
                    "  " + result.what(),
                    measured(result),
                    result.isRatio() ? result.value().text(2) : "",
                    result.value().range(result.decimals()),
                    result.limit(result.floor()),
                    result.limit(result.aim()),
                    result.verdictText());
        }
        table.print(out);
        long missed = results.stream()
                .filter(result -> result.verdict() == GoalResult.Verdict.MISSED
                        || result.verdict() == GoalResult.Verdict.NOT_MEASURED)
                .count();
        out.println(missed + " of " + results.size() + " goals missed or not measured");
    }

    private static String measured(GoalResult result) {
        Spread absolute = result.absolute();
        return absolute.isEmpty()
                ? "-"
                : absolute.text(result.metric().decimals()) + " "
                        + result.metric().unit();
    }
}
