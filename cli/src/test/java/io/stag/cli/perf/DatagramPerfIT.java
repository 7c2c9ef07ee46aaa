package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import io.stag.verbs.ProgressMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tests without connection over loopback, few samples each. Nobody promises that nothing gets lost there. */
class DatagramPerfIT {
    @TempDir
    Path folder;

    static Stream<Arguments> runs() {
        return Arrays.stream(PerfTest.values())
                .filter(test -> test.runsOver(Transport.UDP))
                .flatMap(test -> Stream.of(ProgressMode.SHARED, ProgressMode.INVOKER)
                        .flatMap(progress ->
                                Stream.of(WaitMode.values()).map(wait -> Arguments.of(test, progress, wait))));
    }

    private static RunSpec spec(PerfTest test, int size, ProgressMode progress, WaitMode wait) {
        return new RunSpec(
                test, size, true, false, progress, wait, TransportPath.NIO, 1_472, 8, 1, 0, Transport.UDP, 0, 0);
    }

    @ParameterizedTest
    @MethodSource("runs")
    void deliversVerifiesAndCounts(PerfTest test, ProgressMode progress, WaitMode wait) throws Exception {
        for (int size : new int[] {8, 20_000}) {
            PerfResult result = ControlledRun.of(spec(test, size, progress, wait));
            Delivery delivery = Objects.requireNonNull(result.delivery());
            assertThat(result.samples()).isGreaterThanOrEqualTo(50);
            assertThat(result.transport()).isEqualTo("udp");
            assertThat(delivery.received()).isPositive();
            assertThat(delivery.sent()).isEqualTo(delivery.received() + delivery.partial() + delivery.lost());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = PerfTest.class,
            names = {"SEND_LAT", "WRITE_RECORD_LAT", "UDP_LAT"})
    void aRoundTripWhoseDatagramIsLostIsCountedAndTheNextOneWorks(PerfTest test) throws Exception {
        withRelay(test, (client, relay) -> {
            assertThat(client.once()).isEqualTo(1);
            relay.dropNext(1);
            assertThat(client.once()).as("question lost").isZero();
            assertThat(client.once()).isEqualTo(1);
            relay.dropAfter(1, 1);
            assertThat(client.once()).as("answer lost").isZero();
            assertThat(client.once()).isEqualTo(1);
            assertThat(client.isContentRight()).isTrue();
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = PerfTest.class,
            names = {"SEND_BW", "WRITE_RECORD_BW", "UDP_BW"})
    void whatIsLostIsKnownInTheEnd(PerfTest test) throws Exception {
        Arrivals arrivals = withRelay(test, (client, relay) -> {
            long sent = 0;
            while (sent < 20) {
                sent += client.once();
            }
            client.drain(null);
            relay.dropNext(3);
            while (sent < 100) {
                sent += client.once();
            }
            client.drain(null);
        });
        assertThat(arrivals.whole())
                .as("three datagrams, messages or questions, were lost")
                .isBetween(97L, 103L);
    }

    @Test
    void aFlowWindowHoldsASenderBackAndLetsItGoOn() throws Exception {
        PerfResult result = ControlledRun.of(spec(PerfTest.WRITE_RECORD_BW, 60_000, ProgressMode.SHARED, WaitMode.POLL)
                .withFlow(64));
        assertThat(result.samples()).isGreaterThanOrEqualTo(50);
        assertThat(Objects.requireNonNull(result.delivery()).received()).isPositive();
    }

    @Test
    void aRelayLosesWhatItWasToldTo() throws Exception {
        RunSpec spec = spec(PerfTest.WRITE_RECORD_BW, 20_000, ProgressMode.INVOKER, WaitMode.BLOCK)
                .losing(20);
        Delivery delivery = Objects.requireNonNull(ControlledRun.of(spec).delivery());
        assertThat(delivery.received()).as("15 datagrams each").isLessThan(delivery.sent());
        assertThat(delivery.partial()).isPositive();
        assertThat(delivery.octetsPercent()).isBetween(1.0, 99.0);
    }

    /** What a test does with the two ends and the relay between them. */
    private interface Work {
        void run(ClientTest client, DroppingRelay relay) throws IOException;
    }

    private static Arrivals withRelay(PerfTest test, Work work) throws Exception {
        RunSpec spec = spec(test, 64, ProgressMode.INVOKER, WaitMode.POLL);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerTest server = PerfTests.server(spec, loopback);
                DroppingRelay relay = new DroppingRelay(new InetSocketAddress(loopback, server.port()));
                ClientTest client = PerfTests.client(spec, relay.address())) {
            server.start(client.buffers());
            client.start(server.buffers());
            Thread loop = Thread.ofPlatform().start(() -> run(server));
            try {
                work.run(client, relay);
                return Objects.requireNonNull(server.arrivals());
            } finally {
                server.stop();
                loop.join();
            }
        }
    }

    private static void run(ServerTest server) {
        try {
            server.run();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void noAnswerAtAllIsAFailure() {
        CommandRun run = CommandRun.of(
                "perf", "send-lat", "--transport", "udp", "--size", "4", "--loss", "99.99", "--seconds", "0.3");
        assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("no answer came");
    }

    @Test
    void runsBothEndsInTwoProcesses() throws Exception {
        Path json = folder.resolve("r.json");
        CommandRun run = CommandRun.of(
                "perf",
                "write-record-lat",
                "--size",
                "4,1k",
                "--iterations",
                "100",
                "--wait",
                "block",
                "--json",
                json.toString());
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("write-record-lat, 4 octets: sent ");
        JsonObject first = JsonParser.parseString(Files.readString(json))
                .getAsJsonArray()
                .get(0)
                .getAsJsonObject();
        assertThat(first.get("transport").getAsString()).isEqualTo("udp");
        assertThat(first.getAsJsonObject("delivery").keySet())
                .containsExactly("sent", "received", "partial", "lost", "octets_percent");
    }
}
