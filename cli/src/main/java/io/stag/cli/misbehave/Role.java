package io.stag.cli.misbehave;

/** Who we have to be for a case. */
enum Role {
    /** We connect: the peer is the responder. */
    INITIATOR("--connect"),
    /** We listen: the peer is the initiator. */
    RESPONDER("--listen"),
    /** It does not matter. */
    EITHER("either");

    private final String option;

    Role(String option) {
        this.option = option;
    }

    /** How the user asks for it. */
    String option() {
        return option;
    }

    boolean fits(boolean initiator) {
        return this == EITHER || (this == INITIATOR) == initiator;
    }
}
