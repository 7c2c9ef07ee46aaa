package io.stag.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A command run in this process, with what it printed. */
public record CommandRun(int exitCode, String out, String err) {
    /** Runs {@code stag} with arguments. */
    public static CommandRun of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Stag.execute(new PrintWriter(out), new PrintWriter(err), args);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }
}
