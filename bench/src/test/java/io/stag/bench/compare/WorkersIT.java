package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.cli.CommandFailure;
import io.stag.cli.perf.Measurement;
import io.stag.cli.perf.PerfTest;
import io.stag.cli.perf.RunDuration;
import io.stag.cli.perf.RunSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Processes that take turns. */
class WorkersIT {
    private static final RunSpec TCP = RunSpec.of(PerfTest.TCP_LAT, 64);
    private static final RunSpec WRITE = RunSpec.of(PerfTest.WRITE_LAT, 64);
    private static final RunDuration SHORT = new RunDuration(0.05, 0);
    private static final long PATIENCE = 20_000_000_000L;

    private static List<ProcessHandle> children() {
        return ProcessHandle.current().descendants().toList();
    }

    @Test
    void whoseTurnItIsNotStandsStill() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/stat")), "no /proc that tells the state of a process");
        List<ProcessHandle> before = children();
        try (Workers workers = new Workers(PrivateNetwork.none(), false)) {
            for (int turn = 0; turn < 2; turn++) {
                for (RunSpec spec : List.of(TCP, WRITE)) {
                    Measurement found = workers.run(spec, SHORT);
                    assertThat(found.spec()).isEqualTo(spec);
                    assertThat(found.result().samples()).isPositive();
                }
            }
            List<ProcessHandle> measuring =
                    children().stream().filter(one -> !before.contains(one)).toList();
            assertThat(measuring).as("a client and a server for each").hasSize(4);
            for (ProcessHandle one : measuring) {
                assertThatItStops(one);
            }
        }
        assertThat(children()).as("left behind").allMatch(before::contains);
    }

    /** A process is told to stop, and does when it is its turn on a processor. */
    private static void assertThatItStops(ProcessHandle process) throws IOException {
        long start = System.nanoTime();
        while (!state(process).equals("T")) {
            assertThat(System.nanoTime() - start)
                    .as("nanoseconds of running on")
                    .isLessThan(PATIENCE);
            Thread.onSpinWait();
        }
    }

    /** The field behind the name, which stands in parentheses. */
    private static String state(ProcessHandle process) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        return Arrays.asList(stat.substring(stat.lastIndexOf(')') + 2).split(" "))
                .getFirst();
    }

    @Test
    void whoDiesIsMissedByNobodyElse() throws IOException {
        List<ProcessHandle> before = children();
        try (Workers workers = new Workers(PrivateNetwork.none(), false)) {
            workers.run(TCP, SHORT);
            children().stream().filter(one -> !before.contains(one)).forEach(ProcessHandle::destroyForcibly);
            assertThatExceptionOfType(CommandFailure.class)
                    .isThrownBy(() -> workers.run(TCP, SHORT))
                    .withMessage("the process that measures tcp-lat died");
            assertThat(workers.run(WRITE, SHORT).result().samples()).isPositive();
        }
    }
}
