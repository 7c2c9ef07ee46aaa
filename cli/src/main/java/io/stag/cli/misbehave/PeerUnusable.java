package io.stag.cli.misbehave;

/** The peer did not do what a case has to begin with, although nothing was wrong so far. */
final class PeerUnusable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PeerUnusable(String reason) {
        super(reason);
    }
}
