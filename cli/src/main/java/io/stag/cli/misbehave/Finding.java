package io.stag.cli.misbehave;

/**
 * Something about what the peer sent, whatever the case.
 *
 * @param item of the conformance checklist
 * @param text what was seen
 * @param violation whether a rule forbids it; else it is only worth knowing
 */
record Finding(String item, String text, boolean violation) {
    static Finding violation(String item, String text) {
        return new Finding(item, text, true);
    }

    static Finding note(String item, String text) {
        return new Finding(item, text, false);
    }
}
