package io.stag.interop;

import java.util.Locale;

/** How a cell ended. */
enum Status {
    /** As it should. */
    GREEN,

    /** Not as it should: Stag's fault, or nobody knows yet. */
    RED,

    /** Failed by a fault of the peer that the capture shows. */
    PEER,

    /** Cannot work, and was seen to fail in the way that is expected. */
    NONE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
