package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ProgramTest {
    private final Program.Count count = new Program.Count();

    @ParameterizedTest
    @CsvSource({"0, 0", "17, 17", "3k, 3000", "500M, 500000000", "200G, 200000000000", "1T, 1000000000000"})
    void readsNumbersWithUnits(String text, long number) {
        assertThat(count.convert(text)).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "M", "-1", "1.5G", "9999999999T", "1m"})
    void refusesWhatIsNoNumber(String text) {
        assertThatThrownBy(() -> count.convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @Test
    void wrongUsageIsExitCode2() {
        assertThat(Outcome.of(new Soak(), "--writes", "many").exitCode()).isEqualTo(2);
        assertThat(Outcome.of(new Soak(), "--small", "0").exitCode()).isEqualTo(2);
        assertThat(Outcome.of(new ManyConnections(), "--connections", "-1").exitCode())
                .isEqualTo(2);
    }
}
