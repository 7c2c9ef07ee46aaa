package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProbedWindowTest {
    private static final long LONG_TIME = 1_000_000_000;

    private final ProbedWindow window = new ProbedWindow(8);

    @Test
    void holdsBackUntilAnAnswerComes() {
        window.sent(8);
        assertThat(window.hasRoom(1)).isFalse();
        long question = window.probe(0);
        assertThat(window.hasRoom(1)).isFalse();
        window.answered(question);
        assertThat(window.hasRoom(8)).isTrue();
        assertThat(window.hasRoom(9)).isFalse();
    }

    @Test
    void asksAfterAQuarterAndAgainWhenNothingComes() {
        window.sent(1);
        assertThat(window.isProbeDue(0)).isFalse();
        window.sent(1);
        assertThat(window.isProbeDue(0)).isTrue();
        window.probe(0);
        assertThat(window.isProbeDue(1)).isFalse();
        assertThat(window.isProbeDue(LONG_TIME))
                .as("question or answer was lost")
                .isTrue();
        window.answered(2);
        assertThat(window.isProbeDue(2 * LONG_TIME)).as("nothing is on its way").isFalse();
    }

    @Test
    void isDoneWhenEverythingWasAnsweredFor() {
        assertThat(window.isAllAnswered()).isTrue();
        window.sent(1);
        assertThat(window.isLastProbeDue(0)).isTrue();
        window.answered(window.probe(0));
        assertThat(window.isAllAnswered()).isTrue();
    }

    @Test
    void takesNoAnswerThatWasOvertakenOrThatNobodyAskedFor() {
        window.sent(2);
        window.probe(0);
        window.answered(3);
        assertThat(window.hasRoom(8)).as("not asked yet").isFalse();
        window.answered(2);
        window.answered(1);
        assertThat(window.hasRoom(8)).as("overtaken").isTrue();
    }

    @Test
    void isAsLargeAsTheReceiveBufferTakes() {
        RunSpec spec = RunSpec.of(PerfTest.UDP_BW, 4);
        assertThat(ProbedWindow.messages(spec, 4, 1 << 20))
                .as("four times the depth")
                .isEqualTo(256);
        assertThat(ProbedWindow.messages(spec, 4, 102_800)).isEqualTo(100);
        assertThat(ProbedWindow.messages(spec.ofSize(2_000), 1_000, 40_480))
                .as("two datagrams")
                .isEqualTo(10);
        assertThat(ProbedWindow.messages(spec.ofSize(1 << 20), 1_408, 1 << 20)).isEqualTo(1);
    }
}
