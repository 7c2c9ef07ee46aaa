package io.stag.interop;

/** A cell is red; the message is its reason. */
final class CellFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CellFailure(String message) {
        super(message);
    }

    CellFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
