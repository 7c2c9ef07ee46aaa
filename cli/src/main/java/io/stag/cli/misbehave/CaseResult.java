package io.stag.cli.misbehave;

import com.google.gson.annotations.SerializedName;
import java.util.ArrayList;
import java.util.List;

/**
 * One case as it went; the names are those of the JSON file.
 *
 * @param name of the case
 * @param role of ours: initiator or responder
 * @param sent what we sent
 * @param clause which rule it is about
 * @param items of the conformance checklist
 * @param came what came back
 * @param due what was due
 * @param verdict conforms, allowed, VIOLATION, skipped or FAILED
 * @param reason of the verdict; empty when it speaks for itself
 * @param findings what else is to be said about the peer's octets
 */
record CaseResult(
        @SerializedName("case") String name,
        String role,
        String sent,
        String clause,
        List<String> items,
        String came,
        String due,
        Verdict verdict,
        String reason,
        List<Finding> findings) {
    private static final Finding SWAPPED = Finding.violation(
            "RDMAP-012",
            "RFC 5040 §4.8",
            "its Terminate has layer and type in each other's place, as Linux siw sends them; taken as it was meant");

    static CaseResult of(Case one, boolean initiator, Observation seen) {
        Ruling ruling = one.expectation().judge(seen, one.stage());
        List<Finding> findings = new ArrayList<>(seen.allFindings());
        if (seen.terminate().filter(one.expectation()::isSwapped).isPresent()) {
            findings.add(SWAPPED);
        }
        Ruling last = findings.stream()
                .filter(finding -> finding.violation() && one.items().contains(finding.item()))
                .findFirst()
                .map(finding -> new Ruling(Verdict.VIOLATION, finding.text()))
                .orElse(ruling);
        return new CaseResult(
                one.name(),
                initiator ? "initiator" : "responder",
                one.sends(),
                one.clause(),
                one.items(),
                seen.text(),
                one.expectation().text(),
                last.verdict(),
                last.reason(),
                List.copyOf(findings));
    }

    /** A case that did not come to its end. */
    static CaseResult of(Case one, boolean initiator, Verdict verdict, String reason) {
        return new CaseResult(
                one.name(),
                initiator ? "initiator" : "responder",
                one.sends(),
                one.clause(),
                one.items(),
                "",
                one.expectation().text(),
                verdict,
                reason,
                List.of());
    }

    /** Whether something counts against the peer, or the case could not be carried out. */
    boolean isBad() {
        return verdict.isBad() || findings.stream().anyMatch(Finding::violation);
    }
}
