package io.stag.cli;

/** Something went wrong that the user can understand and perhaps mend; shown as one line without a stack trace. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    /**
     * A failure.
     *
     * @param message what failed, and where
     * @param remedy what to do about it; empty when nothing is known
     */
    public CommandFailure(String message, String remedy) {
        super(message);
        this.remedy = remedy;
    }

    /**
     * A failure with its cause, which {@code --debug} shows.
     *
     * @param message what failed, and where
     * @param remedy what to do about it; empty when nothing is known
     * @param cause where it came from
     */
    public CommandFailure(String message, String remedy, Throwable cause) {
        super(message, cause);
        this.remedy = remedy;
    }

    /** What to do about it; may be empty. */
    public String remedy() {
        return remedy;
    }
}
