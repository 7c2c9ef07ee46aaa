package io.stag.rnic.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT2S, 2 s",
        "PT10M, 600 s",
        "PT1.5S, 1.5 s",
        "PT2.013S, 2.013 s",
        "PT0.015S, 15 ms",
        "PT0.1S, 100 ms",
        "PT0.0015S, 1.5 ms",
        "PT0.00002S, 20 µs",
        "PT0.000000999S, 999 ns",
        "PT2562047788015215H30M7.999999999S, 9223372036854775807.999999999 s"
    })
    void isWrittenAsPeopleDo(Duration duration, String expected) {
        assertThat(DurationText.of(duration)).isEqualTo(expected);
    }
}
