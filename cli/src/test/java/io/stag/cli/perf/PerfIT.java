package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.stag.cli.CommandFailure;
import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import io.stag.verbs.ProgressMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The verbs tests over loopback, few samples each. */
class PerfIT {
    @TempDir
    Path folder;

    static Stream<Arguments> runs() {
        return Arrays.stream(PerfTest.values())
                .filter(test -> test.isVerbs() && test.runsOver(Transport.TCP))
                .flatMap(test -> Stream.of(ProgressMode.SHARED, ProgressMode.INVOKER)
                        .flatMap(progress -> Stream.of(WaitMode.values())
                                .filter(wait -> test != PerfTest.WRITE_LAT || wait == WaitMode.POLL)
                                .map(wait -> Arguments.of(test, progress, wait))));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void deliversAndVerifies(PerfTest test, ProgressMode progress, WaitMode wait) throws Exception {
        for (int size : test == PerfTest.ATOMIC_LAT ? new int[] {8} : new int[] {1, 64, 100_000}) {
            RunSpec spec = new RunSpec(
                    test, size, true, false, progress, wait, TransportPath.NIO, 0, 8, 2, 2, Transport.TCP, 0, 0);
            PerfResult result = ControlledRun.of(spec);
            assertThat(result.samples()).isGreaterThanOrEqualTo(50);
            assertThat(result.progress()).isEqualToIgnoringCase(progress.name());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = PerfTest.class,
            names = {"WRITE_BW", "SEND_LAT"})
    void markersSegmentsAndTheOtherPathWork(PerfTest test) throws Exception {
        RunSpec spec = new RunSpec(
                test,
                10_000,
                false,
                true,
                ProgressMode.DEDICATED,
                WaitMode.BLOCK,
                TransportPath.FFM,
                576,
                1,
                1,
                0,
                Transport.TCP,
                0,
                0);
        assertThat(ControlledRun.of(spec).samples()).isGreaterThanOrEqualTo(50);
    }

    /** Writes make no completion at either end, and once counted as silence. */
    @Test
    void aRunOfWritesMayLastLong() throws Exception {
        RunSpec spec = RunSpec.of(PerfTest.WRITE_LAT, 4);
        AtomicLong clock = new AtomicLong();
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (VerbsServer server = new VerbsServer(spec, loopback)) {
            Thread accepting = Thread.ofPlatform().start(server::accept);
            InetSocketAddress address = new InetSocketAddress(loopback, server.port());
            try (VerbsLatencyClient client = new VerbsLatencyClient(spec, address, clock::get)) {
                accepting.join();
                client.start(server.buffers());
                server.start(client.buffers());
                Thread answering = Thread.ofPlatform().start(server::run);
                for (int i = 0; i < 1_000; i++) {
                    assertThat(client.once()).isEqualTo(1);
                    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
                }
                server.stop();
                answering.join();
            }
        }
    }

    @Test
    void whoAsksForARunAndDoesNotConnectIsGivenUp() throws Exception {
        RunSpec spec = RunSpec.of(PerfTest.TCP_LAT, 4);
        try (SocketServer server = new SocketServer(spec, InetAddress.getLoopbackAddress(), Duration.ofMillis(1))) {
            assertThatThrownBy(server::accept)
                    .isInstanceOf(CommandFailure.class)
                    .hasMessage("the client did not connect");
        }
    }

    @Test
    void whoSaysNothingIsGivenUp() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket _ = new Socket(listener.getInetAddress(), listener.getLocalPort());
                ControlChannel control = new ControlChannel(listener.accept())) {
            PerfServer server = new PerfServer(control, listener.getInetAddress(), Duration.ofMillis(1));
            assertThatThrownBy(server::serve)
                    .isInstanceOf(CommandFailure.class)
                    .hasMessage("the other side says nothing");
        }
    }

    @Test
    void runsBothEndsInTwoProcesses() throws Exception {
        Path json = folder.resolve("r.json");
        CommandRun run = CommandRun.of(
                "perf",
                "send-lat",
                "--size",
                "4,1k",
                "--iterations",
                "100",
                "--wait",
                "block",
                "--json",
                json.toString());
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out().lines()).hasSize(3);
        assertThat(JsonParser.parseString(Files.readString(json)).getAsJsonArray())
                .hasSize(2);
    }
}
