package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stag.rnic.transport.LinuxTransport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What needs neither root nor much time; all of it is a command, see README.md. */
class FaultsIT {
    private static final String TRANSPORT = "stag.transport";

    @AfterEach
    void anyTransportAgain() {
        System.clearProperty(TRANSPORT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "ffm"})
    void faultsAreLearntAndStrangersAreSentAway(String transport) {
        assumeTrue(transport.equals("nio") || LinuxTransport.obstacle().isEmpty(), "no system calls of our own here");
        System.setProperty(TRANSPORT, transport);
        Outcome outcome = Outcome.of(
                new Faults(),
                "--faults=KILLED_RESPONDER,KILLED_INITIATOR,RESET,SILENT_RELAY,STOPPED_READING",
                "--slack-seconds=60",
                "--strangers=60",
                "--half-open=32",
                "--startup-seconds=2");
        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out())
                .contains("no sign of life", "took nothing", "it seems to speak HTTP", "it seems to speak TLS")
                .contains("All as it should be.");
    }
}
