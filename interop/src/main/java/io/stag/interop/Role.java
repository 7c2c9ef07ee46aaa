package io.stag.interop;

/** Who connects to whom. */
enum Role {
    /** Stag connects to a program in the guest. */
    STAG_CONNECTS("stag > siw", 7174),

    /** A program in the guest connects to Stag. Another port: QEMU forwards the first one from the host's loopback. */
    SIW_CONNECTS("siw > stag", 7175);

    private final String text;
    private final int port;

    Role(String text, int port) {
        this.text = text;
        this.port = port;
    }

    /** Where the passive side listens. */
    int port() {
        return port;
    }

    @Override
    public String toString() {
        return text;
    }
}
