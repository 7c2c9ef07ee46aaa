package io.stag.cli.misbehave;

/** Who we have to be for a case. */
enum Role {
    /** We connect: the peer is the responder. */
    INITIATOR,
    /** We listen: the peer is the initiator. */
    RESPONDER,
    /** It does not matter. */
    EITHER;

    boolean fits(boolean initiator) {
        return this == EITHER || (this == INITIATOR) == initiator;
    }
}
