package io.stag.cli;

import io.stag.cli.demo.DemoCommand;
import io.stag.cli.devices.DevicesCommand;
import io.stag.cli.dump.DumpCommand;
import io.stag.cli.misbehave.MisbehaveCommand;
import io.stag.cli.perf.PerfCommand;
import io.stag.cli.rping.RpingCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code stag} command. */
@Command(
        name = "stag",
        header = "Software RDMA for the JVM: iWARP (RFC 5040, 5041, 5044, 6581, 7306) over TCP.",
        synopsisSubcommandLabel = "COMMAND",
        description = {"", "Without root, kernel module or native library. Start with: stag demo"},
        subcommands = {
            DemoCommand.class,
            RpingCommand.class,
            PerfCommand.class,
            DumpCommand.class,
            MisbehaveCommand.class,
            DevicesCommand.class,
            CommandLine.HelpCommand.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes of all commands:%n",
        exitCodeList = {
            "0:done, and what can be verified was verified",
            "1:failed, or something was found wrong",
            "2:wrong usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag demo                 every operation once, both ends on this machine",
            "  stag rping -s -P          serves rping clients, also those of rdma-core",
            "  stag perf write-lat       latency of RDMA Writes",
            "  stag perf compare         beside TCP, Netty and Aeron; in the source tree",
            "  stag figures load         experiments of papers again; in the source tree",
            "  stag dump trace.pcap      decodes iWARP connections, marks what is wrong"
        })
public final class Stag implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show stack traces when something fails.")
    private boolean debug;

    private Stag() {}

    /** Without a subcommand: the help. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Entry of the process. */
    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int exitCode = execute(out, err, args);
        out.flush();
        err.flush();
        System.exit(exitCode);
    }

    /**
     * Runs a command in this process.
     *
     * @param out standard output
     * @param err standard error
     * @param args the command line
     * @return an {@link ExitCode}
     */
    public static int execute(PrintWriter out, PrintWriter err, String... args) {
        int exitCode = commandLine().setOut(out).setErr(err).execute(args);
        out.flush();
        err.flush();
        return exitCode;
    }

    /** The whole command line, for execution and for documentation. */
    public static CommandLine commandLine() {
        return configured(new CommandLine(new Stag()));
    }

    /**
     * How all commands read their arguments and tell errors.
     *
     * @param commandLine with all its subcommands: picocli does not pass settings on to those that are added later
     */
    public static CommandLine configured(CommandLine commandLine) {
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setUsageHelpLongOptionsMaxWidth(28);
        commandLine.setParameterExceptionHandler(ErrorLines::onWrongUsage);
        commandLine.setExecutionExceptionHandler(ErrorLines::onExecution);
        return commandLine;
    }

    static boolean isDebug(CommandLine commandLine) {
        CommandLine top = commandLine;
        while (top.getParent() != null) {
            top = top.getParent();
        }
        return top.getCommand() instanceof Stag stag && stag.debug;
    }
}
