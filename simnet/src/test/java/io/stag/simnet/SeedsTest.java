package io.stag.simnet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SeedsTest {
    private static final List<String> PROPERTIES = List.of("stag.seed", "stag.seeds");
    private static final long FIRST_SEED = -6098702316054244111L;
    private final Properties saved = new Properties();

    @BeforeEach
    void forgetSettings() {
        saved.putAll(System.getProperties());
        PROPERTIES.forEach(System::clearProperty);
    }

    @AfterEach
    void restoreSettings() {
        System.setProperties(saved);
    }

    @Test
    void aRunHasTwoHundredDifferentSeedsAndTheNextRunTheSame() {
        List<Long> seeds = Seeds.all().toList();
        assertThat(seeds)
                .hasSize(200)
                .doesNotHaveDuplicates()
                .isEqualTo(Seeds.all().toList());
        if (System.getProperty("stag.seeds.fresh") == null && System.getProperty("stag.seeds.base") == null) {
            assertThat(seeds.getFirst()).as("fixed for ever").isEqualTo(FIRST_SEED);
        }
    }

    @Test
    void theirNumberCanBeSet() {
        List<Long> all = Seeds.all().toList();
        System.setProperty("stag.seeds", "3");
        assertThat(Seeds.all()).isEqualTo(all.subList(0, 3));
    }

    @Test
    void theHintReplaysOneSeed() {
        long seed = Seeds.all().filter(s -> s < 0).findFirst().orElseThrow();
        String hint = Seeds.replay(seed);
        assertThat(hint).contains("-Dstag.seed=" + seed);
        System.setProperty("stag.seed", hint.substring(hint.indexOf('=') + 1));
        assertThat(Seeds.all()).containsExactly(seed);
    }
}
