package io.stag.interop;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Verdicts of {@code stag misbehave} as text for {@code docs/interop-siw-misbehave.md}. */
final class MisbehavePage {
    private MisbehavePage() {}

    /** How often which verdict. */
    static String counts(List<CaseVerdict> verdicts) {
        Map<String, Long> counts = verdicts.stream()
                .collect(Collectors.groupingBy(CaseVerdict::verdict, LinkedHashMap::new, Collectors.counting()));
        String text = counts.entrySet().stream()
                .map(entry -> entry.getValue() + " "
                        + (entry.getKey().equals(CaseVerdict.VIOLATION) ? "break an RFC: siw's fault" : entry.getKey()))
                .collect(Collectors.joining(", "));
        long faults = verdicts.stream()
                .filter(verdict -> !verdict.kernelFault().isEmpty())
                .count();
        return text + (faults == 0 ? "" : "; " + faults + " broke siw's kernel");
    }

    /** The verdicts of one cell. */
    static String section(CellResult cell, List<CaseVerdict> verdicts) {
        StringBuilder text = new StringBuilder();
        text.append("`").append(cell.cell()).append("`: ").append(cell.settings());
        text.append(", siw ").append(cell.siw()).append(". ");
        text.append(verdicts.size()).append(" cases: ").append(counts(verdicts)).append(".\n\n");
        findings(verdicts, text);
        text.append("| case | sent | siw's answer | verdict | due, or why allowed | items |\n");
        text.append("| --- | --- | --- | --- | --- | --- |\n");
        verdicts.forEach(verdict -> row(verdict, text));
        return text.toString();
    }

    private static void row(CaseVerdict verdict, StringBuilder text) {
        String fault = verdict.kernelFault().isEmpty() ? "" : "; then its kernel failed";
        text.append("| ").append(verdict.name());
        text.append(" | ").append(cell(verdict.sent()));
        text.append(" | ").append(cell(verdict.came())).append(fault);
        text.append(" | ").append(verdict.verdict());
        text.append(" | ").append(cell(verdict.reason()));
        text.append(" | ").append(String.join(" ", verdict.items())).append(" |\n");
    }

    private static void findings(List<CaseVerdict> verdicts, StringBuilder text) {
        Map<CaseVerdict.Finding, Long> findings = verdicts.stream()
                .flatMap(verdict -> verdict.findings().stream())
                .collect(Collectors.groupingBy(finding -> finding, LinkedHashMap::new, Collectors.counting()));
        findings.forEach((finding, count) -> text.append("- ")
                .append(finding.violation() ? "VIOLATION" : "note")
                .append(" in ")
                .append(count)
                .append(count == 1 ? " answer: " : " answers: ")
                .append(finding.text())
                .append(" (")
                .append(finding.item())
                .append(", ")
                .append(finding.clause())
                .append(")\n"));
        text.append(findings.isEmpty() ? "" : "\n");
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
