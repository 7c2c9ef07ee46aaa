package io.stag.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A short one; the long one is a command, see README.md. */
class SoakIT {
    @Test
    void everythingArrivesThroughAnAgent() {
        check("--progress", "shared");
    }

    @Test
    void everythingArrivesWithMarkersAndWithoutCrcOrAgent() {
        check("--progress", "invoker", "--markers", "--no-crc");
    }

    private static void check(String... how) {
        String[] arguments = {"--writes", "40000", "--octets", "8M", "--seconds", "10", "--heap-every", "0.5"};
        String[] all = Stream.concat(Stream.of(arguments), Stream.of(how)).toArray(String[]::new);
        Outcome outcome = Outcome.of(new Soak(), all);
        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out()).contains("All octets right, memory flat.");
    }
}
