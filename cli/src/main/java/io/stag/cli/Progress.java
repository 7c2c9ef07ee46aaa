package io.stag.cli;

import java.io.PrintWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Says what is going on while a command takes longer than a second; on standard error, so that output stays clean. */
public final class Progress implements AutoCloseable {
    private static final long QUIET_SECONDS = 1;

    private final PrintWriter err;
    private final boolean terminal;
    private String step = "";
    private boolean quiet = true;
    private int shown;

    /**
     * Progress of one command.
     *
     * @param err where to write
     */
    public Progress(PrintWriter err) {
        this(err, CompletableFuture.delayedExecutor(QUIET_SECONDS, TimeUnit.SECONDS));
    }

    /**
     * For tests.
     *
     * @param later runs what it is given when the command has taken long enough to say something
     */
    @SuppressWarnings("SystemConsoleNull") // since JDK 25 it is null again without a terminal
    Progress(PrintWriter err, Executor later) {
        this.err = err;
        this.terminal = System.console() != null && System.console().isTerminal();
        later.execute(this::speakUp);
    }

    /** The step that began in the first second may last for long. */
    private synchronized void speakUp() {
        quiet = false;
        if (!step.isEmpty()) {
            show();
        }
    }

    /**
     * What begins now; on a terminal it replaces what was shown before.
     *
     * @param next a few words
     */
    public synchronized void step(String next) {
        step = next;
        if (!quiet) {
            show();
        }
    }

    private void show() {
        if (terminal) {
            err.print("\r" + step + " ".repeat(Math.max(0, shown - step.length())));
            shown = step.length();
        } else {
            err.println(step);
        }
        err.flush();
    }

    /** Nothing is going on; wipes the line on a terminal. */
    @Override
    public synchronized void close() {
        step = "";
        if (shown > 0) {
            err.print("\r" + " ".repeat(shown) + "\r");
            err.flush();
            shown = 0;
        }
    }
}
