package io.stag.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.bench.CommandOutcome;
import io.stag.cli.ExitCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CompareCommandTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "perf compare --size 0k1 | not a number of octets",
                "perf compare --size 0 | --size 0 is outside",
                "perf compare --goals --only [ | is no regular expression: unclosed character class",
                "perf compare --json /nowhere/r.json | there is no folder /nowhere",
                "perf compare --html / | / is a folder",
                "perf compare --rounds 0 | --rounds 0 is not 1 or more",
                "perf compare --launches 0 | --launches 0 is not between 1 and the number of rounds, 30",
                "perf compare --goals --rounds 3 --launches 4 | --launches 4 is not between 1 and",
                "perf compare --seconds 0 | --seconds",
                "perf compare --tests quic | --tests",
                "perf compare --tests atomic --size 64 | need --size 8",
                "perf compare --kind lat --tests atomic --size 64 | need --size 8",
                "perf compare --only x | --only chooses among --goals",
                "perf compare --goals --only nonsense | No row of the goals",
                "perf compare --kind fast | --kind",
                "perf compare extra | Unmatched argument"
            })
    void wrongUsageSaysWhatIsWrong(String arguments, String message) {
        CommandOutcome outcome = CommandOutcome.of(arguments.split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(ExitCode.USAGE);
        assertThat(outcome.err()).contains(message).contains("stag perf compare");
    }

    @Test
    void congestionControlThatIsNotThereIsNotReplacedByAnother() {
        CommandOutcome outcome = CommandOutcome.of("perf", "compare", "--congestion", "nosuch");
        assertThat(outcome.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(outcome.err()).contains("no loopback with congestion control nosuch");
    }

    @Test
    void figuresUnderAnotherCongestionControlThanUsualAreDoubtedBeforeTheyAreMade() {
        PrivateNetwork ownLoopback = new PrivateNetwork(List.of("unshare", "--net"));
        assertThat(MethodOptions.doubt(PrivateNetwork.none(), "bbr"))
                .contains("the system's congestion control, bbr", "tcp_allowed_congestion_control");
        assertThat(MethodOptions.doubt(PrivateNetwork.none(), "cubic")).isEmpty();
        assertThat(MethodOptions.doubt(PrivateNetwork.none(), null)).isEmpty();
        assertThat(MethodOptions.doubt(ownLoopback, "bbr")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"perf compare", "perf check", "figures load", "figures osc-table1"})
    void everyCommandTeaches(String command) {
        CommandOutcome outcome = CommandOutcome.of((command + " --help").split(" "));
        assertThat(outcome.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(outcome.out()).contains("Usage: stag " + command, "Options:", "Exit codes:", "Examples:");
    }
}
