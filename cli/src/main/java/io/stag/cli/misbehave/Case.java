package io.stag.cli.misbehave;

import java.util.List;

/**
 * One wrong behaviour.
 *
 * @param name what the user calls it by
 * @param role who we have to be
 * @param stage when it strikes
 * @param sends what is sent, in a few words
 * @param clause which rule it is about
 * @param items of the conformance checklist that the reaction shows
 * @param script does it
 * @param expectation how a peer has to react
 * @param patient whether the reaction is a time-out of the peer
 */
record Case(
        String name,
        Role role,
        Stage stage,
        String sends,
        String clause,
        List<String> items,
        Script script,
        Expectation expectation,
        boolean patient) {

    /** What we do on the connection. */
    @FunctionalInterface
    interface Script {
        void run(RawPeer peer);
    }

    /** A case without items, which {@link #about} adds. */
    static Case of(String name, Role role, Stage stage, String sends, Script script, Expectation expectation) {
        return new Case(name, role, stage, sends, "", List.of(), script, expectation, false);
    }

    /** The rule and its items in the checklist. */
    Case about(String rule, String... shown) {
        return new Case(name, role, stage, sends, rule, List.of(shown), script, expectation, patient);
    }

    /** The same case, waiting for a time-out. */
    Case patiently() {
        return new Case(name, role, stage, sends, clause, items, script, expectation, true);
    }
}
