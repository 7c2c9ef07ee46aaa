package io.stag.cli.misbehave;

/** How the peer's direction of the TCP connection stands. */
enum StreamEnd {
    /** Still open when we stopped waiting. */
    OPEN("still open"),
    /** The peer sent FIN. */
    FIN("FIN"),
    /** The peer sent RST. */
    RESET("reset");

    private final String text;

    StreamEnd(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
