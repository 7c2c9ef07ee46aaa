package io.stag.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code stag} command. */
@Command(
        name = "stag",
        description = "Software RDMA for the JVM.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class Stag implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Stag() {}

    /** Without a subcommand: the help. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    public static void main(String[] args) {
        System.exit(new CommandLine(new Stag()).execute(args));
    }
}
