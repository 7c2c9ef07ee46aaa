package io.stag.cli.misbehave;

import com.google.gson.annotations.SerializedName;
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
 * @param notes what else is worth knowing about the peer's octets
 * @param swapped whether a Terminate has layer and type in each other's place, as those of Linux siw
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
        List<String> notes,
        @SerializedName("terminate_swapped") boolean swapped) {

    static CaseResult of(Case one, boolean initiator, Observation seen) {
        Ruling ruling = one.expectation().judge(seen, one.stage());
        List<Finding> findings = seen.allFindings();
        List<String> notes = findings.stream()
                .map(finding -> finding.text() + " (" + finding.item() + ")")
                .toList();
        Ruling last = findings.stream()
                .filter(Finding::violation)
                .findFirst()
                .map(finding -> new Ruling(Verdict.VIOLATION, finding.text() + " (" + finding.item() + ")"))
                .orElse(ruling);
        boolean swapped = seen.terminate().filter(one.expectation()::isSwapped).isPresent();
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
                notes,
                swapped);
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
                List.of(),
                false);
    }
}
