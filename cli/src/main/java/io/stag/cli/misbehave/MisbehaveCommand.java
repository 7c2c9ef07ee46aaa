package io.stag.cli.misbehave;

import io.stag.cli.CommandFailure;
import io.stag.cli.ConnectionOptions;
import io.stag.cli.Endpoints;
import io.stag.cli.ExitCode;
import io.stag.cli.JsonFile;
import io.stag.cli.OutputFile;
import io.stag.cli.Progress;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stag misbehave}. */
@Command(
        name = "misbehave",
        header = "Breaks the rules of iWARP on purpose, and judges what the peer does about it.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "A conformance tester for any iWARP endpoint. Each case makes a TCP connection of its own, sends one wrong"
                    + " thing (or an unusual one that must be taken), and looks at what comes back: Reply, Terminate,"
                    + " close, reset, silence. Verdicts: conforms, what the RFC asks for; allowed, what it leaves open;"
                    + " VIOLATION, with item and clause; skipped, the peer lacks what the case needs.",
            "",
            "Cases that need memory of the peer learn about it by the messages of rping: the peer may be rping of"
                    + " rdma-core or of stag, as server (rping -s -P) with --connect or as client (rping -c, once per"
                    + " case) with --listen. All cases can be tried against stag misbehave --target, which has memory"
                    + " of every kind and also tells when a case got through to memory that it must not reach.",
            "",
            "Linux siw sends the control octets of a Terminate in another order; they are read either way, and the"
                    + " report says so. Only use this against machines that are yours to break."
        },
        parameterListHeading = "%nParameters:%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every reaction conforms or is allowed",
            "1:a violation, or a case that could not be carried out",
            "2:wrong usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag misbehave --list",
            "  stag misbehave --target --listen 7174       one end",
            "  stag misbehave all --connect host:7174      the other",
            "  stag misbehave crc-wrong --connect host:7174",
            "  stag misbehave all --listen 7174 --json result.json"
        })
public final class MisbehaveCommand implements Callable<Integer> {
    private static final String ALL = "all";
    private static final int BACKLOG = 128;
    private static final int MAX_MILLIS = 600_000;

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "CASE", description = "Names of cases, or all.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--list", description = "Show all cases: what each sends, and which rule it is about.")
    private boolean list;

    @ArgGroup(exclusive = true)
    private Side side = new Side();

    @Option(
            names = "--target",
            description =
                    "Be the other end instead: an RNIC set up for all cases, until interrupted (--listen) or until"
                            + " nobody listens any more (--connect).")
    private boolean target;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "Write the results there as a JSON list; with --list the cases.")
    private @Nullable Path json;

    @Option(
            names = "--wait",
            paramLabel = "MS",
            description = "Milliseconds to wait for an answer. Default: ${DEFAULT-VALUE}.")
    private int waitMillis = 2_000;

    @Option(
            names = "--patience",
            paramLabel = "MS",
            description = "Milliseconds to wait for a time-out of the peer, or for it to connect. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int patienceMillis = 15_000;

    @Option(
            names = "--settle",
            paramLabel = "MS",
            description =
                    "Milliseconds between the startup and our first FPDU; Linux siw may overlook one that comes at"
                            + " once. Default: ${DEFAULT-VALUE}.")
    private int settleMillis = 30;

    @Option(
            names = "--before",
            paramLabel = "COMMAND",
            description = "Run by the shell before each case, for instance to start a peer anew that ends with a case.")
    private @Nullable String before;

    @Mixin
    private ConnectionOptions connection = new ConnectionOptions();

    /** Who connects. */
    static final class Side {
        @Option(
                names = "--connect",
                paramLabel = "HOST:PORT",
                converter = Endpoints.class,
                description = "Connect to the peer, for each case anew.")
        @Nullable
        InetSocketAddress connect;

        @Option(
                names = "--listen",
                paramLabel = "[HOST:]PORT",
                converter = ListenAddress.class,
                description = "Wait for the peer to connect, for each case anew.")
        @Nullable
        InetSocketAddress listen;
    }

    /** Reads {@code HOST:PORT} or {@code PORT}. */
    static final class ListenAddress implements ITypeConverter<InetSocketAddress> {
        @Override
        public InetSocketAddress convert(String value) {
            return new Endpoints().convert(value.indexOf(':') < 0 ? ":" + value : value);
        }
    }

    /** For picocli. */
    public MisbehaveCommand() {}

    @Override
    public Integer call() throws IOException {
        if (list) {
            ResultReport.list(Catalogue.all(), out());
            if (json != null) {
                ResultReport.writeList(json, Catalogue.all());
            }
            return ExitCode.DONE;
        }
        if (target) {
            beTarget();
            return ExitCode.DONE;
        }
        List<Case> cases = cases();
        Wishes wishes = Wishes.of(connection.config());
        Timing timing = new Timing(
                millis("--wait", waitMillis), millis("--patience", patienceMillis), millis("--settle", settleMillis));
        if (side.connect != null) {
            return run(cases, CaseRunner.connecting(side.connect, wishes, timing));
        }
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(side.listen, BACKLOG);
            progress("listening on " + Endpoints.text((InetSocketAddress) listener.getLocalSocketAddress()));
            return run(cases, CaseRunner.listening(listener, wishes, timing));
        }
    }

    /** The cases asked for, each once. */
    private List<Case> cases() {
        if (side.connect == null && side.listen == null) {
            throw wrongUsage("Where is the peer? Give --connect HOST:PORT or --listen PORT, or see --list");
        }
        boolean initiator = side.connect != null;
        Set<Case> chosen = new LinkedHashSet<>();
        for (String name : names) {
            if (name.equals(ALL)) {
                chosen.addAll(Catalogue.of(initiator));
            } else {
                Case one = Catalogue.named(name)
                        .orElseThrow(() -> wrongUsage("There is no case '" + name + "'; --list shows them"));
                if (!one.role().fits(initiator)) {
                    throw wrongUsage("'" + name + "' needs " + (initiator ? "--listen" : "--connect"));
                }
                chosen.add(one);
            }
        }
        if (chosen.isEmpty()) {
            throw wrongUsage("Which case? Give names, or all; --list shows them");
        }
        return List.copyOf(chosen);
    }

    private int run(List<Case> cases, CaseRunner runner) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        try {
            carryOut(cases, runner, results);
        } catch (PeerGone e) {
            report(results);
            throw new CommandFailure(
                    "the peer is gone: " + e.getMessage() + "; " + (cases.size() - results.size()) + " cases not tried",
                    results.isEmpty()
                            ? "Is it running, and are host and port right?"
                            : "It was there before "
                                    + cases.get(results.size() % cases.size()).name() + ".",
                    e);
        }
        report(results);
        return results.stream().anyMatch(CaseResult::isBad) ? ExitCode.FAILED : ExitCode.DONE;
    }

    private void report(List<CaseResult> results) {
        ResultReport.print(results, out());
        if (json != null) {
            JsonFile.write(json, results);
        }
    }

    private void carryOut(List<Case> cases, CaseRunner runner, List<CaseResult> results) throws IOException {
        try (Progress progress = new Progress(spec.commandLine().getErr())) {
            for (Case one : cases) {
                progress.step(one.name() + " (" + (results.size() + 1) + " of " + cases.size() + ")");
                prepare();
                CaseResult result = runner.run(one);
                results.add(result);
                if (one.equals(Catalogue.NOTHING_WRONG) && result.verdict().isBad()) {
                    throw new CommandFailure(
                            "the peer does not even take what is right: " + result.reason() + " " + result.came(),
                            "Is it an iWARP endpoint, and are --crc, --markers, --mpa-revision and --p2p right?");
                }
            }
            if (cases.size() > 1) {
                progress.step("is the peer still there?");
                prepare();
                results.add(runner.run(Catalogue.NOTHING_WRONG));
            }
        }
    }

    private void prepare() throws IOException {
        if (before == null) {
            return;
        }
        Process process = new ProcessBuilder("sh", "-c", before)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            int exit = process.waitFor();
            if (exit != 0) {
                throw new CommandFailure("the command of --before ended with " + exit, "It was: " + before);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted", "", e);
        }
    }

    private void beTarget() {
        if (!names.isEmpty()) {
            throw wrongUsage("A target takes no cases; the other end chooses them");
        }
        try (Rnic rnic = Rnic.open(RnicConfig.builder().name("target").build());
                TargetHost host = new TargetHost(rnic, connection.config(), this::progress)) {
            rnic.onAsyncEvent(_ -> {}); // the end of each connection is reported with its cause
            if (side.connect != null) {
                host.connect(side.connect);
            } else if (side.listen != null) {
                try (Listener listener = rnic.connectionManager().listen(side.listen, BACKLOG)) {
                    progress("listening on " + Endpoints.text(listener.address()));
                    host.serve(listener);
                }
            } else {
                throw wrongUsage("A target needs --listen PORT or --connect HOST:PORT");
            }
        }
    }

    private Duration millis(String option, int value) {
        if (value < 0 || value > MAX_MILLIS) {
            throw wrongUsage(option + " " + value + " is outside 0 to " + MAX_MILLIS);
        }
        return Duration.ofMillis(value);
    }

    private synchronized void progress(String line) {
        spec.commandLine().getErr().println(line);
        spec.commandLine().getErr().flush();
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
