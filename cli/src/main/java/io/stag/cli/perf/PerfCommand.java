package io.stag.cli.perf;

import io.stag.cli.CommandFailure;
import io.stag.cli.Endpoints;
import io.stag.cli.ExitCode;
import io.stag.cli.JsonFile;
import io.stag.cli.OutputFile;
import io.stag.cli.Progress;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stag perf}. */
@Command(
        name = "perf",
        header = "Measures latency and bandwidth, of the verbs and of plain sockets.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "Runs both ends by itself, in two processes; or one end each on two machines (--server, --connect).",
            "",
            "Tests: write-lat write-bw read-lat read-bw send-lat send-bw atomic-lat imm-lat; as baselines in the same"
                + " loop tcp-lat tcp-bw (bare octets, a system call per message) and framed-lat framed-bw (length,"
                + " payload and CRC, several frames per system call: what framing must cost). With --transport rd, the"
                + " same tests of the verbs over reliable datagram queue pairs. With --transport udp, over datagram"
                + " queue pairs: send-lat send-bw write-record-lat write-record-bw, and as baselines udp-lat udp-bw (a"
                + " socket that is not connected, a system call per datagram). In the source tree also the same loops"
                + " on other libraries: netty-lat netty-bw aeron-lat aeron-bw; and, with their own --help, stag perf"
                + " compare (all of this side by side, in rounds, as a table and as plots) and stag perf check"
                + " (whether something got slower).",
            "",
            "Latency is half the round trip, and the whole one for read and atomic. write-lat polls the last octet of"
                    + " the buffer. Bandwidth counts what has arrived; MB are millions of octets. CPU time and"
                    + " allocation are those of both processes. The content is verified.",
            "",
            "Datagrams may get lost. A round trip without an answer within 0.1 s counts as lost, and the next one"
                + " begins. A bandwidth test asks its receiver from time to time how far it is, and sends no more than"
                + " fits its receive buffer before the answer; what was sent, received, placed in part and lost is"
                + " told, and the bandwidth is that of the octets that arrived."
        },
        parameterListHeading = "%nParameters:%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured and verified", "1:failed, nothing measured, or wrong content", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag perf write-lat --size 4,64,1k",
            "  stag perf write-bw --size 1m --crc off --seconds 5 --json bw.json",
            "  stag perf tcp-lat --wait block",
            "  stag perf write-record-bw --size 64k,1m --segment 1472",
            "  stag perf compare --html report.html",
            "  stag perf --server                        on one machine",
            "  stag perf send-bw --connect server:7175   on another"
        })
public final class PerfCommand implements Callable<Integer> {
    private static final int DEFAULT_PORT = 7175;

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "TEST",
            converter = PerfTest.Converter.class,
            description = "What to measure; a server is told by its clients.")
    private @Nullable PerfTest test;

    @Mixin
    private PerfOptions options = new PerfOptions();

    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "Write the results there as a JSON list.")
    private @Nullable Path json;

    @ArgGroup(exclusive = true)
    private Role role = new Role();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            converter = Endpoints.class,
            description = "Where --server listens. Default: port 7175 of all addresses.")
    private InetSocketAddress listen = new InetSocketAddress(DEFAULT_PORT);

    /** Which side this process is. */
    static final class Role {
        @Option(names = "--server", description = "Serve clients, one after the other, until interrupted.")
        boolean server;

        @Option(
                names = "--connect",
                paramLabel = "HOST:PORT",
                converter = Endpoints.class,
                description = "Measure against a server that runs already.")
        @Nullable
        InetSocketAddress connect;

        @Option(names = "--child", hidden = true, description = "Serve the process that started this one.")
        boolean child;
    }

    /** For picocli. */
    public PerfCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (role.server || role.child) {
            serve();
        } else if (test == null) {
            throw wrongUsage("Which test? One of " + PerfTest.names());
        } else {
            measure(test);
        }
        return ExitCode.DONE;
    }

    private void measure(PerfTest wanted) throws IOException {
        List<RunSpec> runs = new ArrayList<>();
        RunDuration duration;
        try {
            duration = options.duration();
            for (int size : options.sizes(wanted)) {
                runs.add(options.spec(wanted, size));
            }
        } catch (IllegalArgumentException e) {
            throw wrongUsage(String.valueOf(e.getMessage()));
        }
        List<Measurement> measurements;
        try (Progress progress = new Progress(spec.commandLine().getErr())) {
            PerfRun run = new PerfRun(duration, options.pin.isOn(), progress);
            measurements = role.connect == null ? run.inTwoProcesses(runs) : run.against(role.connect, runs);
        }
        ResultTable.print(measurements, out());
        if (json != null) {
            JsonFile.write(json, measurements.stream().map(Measurement::result).toList());
        }
        if (measurements.stream().anyMatch(measurement -> measurement.result().samples() == 0)) {
            throw new CommandFailure("no answer came, so there is nothing to tell", "");
        }
    }

    private void serve() throws IOException, InterruptedException {
        if (options.pin.isOn()) {
            Affinity.pin(true);
        }
        InetSocketAddress address = role.child ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0) : listen;
        try (ServerSocket listener = new ServerSocket()) {
            bind(listener, address);
            if (role.child) {
                endWithParent();
                out().println(ChildServer.GREETING + listener.getLocalPort());
                out().flush();
                serve(listener.accept());
                return;
            }
            out().println("listening on " + Endpoints.text((InetSocketAddress) listener.getLocalSocketAddress()));
            out().flush();
            while (true) {
                serveReporting(listener.accept());
            }
        }
    }

    private static void bind(ServerSocket listener, InetSocketAddress address) {
        try {
            listener.bind(address);
        } catch (IOException e) {
            throw new CommandFailure(
                    "cannot listen on " + Endpoints.text(address) + ": " + e.getMessage(),
                    "Choose another port, or an address of this machine.",
                    e);
        }
    }

    private void serveReporting(Socket client) throws InterruptedException {
        String peer = Endpoints.text((InetSocketAddress) client.getRemoteSocketAddress());
        try {
            serve(client);
            out().println("served " + peer);
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // whatever one client asks for, others come
            out().println("lost " + peer + ": " + e.getMessage());
        }
        out().flush();
    }

    private static void serve(Socket client) throws IOException, InterruptedException {
        try (ControlChannel control = new ControlChannel(client)) {
            new PerfServer(control, client.getLocalAddress()).serve();
        }
    }

    /** The parent holds our standard input open as long as it lives. */
    private static void endWithParent() {
        Thread.ofPlatform().daemon().name("stag-perf-parent").start(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException _) {
                // as good as the end
            }
            System.exit(ExitCode.DONE);
        });
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
