package io.stag.verbs;

/** Wrong use of the verbs, refused at the call before anything was queued. The message says what is allowed. */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final VerbsError error;

    /** An error with a sentence that says what was wrong and what is allowed. */
    public VerbsException(VerbsError error, String message) {
        super(message);
        this.error = error;
    }

    /** An error with its cause. */
    public VerbsException(VerbsError error, String message, Throwable cause) {
        super(message, cause);
        this.error = error;
    }

    /** The kind of error, for programs. */
    public VerbsError error() {
        return error;
    }
}
