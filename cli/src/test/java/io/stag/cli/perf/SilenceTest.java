package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stag.cli.CommandFailure;
import org.junit.jupiter.api.Test;

class SilenceTest {
    private long now = Long.MAX_VALUE - 5; // the clock of the JVM may start anywhere
    private final Silence silence = new Silence("Look.");

    @Test
    void beginsWithTheFirstLook() {
        now += 2 * Silence.LIMIT_NANOS;
        assertThatCode(() -> silence.check(now)).doesNotThrowAnyException();
        now += Silence.LIMIT_NANOS;
        assertThatCode(() -> silence.check(now)).doesNotThrowAnyException();
    }

    @Test
    void failsWhenItLasts() {
        silence.check(now);
        now += Silence.LIMIT_NANOS + 1;
        assertThatThrownBy(() -> silence.check(now))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("the peer has been silent for 20 s");
    }

    @Test
    void beginsAnewAfterSomethingCame() {
        silence.check(now);
        now += Silence.LIMIT_NANOS;
        silence.broken();
        now += 1;
        assertThatCode(() -> silence.check(now)).doesNotThrowAnyException();
        now += Silence.LIMIT_NANOS + 1;
        assertThatThrownBy(() -> silence.check(now)).isInstanceOf(CommandFailure.class);
    }
}
