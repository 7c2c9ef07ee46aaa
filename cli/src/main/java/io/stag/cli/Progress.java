package io.stag.cli;

import java.io.PrintWriter;

/** Says what is going on while a command takes longer than a second; on standard error, so that output stays clean. */
public final class Progress implements AutoCloseable {
    private static final long QUIET_NANOS = 1_000_000_000;

    private final PrintWriter err;
    private final boolean terminal;
    private final long startNanos = System.nanoTime();
    private int shown;

    /**
     * Progress of one command.
     *
     * @param err where to write
     */
    @SuppressWarnings("SystemConsoleNull") // since JDK 25 it is null again without a terminal
    public Progress(PrintWriter err) {
        this.err = err;
        this.terminal = System.console() != null && System.console().isTerminal();
    }

    /**
     * What begins now; on a terminal it replaces what was shown before.
     *
     * @param step a few words
     */
    public void step(String step) {
        if (System.nanoTime() - startNanos < QUIET_NANOS) {
            return;
        }
        if (terminal) {
            err.print("\r" + step + " ".repeat(Math.max(0, shown - step.length())));
            shown = step.length();
        } else {
            err.println(step);
        }
        err.flush();
    }

    /** Wipes the line on a terminal. */
    @Override
    public void close() {
        if (shown > 0) {
            err.print("\r" + " ".repeat(shown) + "\r");
            err.flush();
            shown = 0;
        }
    }
}
