package io.stag.interop;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Set;

/**
 * One case of {@code stag misbehave} against the guest: what the command wrote about it, and what became of the guest.
 *
 * @param name of the case
 * @param role of Stag
 * @param sent what Stag sent
 * @param clause which rule it is about
 * @param items of the conformance checklist
 * @param came what siw did
 * @param due what was due
 * @param verdict conforms, allowed, VIOLATION, skipped or FAILED
 * @param reason of the verdict
 * @param findings what else was wrong or odd
 * @param kernelFault what the guest's kernel complained about because of it; empty when it was well
 */
record CaseVerdict(
        @JsonProperty("case") String name,
        @JsonProperty String role,
        @JsonProperty String sent,
        @JsonProperty String clause,
        @JsonProperty List<String> items,
        @JsonProperty String came,
        @JsonProperty String due,
        @JsonProperty String verdict,
        @JsonProperty String reason,
        @JsonProperty List<Finding> findings,
        @JsonProperty(defaultValue = "") String kernelFault) {

    static final String CONFORMS = "conforms";
    static final String VIOLATION = "VIOLATION";
    static final String SKIPPED = "skipped";
    static final String FAILED = "FAILED";

    /** Reasons to skip a case that lie in what siw and rping are; any other means that no result was got. */
    private static final Set<String> NOT_APPLICABLE = Set.of(
            "only stag misbehave --target offers such memory",
            "the peer asks for no Markers",
            "CRC was agreed on; try --crc off",
            "no CRC was agreed on",
            "the peer does not ask for peer-to-peer");

    /**
     * Something about siw's octets, whatever the case.
     *
     * @param item of the conformance checklist
     * @param clause where the rule stands
     * @param text what was seen
     * @param violation whether the rule forbids it
     */
    record Finding(
            @JsonProperty String item,
            @JsonProperty String clause,
            @JsonProperty String text,
            @JsonProperty boolean violation) {}

    /** A case without a result: the tester's fault, or the rig's. */
    static CaseVerdict failed(String name, String reason) {
        return new CaseVerdict(name, "", "", "", List.of(), "", "", FAILED, reason, List.of(), "");
    }

    CaseVerdict withKernelFault(String fault) {
        return new CaseVerdict(name, role, sent, clause, items, came, due, verdict, reason, findings, fault);
    }

    /** Whether there is a result, or a good reason why there cannot be one. */
    boolean isKnown() {
        return !verdict.equals(FAILED) && (!verdict.equals(SKIPPED) || NOT_APPLICABLE.contains(reason));
    }

    /** Whether siw is at fault. */
    boolean isPeersFault() {
        return verdict.equals(VIOLATION) || !kernelFault.isEmpty();
    }
}
