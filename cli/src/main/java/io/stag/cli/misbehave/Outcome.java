package io.stag.cli.misbehave;

/** Kinds of reaction. */
enum Outcome {
    /** A Terminate. */
    TERMINATED("a Terminate"),
    /** The stream goes on, and questions are answered. */
    WENT_ON("an answer as if nothing had happened"),
    /** A Reply that rejects. */
    REJECTED("a rejecting Reply"),
    /** The TCP connection was closed or reset without a Terminate. */
    CLOSED("the end of the TCP connection"),
    /** A Reply that accepts. */
    ACCEPTED("an accepting Reply"),
    /** During the startup: FPDUs. */
    SPOKE("FPDUs"),
    /** Nothing that answers, and the TCP connection stays open. */
    SILENT("silence");

    private final String text;

    Outcome(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    static Outcome of(Observation seen, Stage stage) {
        if (seen.terminate().isPresent()) {
            return TERMINATED;
        } else if (seen.alive()) {
            return WENT_ON;
        } else if (seen.reply().isPresent() && seen.reply().get().reject()) {
            return REJECTED;
        } else if (seen.closed()) {
            return CLOSED;
        } else if (stage == Stage.STARTUP && !seen.segments().isEmpty()) {
            return SPOKE;
        }
        return stage == Stage.STARTUP && seen.reply().isPresent() ? ACCEPTED : SILENT;
    }
}
