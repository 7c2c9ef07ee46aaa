package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark runs; what it says is of no interest here. */
class BenchmarksTest {
    private static final int BENCHMARKS = 3 + 6 + 2 + 4 + 2 + 1 + 3 + 2;

    @Test
    void everyBenchmarkRuns() throws RunnerException {
        Options options = new OptionsBuilder()
                .include("io\\.stag\\.bench\\.")
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(1))
                .param("length", "1400")
                .param("payload", "1400")
                .param("ulpdu", "1414")
                .param("crc", "true")
                .param("markers", "true")
                .param("regions", "1000")
                .param("segment", "1436")
                .param("connections", "2")
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        Collection<RunResult> results = new Runner(options).run();
        assertThat(results).hasSize(BENCHMARKS);
    }
}
