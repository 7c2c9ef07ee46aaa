package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.cli.CommandFailure;
import io.stag.verbs.ProgressMode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BaselineTest {
    static Stream<Arguments> baselines() {
        List<PerfTest> tests = List.of(PerfTest.TCP_LAT, PerfTest.TCP_BW, PerfTest.FRAMED_LAT, PerfTest.FRAMED_BW);
        return tests.stream()
                .flatMap(test -> Stream.of(1, 64, 200_000)
                        .flatMap(size -> Stream.of(WaitMode.values()).map(wait -> Arguments.of(test, size, wait))));
    }

    @ParameterizedTest
    @MethodSource("baselines")
    void deliversAndVerifies(PerfTest test, int size, WaitMode wait) throws Exception {
        RunSpec spec = new RunSpec(
                test,
                size,
                true,
                false,
                ProgressMode.INVOKER,
                wait,
                TransportPath.NIO,
                0,
                8,
                2,
                1,
                Transport.TCP,
                0,
                0);
        PerfResult result = ControlledRun.of(spec);
        assertThat(result.samples()).isGreaterThanOrEqualTo(50);
        assertThat(test.isLatency() ? result.p50Us() : result.mbPerS()).isPositive();
        assertThat(result.size()).isEqualTo(size);
    }

    @Test
    void aServerRefusesWhatCannotBeRun() {
        assertThatThrownBy(() -> ControlledRun.withServer(control -> {
                    control.send(new ControlChannel.Request(ControlChannel.Order.STOP, -5));
                    return control.answer();
                }))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--size 0 is outside");
    }
}
