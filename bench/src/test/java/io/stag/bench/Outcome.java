package io.stag.bench;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;

/**
 * What a program did.
 *
 * @param exitCode its exit code
 * @param out what it printed
 * @param err what it printed as progress and errors
 */
record Outcome(int exitCode, String out, String err) {
    static Outcome of(Callable<Integer> program, String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        CommandLine commandLine =
                Program.commandLine(program).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = commandLine.execute(arguments);
        return new Outcome(exitCode, out.toString(), err.toString());
    }
}
