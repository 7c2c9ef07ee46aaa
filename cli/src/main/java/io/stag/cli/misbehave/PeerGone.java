package io.stag.cli.misbehave;

/** No connection with the peer can be made any more; trying further cases is of no use. */
final class PeerGone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PeerGone(String reason, Throwable cause) {
        super(reason, cause);
    }
}
