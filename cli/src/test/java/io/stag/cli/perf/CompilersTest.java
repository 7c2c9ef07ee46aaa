package io.stag.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class CompilersTest {

    @Test
    void whatTheCompilersOfARunningJvmWorkCounts() throws IOException {
        assertThat(Compilers.nanos()).as("to come here, something was compiled").isPositive();
    }
}
