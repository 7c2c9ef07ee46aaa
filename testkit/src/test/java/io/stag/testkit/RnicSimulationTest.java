package io.stag.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Conforms;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole RNIC under faults. Many seeds with {@code -Dstag.seeds=2000}, one again with {@code -Dstag.seed=…}. */
class RnicSimulationTest {
    private static final Logger STAG = Logger.getLogger("io.stag");
    private static final List<LogRecord> BUGS = new ArrayList<>();
    private static final Handler COLLECTOR = new Handler() {
        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.SEVERE.intValue()) {
                BUGS.add(record);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    /** Refused peers are logged, and here nearly all are refused on purpose. */
    @BeforeAll
    static void listenToTheLog() {
        STAG.setLevel(Level.SEVERE);
        STAG.addHandler(COLLECTOR);
    }

    @AfterAll
    static void leaveTheLog() {
        STAG.setLevel(null);
        STAG.removeHandler(COLLECTOR);
    }

    @Conforms("DDP-003")
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void anyWorkOverAnyNetworkKeepsItsPromises(long seed) {
        BUGS.clear();
        try (SimulationRun run = new SimulationRun(seed)) {
            run.run();
        }
        assertThat(BUGS)
                .as("bugs in the log, seed " + seed)
                .extracting(record -> record.getMessage() + " " + record.getThrown())
                .isEmpty();
    }

    @Test
    void aRunIsAFunctionOfItsSeed() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(trace(seed)).isEqualTo(trace(seed));
        }
        assertThat(trace(1)).isNotEqualTo(trace(2));
    }

    private static List<String> trace(long seed) {
        List<String> events = new ArrayList<>();
        try (SimulationRun run = new SimulationRun(seed)) {
            run.simulation().trace((nanos, where, what) -> events.add(nanos + " " + where + " " + what));
            run.run();
        }
        assertThat(events).isNotEmpty();
        return events;
    }
}
