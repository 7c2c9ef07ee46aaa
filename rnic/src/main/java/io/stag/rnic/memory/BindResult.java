package io.stag.rnic.memory;

/** Outcome of binding a memory window (verbs draft, section 7.10). */
public enum BindResult {
    /** Bound. */
    OK("bound"),
    /** The window or the region was closed. */
    CLOSED("the memory window or the memory region was closed"),
    /** Window, region and queue pair are not of one domain. */
    WRONG_DOMAIN("memory window, memory region and queue pair must belong to one protection domain"),
    /** The window is bound. */
    WINDOW_BOUND("the memory window is bound; invalidate it first"),
    /** The region is not valid. */
    REGION_INVALID("the memory region is invalid"),
    /** The region does not take windows. */
    NOT_BINDABLE("the memory region was registered without WINDOW_BIND"),
    /** The range leaves the region. */
    BOUNDS("the range leaves the memory region"),
    /** The rights do not fit. */
    RIGHTS("a window has remote rights only, at least one, and each needs the local rights of the region behind it"),
    /** The key is no octet. */
    KEY("a key is one octet, 0 to 255");

    private final String text;

    BindResult(String text) {
        this.text = text;
    }

    /** What was found, for people. */
    public String text() {
        return text;
    }
}
