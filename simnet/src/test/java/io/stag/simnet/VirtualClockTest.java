package io.stag.simnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class VirtualClockTest {
    @Test
    void standsStillUntilItIsMoved() {
        var clock = new VirtualClock(7);
        assertThat(clock.nanoTime()).isEqualTo(7);
        clock.advanceTo(9);
        assertThat(clock.nanoTime()).isEqualTo(9);
    }

    @Test
    void neverRunsBackward() {
        var clock = new VirtualClock(7);
        assertThatThrownBy(() -> clock.advanceTo(6)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new VirtualClock(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
