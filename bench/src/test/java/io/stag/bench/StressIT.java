package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A short one; the long one is a command, see README.md. */
class StressIT {
    @Test
    void nothingBreaksWhenThingsAreClosedDuringTransfers() {
        Outcome outcome = Outcome.of(new Stress(), "--seconds", "2");
        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out()).contains("seed ", "Nothing was found.");
    }
}
