package io.stag.cli.misbehave;

/**
 * Something about what the peer sent, whatever the case. It counts against the peer, but against a case only if the case
 * is about the same item.
 *
 * @param item of the conformance checklist
 * @param clause where the rule stands
 * @param text what was seen
 * @param violation whether the rule forbids it; else it is only worth knowing
 */
record Finding(String item, String clause, String text, boolean violation) {
    static Finding violation(String item, String clause, String text) {
        return new Finding(item, clause, text, true);
    }

    static Finding note(String item, String clause, String text) {
        return new Finding(item, clause, text, false);
    }
}
