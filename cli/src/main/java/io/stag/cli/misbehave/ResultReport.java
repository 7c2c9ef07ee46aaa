package io.stag.cli.misbehave;

import com.google.gson.annotations.SerializedName;
import io.stag.cli.JsonFile;
import io.stag.cli.Table;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Shows results to people, and writes them for programs. */
final class ResultReport {
    private ResultReport() {}

    /** The list of cases. */
    static void list(List<Case> cases, PrintWriter out) {
        Table table = new Table("case", "role", "sends", "clause", "items");
        cases.forEach(one ->
                table.row(one.name(), one.role().option(), one.sends(), one.clause(), String.join(" ", one.items())));
        table.print(out);
        out.println(cases.size() + " cases");
        out.flush();
    }

    /** The same for programs. */
    static void writeList(Path file, List<Case> cases) {
        JsonFile.write(
                file,
                cases.stream()
                        .map(one ->
                                new ListedCase(one.name(), one.role().option(), one.sends(), one.clause(), one.items()))
                        .toList());
    }

    /** A case in the list; the names are those of the JSON file. */
    private record ListedCase(
            @SerializedName("case") String name, String role, String sends, String clause, List<String> items) {}

    /** A table, the reasons of all that is not as it should be, and the count of verdicts. */
    static void print(List<CaseResult> results, PrintWriter out) {
        Table table = new Table("case", "came back", "verdict", "items");
        results.forEach(result ->
                table.row(result.name(), result.came(), result.verdict().text(), String.join(" ", result.items())));
        table.print(out);
        out.println();
        results.stream().filter(result -> !isPlain(result)).forEach(result -> explain(result, out));
        Map<Finding, Long> findings = results.stream()
                .flatMap(result -> result.findings().stream())
                .collect(Collectors.groupingBy(finding -> finding, LinkedHashMap::new, Collectors.counting()));
        findings.forEach((finding, count) -> out.println((finding.violation() ? "VIOLATION" : "note") + " in " + count
                + " answers: " + finding.text() + " (" + finding.item() + ", " + finding.clause() + ")"));
        out.println(Arrays.stream(Verdict.values())
                .map(verdict -> count(results, verdict) + " " + verdict.text())
                .filter(text -> !text.startsWith("0 "))
                .collect(Collectors.joining(", ")));
        out.flush();
    }

    private static boolean isPlain(CaseResult result) {
        return result.verdict() == Verdict.CONFORMS;
    }

    private static void explain(CaseResult result, PrintWriter out) {
        out.println(result.name() + ": " + result.verdict().text()
                + (result.reason().isEmpty() ? "" : ", " + result.reason()));
        if (result.verdict().isBad()) {
            out.println("  sent: " + result.sent());
            out.println("  rule: " + result.clause() + ", " + String.join(" ", result.items()));
        }
    }

    private static long count(List<CaseResult> results, Verdict verdict) {
        return results.stream().filter(result -> result.verdict() == verdict).count();
    }
}
