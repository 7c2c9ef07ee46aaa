package io.stag.rnic.memory;

import io.stag.verbs.CompletionStatus;

/** Outcome of a check of an access to registered memory. The engine maps it to codes of DDP and RDMAP. */
public enum AccessCheck {
    /** Allowed. */
    OK("allowed"),
    /** Unknown index, wrong key, or the STag is invalid at the moment. */
    INVALID_STAG("the STag is unknown, has another key or is invalid"),
    /** The STag belongs to another protection domain or, a window, to another queue pair. */
    WRONG_DOMAIN("the STag belongs to another protection domain or queue pair"),
    /** A right is missing. */
    RIGHTS("the STag does not grant this kind of access"),
    /** Offset and length together exceed 64 bits. */
    WRAP("the tagged offset plus the length exceeds 64 bits"),
    /** Octets outside the registered range. */
    BOUNDS("the access leaves the registered range"),
    /** The owner closed the arena of the memory. */
    GONE("the owner of the memory closed its arena while it was registered");

    private final String text;

    AccessCheck(String text) {
        this.text = text;
    }

    /** How a request ends whose own buffer was refused (RDMA verbs §8.1). */
    public CompletionStatus localStatus() {
        return this == RIGHTS ? CompletionStatus.LOC_ACCESS_ERR : CompletionStatus.LOC_PROT_ERR;
    }

    /** What was found, for people. */
    public String text() {
        return text;
    }
}
