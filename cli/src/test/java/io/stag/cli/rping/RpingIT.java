package io.stag.cli.rping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.cli.CommandFailure;
import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import io.stag.verbs.Rnic;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.Connection;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Client and server over loopback. */
class RpingIT {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final RpingLog log = new RpingLog(new PrintWriter(out), new PrintWriter(err), true);
    private final Rnic serverRnic = quiet(Rnic.open());
    private final Rnic clientRnic = quiet(Rnic.open());
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        clientRnic.close();
        serverRnic.close();
        threads.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {23, 24, 63, 64, 65, 1_000, 1_448, 4_096, 65_535, 65_536})
    void pingsOfEverySizeComeBackUnchanged(int size) throws Exception {
        ping(size, ConnectionConfig.defaults(), InetAddress.getLoopbackAddress());
        assertThat(out.toString()).contains("server ping data: rdma-ping-0: ABC", "ping data: rdma-ping-2: CDE");
        assertThat(err.toString()).contains("3 pings, then the client disconnected");
    }

    static Stream<ConnectionConfig> configs() {
        return Stream.of(
                ConnectionConfig.builder().crc(false).build(),
                ConnectionConfig.builder().markers(true).build(),
                ConnectionConfig.builder().markers(true).crc(false).build(),
                ConnectionConfig.builder().mpaRevision(1).peerToPeer(false).build(),
                ConnectionConfig.builder().peerToPeer(false).build());
    }

    @ParameterizedTest
    @MethodSource("configs")
    void everyWayOfConnectingWorks(ConnectionConfig config) throws Exception {
        ping(5_000, config, InetAddress.getLoopbackAddress());
    }

    @Test
    void speaksIpv6() throws Exception {
        ping(100, ConnectionConfig.defaults(), InetAddress.getByName("::1"));
    }

    @Test
    void aPersistentServerServesSeveralClientsAtOnce() throws Exception {
        RpingServer server = new RpingServer(settings(64), log, ConnectionConfig.defaults());
        Listener listener = listen(InetAddress.getLoopbackAddress());
        Future<?> serving = threads.submit(() -> server.run(serverRnic, listener, true));
        List<Future<?>> clients = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            clients.add(threads.submit(() -> new RpingClient(settings(64), log)
                    .run(clientRnic, listener.address(), ConnectionConfig.defaults())));
        }
        for (Future<?> client : clients) {
            client.get(30, TimeUnit.SECONDS);
        }
        listener.close();
        assertThatThrownBy(() -> serving.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(VerbsException.class);
    }

    @Test
    void aClientThatSpeaksSomethingElseIsNamed() throws Exception {
        RpingServer server = new RpingServer(settings(64), log, ConnectionConfig.defaults());
        try (Listener listener = listen(InetAddress.getLoopbackAddress());
                RpingEndpoint client = new RpingEndpoint(clientRnic, 64)) {
            Future<?> serving = threads.submit(() -> server.run(serverRnic, listener, false));
            Connection connection = clientRnic
                    .connectionManager()
                    .connect(client.queuePair(), listener.address(), ConnectionConfig.defaults());
            connection.awaitEstablished(Duration.ofSeconds(10));
            client.send(new Announcement(0, 0, 1 << 20));
            assertThatThrownBy(() -> serving.get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(CommandFailure.class)
                    .hasMessageContaining("announced 1048576 octets");
            connection.close();
        }
    }

    @Test
    void theCommandsTalkToEachOther() throws Exception {
        int port = freePort();
        Future<CommandRun> server = threads.submit(
                (Callable<CommandRun>) () -> CommandRun.of("rping", "-s", "-a", "127.0.0.1", "-p", "" + port));
        CommandRun client = CommandRun.of(
                "rping", "-c", "-a", "127.0.0.1", "-p", "" + port, "-C", "4", "-S", "200", "-vV", "--crc", "off");
        for (int i = 0; client.exitCode() != ExitCode.DONE && i < 50; i++) { // the server may not listen yet
            client = CommandRun.of("rping", "-c", "-a", "127.0.0.1", "-p", "" + port, "-C", "4", "-S", "200", "-vV");
        }
        assertThat(client.exitCode()).as(client.err()).isEqualTo(ExitCode.DONE);
        assertThat(client.out().lines()).hasSize(4);
        assertThat(server.get(30, TimeUnit.SECONDS).exitCode()).isEqualTo(ExitCode.DONE);
    }

    private void ping(int size, ConnectionConfig config, InetAddress address) throws Exception {
        RpingServer server = new RpingServer(settings(size), log, config);
        try (Listener listener = listen(address)) {
            Future<?> serving = threads.submit(() -> server.run(serverRnic, listener, false));
            new RpingClient(settings(size), log).run(clientRnic, listener.address(), config);
            serving.get(30, TimeUnit.SECONDS);
        }
    }

    private Listener listen(InetAddress address) {
        return serverRnic.connectionManager().listen(new InetSocketAddress(address, 0), 16);
    }

    private static RpingSettings settings(int size) {
        return new RpingSettings(size, 3, true, true);
    }

    private static Rnic quiet(Rnic rnic) {
        rnic.onAsyncEvent(_ -> {});
        return rnic;
    }

    private static int freePort() throws Exception {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
