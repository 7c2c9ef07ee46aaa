package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import io.stag.verbs.ProgressMode;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The verbs tests over reliable datagrams and loopback, few samples each. */
class ReliablePerfIT {

    static Stream<Arguments> runs() {
        return Arrays.stream(PerfTest.values())
                .filter(test -> test.runsOver(Transport.RD))
                .flatMap(test -> Stream.of(ProgressMode.SHARED, ProgressMode.INVOKER)
                        .flatMap(progress -> Stream.of(WaitMode.values())
                                .filter(wait -> test != PerfTest.WRITE_LAT || wait == WaitMode.POLL)
                                .map(wait -> Arguments.of(test, progress, wait))));
    }

    private static RunSpec spec(PerfTest test, int size, ProgressMode progress, WaitMode wait, TransportPath path) {
        return new RunSpec(test, size, true, false, progress, wait, path, 1_472, 8, 1, 0, Transport.RD, 0, 0);
    }

    @ParameterizedTest
    @MethodSource("runs")
    void deliversAndVerifies(PerfTest test, ProgressMode progress, WaitMode wait) throws Exception {
        for (int size : test == PerfTest.ATOMIC_LAT ? new int[] {8} : new int[] {1, 64, 100_000}) {
            PerfResult result = ControlledRun.of(spec(test, size, progress, wait, TransportPath.NIO));
            assertThat(result.samples()).isGreaterThanOrEqualTo(50);
            assertThat(result.transport()).isEqualTo("rd");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = PerfTest.class,
            names = {"WRITE_BW", "READ_BW", "SEND_BW", "IMM_LAT"})
    void arrivesInSpiteOfLossOnTheOtherPath(PerfTest test) throws Exception {
        RunSpec spec = spec(test, 20_000, ProgressMode.DEDICATED, WaitMode.BLOCK, TransportPath.FFM)
                .losing(5);
        assertThat(ControlledRun.of(spec).samples()).isGreaterThanOrEqualTo(50);
    }

    @Test
    void runsBothEndsInTwoProcesses() {
        CommandRun run = CommandRun.of(
                "perf", "read-lat", "--transport", "rd", "--size", "4,1k", "--iterations", "100", "--wait", "block");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out().lines()).hasSize(3);
    }
}
