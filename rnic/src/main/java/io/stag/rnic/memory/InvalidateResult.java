package io.stag.rnic.memory;

/** Outcome of an invalidation (verbs draft, sections 7.8 and 7.10; RFC 5040, section 5.3). */
public enum InvalidateResult {
    /** The STag is invalid now; perhaps it was before. */
    OK("invalidated"),
    /** No such STag, or the key does not match. */
    UNKNOWN_STAG("the STag is unknown or has another key"),
    /** The STag is of another domain. */
    WRONG_DOMAIN("the STag belongs to another protection domain"),
    /** The window is bound to another queue pair. */
    WRONG_QUEUE_PAIR("the memory window is bound to another queue pair"),
    /** Windows are bound to the region. */
    WINDOWS_BOUND("memory windows are bound to the memory region"),
    /** The queue pair lets its peer do nothing. */
    QUEUE_PAIR_NOT_ENABLED("the queue pair has no remote access enabled"),
    /** The STag grants peers nothing. */
    NO_REMOTE_RIGHT("the STag grants peers nothing, so a peer may not invalidate it"),
    /** The region is for all queue pairs of its domain. */
    SHARED("the memory region was registered without REMOTE_INVALIDATE: all queue pairs of its domain share it");

    private final String text;

    InvalidateResult(String text) {
        this.text = text;
    }

    /** What was found, for people. */
    public String text() {
        return text;
    }
}
