package io.stag.bench;

import io.stag.bench.compare.CheckCommand;
import io.stag.bench.compare.CompareCommand;
import io.stag.bench.figures.FiguresCommand;
import io.stag.cli.Stag;
import java.util.Objects;
import picocli.CommandLine;

/** The {@code stag} command with what only the source tree has, since it needs libraries that nobody else does. */
public final class StagBench {
    private StagBench() {}

    /** Entry of the process. */
    public static void main(String[] args) {
        Stag.main(commandLine(), args);
    }

    /** The whole command line, for execution and for documentation. */
    static CommandLine commandLine() {
        CommandLine stag = Stag.commandLine();
        Objects.requireNonNull(stag.getSubcommands().get("perf"), "perf")
                .addSubcommand(new CompareCommand())
                .addSubcommand(new CheckCommand());
        stag.addSubcommand(new FiguresCommand());
        return Stag.configured(stag);
    }
}
