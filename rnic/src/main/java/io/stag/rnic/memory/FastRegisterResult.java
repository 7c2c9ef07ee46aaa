package io.stag.rnic.memory;

/** Outcome of a fast registration. */
public enum FastRegisterResult {
    /** Registered. */
    OK("registered"),
    /** The region was closed. */
    CLOSED("the memory region was closed"),
    /** The region is of another domain than the queue pair. */
    WRONG_DOMAIN("the memory region belongs to another protection domain than the queue pair"),
    /** The region is valid. */
    STILL_VALID("the memory region is valid; invalidate it first"),
    /** Remote rights without the capability. */
    NO_REMOTE_ACCESS("remote rights on an STag that was allocated without remote access"),
    /** The rights do not fit together. */
    RIGHTS("a region needs a local right, and each remote right needs the local ones behind it"),
    /** The memory cannot be registered. */
    MEMORY("the memory must be native, open, accessible from any thread, and writable for rights that change it"),
    /** The key is no octet. */
    KEY("a key is one octet, 0 to 255");

    private final String text;

    FastRegisterResult(String text) {
        this.text = text;
    }

    /** What was found, for people. */
    public String text() {
        return text;
    }
}
