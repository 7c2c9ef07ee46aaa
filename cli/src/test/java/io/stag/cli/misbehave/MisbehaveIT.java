package io.stag.cli.misbehave;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import io.stag.simnet.Conforms;
import io.stag.verbs.Rnic;
import io.stag.verbs.RnicConfig;
import io.stag.verbs.RnicSnapshot;
import io.stag.verbs.VerbsException;
import io.stag.verbs.cm.ConnectionConfig;
import io.stag.verbs.cm.Listener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole catalogue against Stag itself, over loopback. */
class MisbehaveIT {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Set<String> ONLY_WITH_MARKERS = Set.of("marker-pointer", "marker-reserved", "marker-missing");
    private static final Set<String> ONLY_WITH_CRC = Set.of("crc-wrong");
    private static final Set<String> ONLY_WITHOUT_CRC = Set.of("crc-unused-garbage");

    /** Long enough for a busy machine; only a peer that breaks a rule lets it pass. */
    private static final Timing TIMING = new Timing(Duration.ofSeconds(20), Duration.ofSeconds(40), Duration.ZERO);

    @TempDir
    Path folder;

    private final List<String> log = new ArrayList<>();
    private final Rnic rnic = Rnic.open(RnicConfig.builder()
            .name("target")
            .startupTimeout(Duration.ofSeconds(2)) // some cases wait for it
            .build());

    {
        rnic.onAsyncEvent(_ -> {});
    }

    @AfterEach
    void close() {
        rnic.close();
    }

    static Stream<Arguments> settings() {
        ConnectionConfig plain = ConnectionConfig.defaults();
        ConnectionConfig markers = ConnectionConfig.builder().markers(true).build();
        ConnectionConfig noCrc = ConnectionConfig.builder().crc(false).build();
        ConnectionConfig clientServer =
                ConnectionConfig.builder().peerToPeer(false).build();
        return Stream.of(
                Arguments.of("defaults", plain, plain),
                Arguments.of("Markers", markers, markers),
                Arguments.of("no CRC", noCrc, noCrc),
                Arguments.of("client-server", plain, clientServer));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    @Conforms({
        "MPA-006",
        "MPA-012",
        "MPA-014",
        "MPA-016",
        "MPA-018",
        "MPA-019",
        "MPA-037",
        "MPA-038",
        "MPA-044",
        "MPA-045",
        "MPA-046",
        "MPA-048",
        "MPA-050",
        "MPA-051",
        "MPA-052",
        "MPA-053",
        "MPA-054",
        "MPA-056",
        "CM-005",
        "CM-008",
        "CM-010",
        "CM-012",
        "CM-014",
        "CM-018",
        "CM-019",
        "CM-025",
        "CM-030",
        "CM-031",
        "CM-032",
        "CM-034",
        "CM-039",
        "CM-046",
        "CM-047",
        "CM-050",
        "CM-051",
        "CM-053",
        "CM-058",
        "CM-059",
        "CM-062",
        "DDP-012",
        "DDP-014",
        "DDP-031",
        "DDP-046",
        "DDP-047",
        "DDP-048",
        "DDP-049",
        "DDP-050",
        "DDP-051",
        "DDP-052",
        "DDP-053",
        "DDP-054",
        "DDP-055",
        "DDP-056",
        "DDP-057",
        "RDMAP-005",
        "RDMAP-009",
        "RDMAP-011",
        "RDMAP-030",
        "RDMAP-031",
        "RDMAP-032",
        "RDMAP-037",
        "RDMAP-040",
        "RDMAP-045",
        "RDMAP-046",
        "RDMAP-050",
        "RDMAP-066",
        "RDMAP-067",
        "RDMAP-069",
        "RDMAP-072",
        "RDMAP-073",
        "RDMAP-075",
        "RDMAP-076",
        "RDMAP-077",
        "RDMAP-078",
        "RDMAP-079",
        "EXT-002",
        "EXT-005",
        "EXT-013",
        "EXT-017",
        "EXT-023",
        "EXT-033",
        "EXT-037",
        "EXT-038",
        "SEC-001",
        "SEC-003",
        "SEC-005",
        "SEC-014",
        "SEC-027",
        "VRB-004",
        "VRB-005",
        "VRB-012"
    })
    void aListeningStagKeepsToTheRulesWhateverThePeerDoes(String name, ConnectionConfig target, ConnectionConfig ours)
            throws Exception {
        List<CaseResult> results = new ArrayList<>();
        TargetHost host = new TargetHost(rnic, target, this::log);
        try (Listener listener = rnic.connectionManager().listen(ANY, 16)) {
            Thread serving = serving(host, listener);
            CaseRunner runner = CaseRunner.connecting(listener.address(), Wishes.of(ours), TIMING);
            cases(true, ours).forEach(one -> results.add(runner.run(one)));
            results.add(runner.run(Catalogue.NOTHING_WRONG));
            listener.close();
            serving.join();
        }
        host.close();
        assertGood(results, target);
        assertClean(host);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    @Conforms({
        "CM-006", "CM-008", "CM-010", "CM-012", "CM-014", "CM-022", "CM-023", "CM-029", "CM-031", "CM-032", "CM-044",
        "CM-056", "CM-061", "MPA-019", "MPA-052"
    })
    void aConnectingStagKeepsToTheRulesWhateverThePeerDoes(String name, ConnectionConfig target, ConnectionConfig ours)
            throws Exception {
        List<CaseResult> results = new ArrayList<>();
        ConnectionConfig impatient =
                target.toBuilder().timeout(Duration.ofSeconds(3)).build();
        TargetHost host = new TargetHost(rnic, impatient, this::log);
        Thread connecting;
        try (ServerSocket listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) listener.getLocalSocketAddress();
            connecting = Thread.ofVirtual().start(() -> host.connect(address));
            CaseRunner runner = CaseRunner.listening(listener, Wishes.of(ours), TIMING);
            cases(false, ours).forEach(one -> results.add(runner.run(one)));
            results.add(runner.run(Catalogue.NOTHING_WRONG));
        }
        connecting.join();
        host.close();
        assertGood(results, target);
        assertClean(host);
    }

    @Test
    void theCommandReportsAndLeavesAFile() throws Exception {
        TargetHost host = new TargetHost(rnic, ConnectionConfig.defaults(), this::log);
        Path json = folder.resolve("result.json");
        try (Listener listener = rnic.connectionManager().listen(ANY, 16)) {
            Thread serving = serving(host, listener);
            CommandRun run = CommandRun.of(
                    "misbehave",
                    "crc-wrong",
                    "write-past-end",
                    "--connect",
                    "127.0.0.1:" + listener.address().getPort(),
                    "--wait=20000",
                    "--json=" + json);
            assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.DONE);
            assertThat(run.out())
                    .contains("Terminate 0x2002, FIN", "Terminate 0x1101, FIN", "3 conforms")
                    .contains("MPA-050", "DDP-054");
            listener.close();
            serving.join();
        }
        host.close();
        assertThat(Files.readString(json))
                .contains("\"case\": \"crc-wrong\"", "\"verdict\": \"conforms\"", "\"due\": \"Terminate 0x2002\"");
    }

    @Test
    void aPeerThatIsNotThereIsNamed() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        CommandRun run = CommandRun.of("misbehave", "all", "--connect", "127.0.0.1:" + port, "--patience", "0");
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("no connection to 127.0.0.1:" + port, "are host and port right?");
    }

    /** All with the defaults; else those that the settings can make a difference to, and no waiting for time-outs. */
    private static List<Case> cases(boolean initiator, ConnectionConfig ours) {
        boolean defaults = ours.crc() && ours.peerToPeer() && !ours.markers();
        return Catalogue.of(initiator).stream()
                .filter(one -> defaults || !one.patient())
                .filter(one -> ours.peerToPeer() || one.stage() != Stage.STARTUP)
                .toList();
    }

    private static Thread serving(TargetHost host, Listener listener) {
        return Thread.ofVirtual().start(() -> {
            try {
                host.serve(listener);
            } catch (VerbsException _) {
                // the listener was closed
            }
        });
    }

    private void assertGood(List<CaseResult> results, ConnectionConfig target) {
        assertThat(results).as("%s", log).noneMatch(CaseResult::isBad);
        assertThat(results.stream()
                        .filter(result -> result.verdict() == Verdict.ALLOWED)
                        .filter(result -> !isOurChoice(result, target)))
                .as("neither what is due nor what Stag does where there is a choice")
                .isEmpty();
        Set<String> skipped = new HashSet<>(target.crc() ? ONLY_WITHOUT_CRC : ONLY_WITH_CRC);
        skipped.addAll(target.markers() ? Set.of() : ONLY_WITH_MARKERS);
        assertThat(results.stream()
                        .filter(result -> result.verdict() == Verdict.SKIPPED)
                        .filter(result -> !skipped.remove(result.name())))
                .isEmpty();
        assertThat(skipped).as("cases that should have been skipped").isEmpty();
        assertThat(results).allMatch(result -> result.findings().isEmpty());
    }

    private static boolean isOurChoice(CaseResult result, ConnectionConfig target) {
        String came = result.came();
        return switch (result.name()) {
            case "startup-twice", "fin-inside-fpdu" -> came.equals("Terminate 0x0207, FIN");
            case "fin-idle" -> came.equals("Terminate 0x0207, FIN"); // met a message half sent, on a busy machine
            case "write-before-start" -> came.equals("Terminate 0x1103, FIN"); // regions begin at 0
            case "reply-early-fpdu" -> came.endsWith("went on");
            case "length-oversize" -> target.markers() && came.equals("Terminate 0x2003, FIN");
            case "length-wrong" -> !target.crc() && came.equals("Terminate 0x1100, FIN");
            default -> false;
        };
    }

    private void assertClean(TargetHost host) {
        assertThat(host.damaged()).as("%s", log).isZero();
        RnicSnapshot left = rnic.snapshot();
        assertThat(left.connections()).isEmpty();
        assertThat(left.connectionsOpen() + left.connectionsHalfOpen()).isZero();
        assertThat(left.queuePairs()).isEmpty();
        assertThat(left.completionQueues()).isEmpty();
        assertThat(left.regions()).isEmpty();
        assertThat(left.completionQueueOverflows()).isZero();
    }

    private synchronized void log(String line) {
        log.add(line);
    }
}
