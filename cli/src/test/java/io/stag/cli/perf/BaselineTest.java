package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.cli.CommandFailure;
import io.stag.verbs.ProgressMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Client and server of the baselines in one process, with a number of samples instead of a time. */
class BaselineTest {
    private static final PerfClient.Duration FEW = new PerfClient.Duration(0, 50);

    static Stream<Arguments> baselines() {
        List<PerfTest> tests = List.of(PerfTest.TCP_LAT, PerfTest.TCP_BW, PerfTest.FRAMED_LAT, PerfTest.FRAMED_BW);
        return tests.stream()
                .flatMap(test -> Stream.of(1, 64, 200_000)
                        .flatMap(size -> Stream.of(WaitMode.values()).map(wait -> Arguments.of(test, size, wait))));
    }

    @ParameterizedTest
    @MethodSource("baselines")
    void deliversAndVerifies(PerfTest test, int size, WaitMode wait) throws Exception {
        RunSpec spec = new RunSpec(test, size, true, false, ProgressMode.INVOKER, wait, TransportPath.NIO, 0, 8, 2, 1);
        PerfResult result = run(spec);
        assertThat(result.samples()).isGreaterThanOrEqualTo(50);
        assertThat(test.isLatency() ? result.p50Us() : result.mbPerS()).isPositive();
        assertThat(result.size()).isEqualTo(size);
    }

    @Test
    void aServerRefusesWhatCannotBeRun() {
        assertThatThrownBy(() -> withServer(control -> {
                    control.send(new ControlChannel.Request(ControlChannel.Order.STOP, -5));
                    return control.answer();
                }))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--size 0 is outside");
    }

    private interface Use<T> {
        T with(ControlChannel control) throws IOException;
    }

    private static PerfResult run(RunSpec spec) throws Exception {
        return withServer(control -> new PerfClient(control, InetAddress.getLoopbackAddress(), 0).run(spec, FEW));
    }

    private static <T> T withServer(Use<T> use) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread server = Thread.ofPlatform().start(() -> serve(listener));
            T result;
            try (ControlChannel control =
                    new ControlChannel(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort()))) {
                result = use.with(control);
            } finally {
                server.join(10_000);
            }
            return result;
        }
    }

    private static void serve(ServerSocket listener) {
        try (ControlChannel control = new ControlChannel(listener.accept())) {
            new PerfServer(control, InetAddress.getLoopbackAddress()).serve();
        } catch (IOException _) {
            // the client tells
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
