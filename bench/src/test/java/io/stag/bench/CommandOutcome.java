package io.stag.bench;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * A {@code stag} command run in this process.
 *
 * @param exitCode its exit code
 * @param out what it printed
 * @param err what it printed as progress and errors
 */
public record CommandOutcome(int exitCode, String out, String err) {
    /** Runs {@code stag} with arguments. */
    public static CommandOutcome of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = StagBench.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
        return new CommandOutcome(exitCode, out.toString(), err.toString());
    }
}
