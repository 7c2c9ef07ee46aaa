package io.stag.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter err = new StringWriter();
    private final Queue<Runnable> afterASecond = new ArrayDeque<>();
    private final Progress progress = new Progress(new PrintWriter(err), afterASecond::add);

    @Test
    void theStepThatBeganInTheFirstSecondIsShownAfterIt() {
        progress.step("first");
        progress.step("second");
        assertThat(err.toString()).isEmpty();
        afterASecond.remove().run();
        assertThat(err.toString()).contains("second").doesNotContain("first");
        progress.step("third");
        assertThat(err.toString()).contains("third");
    }

    @Test
    void whatEndedInTheFirstSecondIsNeverShown() {
        progress.step("first");
        progress.close();
        afterASecond.remove().run();
        assertThat(err.toString()).isEmpty();
    }
}
