package io.stag.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import org.junit.jupiter.api.Test;

class DemoIT {
    @Test
    void everyOperationIsVerified() {
        CommandRun run = CommandRun.of("demo", "--no-figures");
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out().lines().filter(line -> line.startsWith("  ✓ "))).hasSize(18);
        assertThat(run.out()).contains("REM_ACCESS_ERR", "RFC 5040", "All 18 verified.");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void devicesShowsTheSoftwareRnic() {
        CommandRun run = CommandRun.of("devices");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("queue pairs", "native access");
        assertThat(CommandRun.of("devices", "--json").out()).contains("\"queue_pairs\":", "\"operating_system\":");
    }
}
