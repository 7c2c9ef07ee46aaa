package io.stag.cli.misbehave;

/** The peer lacks what a case needs; no fault of anyone. */
final class CaseSkipped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CaseSkipped(String reason) {
        super(reason);
    }
}
