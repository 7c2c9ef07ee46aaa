package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A small number of connections; many of them are a command, see README.md. */
class ManyConnectionsIT {
    @Test
    void allConnectionsCarryTheRightContent() {
        Outcome outcome = Outcome.of(
                new ManyConnections(),
                "--connections=50",
                "--rounds=2",
                "--idle-seconds=0.2",
                "--idle-connections=10",
                "--samples=50");
        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out())
                .contains("traffic on all 50: 2 rounds, 0.8 MB verified")
                .contains("memory per end of a connection, never used")
                .contains("idle for ");
    }
}
