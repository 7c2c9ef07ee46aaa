package io.stag.cli;

/** Exit codes of all subcommands. */
public final class ExitCode {
    /** Done, and what can be verified was verified. */
    public static final int DONE = 0;

    /** Failed, or something was found wrong. */
    public static final int FAILED = 1;

    /** Wrong usage. */
    public static final int USAGE = 2;

    private ExitCode() {}
}
