package io.stag.cli.rping;

import io.stag.cli.ConnectionOptions;
import io.stag.cli.Endpoints;
import io.stag.cli.ExitCode;
import io.stag.verbs.ProgressMode;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stag rping}. */
@Command(
        name = "rping",
        header = "Pings by RDMA, with the flags and the messages of rdma-core's rping.",
        sortOptions = false,
        synopsisHeading = "Usage: ",
        descriptionHeading = "%n",
        description = {
            "For each ping the client announces a buffer, the server fetches it with an RDMA Read, the client announces"
                    + " another buffer, and the server puts the same octets there with an RDMA Write. Either side may"
                    + " be the rping of rdma-core, on Linux siw or on an iWARP card."
        },
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all pings done", "1:failed, or wrong content (-V)", "2:wrong usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  stag rping -s -P -v                   a server for any number of clients",
            "  stag rping -c -a 10.0.0.1 -C 10 -vV   ten pings, shown and compared",
            "  stag rping -c -a ::1 -S 65536 -C 3 -V --crc off",
            "  rping -c -a 10.0.0.1 -C 10 -V         rdma-core's client, same server"
        })
public final class RpingCommand implements Callable<Integer> {
    private static final int DEFAULT_PORT = 7_174;
    private static final int BACKLOG = 128;
    private static final int MAX_PORT = 65_535;

    @Spec
    private CommandSpec spec;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Role role = new Role();

    @Option(
            names = "-a",
            paramLabel = "ADDRESS",
            description = "Where the client connects, or the server listens (default: all addresses). IPv4 or IPv6.")
    private @Nullable String address;

    @Option(names = "-p", paramLabel = "PORT", description = "Port. Default: ${DEFAULT-VALUE}.")
    private int port = DEFAULT_PORT;

    @Option(names = "-C", paramLabel = "COUNT", description = "Pings of the client. Default: no end.")
    private int count;

    @Option(
            names = "-S",
            paramLabel = "SIZE",
            description = "Octets per ping, 23 to 65536. Default: ${DEFAULT-VALUE}. A server takes any.")
    private int size = 64;

    @Option(names = "-v", description = "Show the ping data.")
    private boolean verbose;

    @Option(names = "-V", description = "Compare the ping data.")
    private boolean validate;

    @Option(names = "-P", description = "Serve any number of clients, also at once, until interrupted.")
    private boolean persistent;

    @Option(names = "-d", description = "Show each step.")
    private boolean steps;

    @Option(names = "-q", description = "Accepted for rdma-core's sake; queue pairs are always made by the program.")
    @SuppressWarnings("UnusedVariable") // only to be accepted
    private boolean ownQueuePair;

    @Mixin
    private ConnectionOptions connection = new ConnectionOptions();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    private boolean help;

    /** Which side this is. */
    static final class Role {
        @Option(names = "-s", description = "Server.")
        boolean server;

        @Option(names = "-c", description = "Client.")
        boolean client;
    }

    /** For picocli. */
    public RpingCommand() {}

    @Override
    public Integer call() throws IOException {
        check();
        RpingLog log =
                new RpingLog(spec.commandLine().getOut(), spec.commandLine().getErr(), steps);
        RpingSettings settings = new RpingSettings(size, count, validate, verbose);
        ConnectionConfig config = connection.config();
        InetSocketAddress endpoint = endpoint();
        try (Rnic rnic = Rnic.open(
                RnicConfig.builder().name("rping").progress(ProgressMode.SHARED).build())) {
            rnic.onAsyncEvent(event -> log.debug(event.detail().toString()));
            if (role.server) {
                serve(rnic, endpoint, new RpingServer(settings, log, config), log);
            } else {
                new RpingClient(settings, log).run(rnic, endpoint, config);
            }
        }
        return ExitCode.DONE;
    }

    private void serve(Rnic rnic, InetSocketAddress endpoint, RpingServer server, RpingLog log) {
        try (Listener listener = rnic.connectionManager().listen(endpoint, BACKLOG)) {
            log.error("listening on " + Endpoints.text(listener.address()));
            server.run(rnic, listener, persistent);
        }
    }

    private void check() {
        if (size < PingPattern.MIN_SIZE || size > PingPattern.MAX_SIZE) {
            throw wrongUsage("-S " + size + " is outside " + PingPattern.MIN_SIZE + " to " + PingPattern.MAX_SIZE);
        }
        if (count < 0) {
            throw wrongUsage("-C " + count + " is negative");
        }
        if (port < 0 || port > MAX_PORT) {
            throw wrongUsage("-p " + port + " is outside 0 to " + MAX_PORT);
        }
        if (role.client && address == null) {
            throw wrongUsage("A client needs -a with the address of the server");
        }
        if (role.client && persistent) {
            throw wrongUsage("-P is for servers");
        }
    }

    private InetSocketAddress endpoint() throws IOException {
        return address == null
                ? new InetSocketAddress(port)
                : new InetSocketAddress(InetAddress.getByName(address), port);
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
