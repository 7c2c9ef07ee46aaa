package io.stag.cli;

import io.stag.cli.demo.DemoCommand;
import io.stag.cli.devices.DevicesCommand;
import io.stag.cli.dump.DumpCommand;
import io.stag.cli.misbehave.MisbehaveCommand;
import io.stag.cli.perf.PerfCommand;
import io.stag.cli.rping.RpingCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

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
        main(commandLine(), args);
    }

    /**
     * Runs a command and ends the process with its {@link ExitCode}.
     *
     * @param commandLine with all its subcommands
     * @param args the command line
     */
    public static void main(CommandLine commandLine, String... args) {
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(execute(commandLine, new StandardOutput(System.out), err, args));
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
        return execute(commandLine(), out, err, args);
    }

    private static int execute(CommandLine commandLine, PrintWriter out, PrintWriter err, String... args) {
        int exitCode = commandLine.setOut(out).setErr(err).execute(args);
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
        commandLine.setExecutionStrategy(Stag::runLast);
        commandLine.registerConverter(Pattern.class, Stag::pattern);
        return commandLine;
    }

    private static Pattern pattern(String value) {
        try {
            return Pattern.compile(value);
        } catch (PatternSyntaxException e) {
            throw new TypeConversionException("'" + value + "' is no regular expression: "
                    + e.getDescription().toLowerCase(Locale.ROOT));
        }
    }

    /** As picocli does it; output that nobody takes and memory that is not there are failures like others. */
    private static int runLast(ParseResult parsed) {
        CommandLine command = parsed.asCommandLineList().getLast();
        try {
            try {
                return new CommandLine.RunLast().execute(parsed);
            } finally {
                command.getOut().flush();
            }
        } catch (CommandFailure e) {
            throw new ExecutionException(command, String.valueOf(e.getMessage()), e);
        } catch (OutOfMemoryError e) {
            throw new ExecutionException(
                    command,
                    "out of memory",
                    new CommandFailure(
                            "not enough memory: " + e.getMessage(),
                            "Ask for less, or let Java have more: JAVA_TOOL_OPTIONS=-Xmx4g",
                            e));
        }
    }

    static boolean isDebug(CommandLine commandLine) {
        CommandLine top = commandLine;
        while (top.getParent() != null) {
            top = top.getParent();
        }
        return top.getCommand() instanceof Stag stag && stag.debug;
    }
}
