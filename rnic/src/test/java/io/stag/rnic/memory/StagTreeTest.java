package io.stag.rnic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.simnet.Seeds;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StagTreeTest {
    private static final int[] CORNERS = {1, 63, 64, 0xfff, 0x1000, 0x3_ffff, 0x4_0000, 0x80_0000, 0xff_ffff};

    private final StagTable table = new StagTable(new SplittableRandom(1), 10_000);

    @Test
    void removingWhatIsNotThereChangesNothing() {
        var tree = new StagTree();
        tree.remove(5);
        StagEntry entry = table.allocateWindow(1, TestDomain.OWNER);
        tree.put(5, entry);
        tree.remove(4);
        tree.remove(0xff_ffff);
        assertThat(tree.get(5)).isSameAs(entry);
        assertThat(tree.get(4)).isNull();
    }

    @Test
    void emptyNodesAreCutOff() {
        var tree = new StagTree();
        StagEntry entry = table.allocateWindow(1, TestDomain.OWNER);
        tree.put(0x00_0001, entry);
        assertThat(tree.nodes()).isEqualTo(4);
        tree.put(0x00_0002, entry);
        assertThat(tree.nodes()).isEqualTo(4);
        tree.put(0x00_0041, entry);
        assertThat(tree.nodes()).isEqualTo(5);
        tree.remove(0x00_0001);
        assertThat(tree.nodes()).isEqualTo(5);
        tree.remove(0x00_0002);
        assertThat(tree.nodes()).isEqualTo(4);
        tree.remove(0x00_0041);
        assertThat(tree.nodes()).isEqualTo(1);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("io.stag.simnet.Seeds#all")
    void behavesLikeAMap(long seed) {
        var random = new SplittableRandom(seed);
        var tree = new StagTree();
        Map<Integer, StagEntry> model = new HashMap<>();
        for (int i = 0; i < 300; i++) {
            // few different indexes, so that nodes empty and fill again
            int index = CORNERS[random.nextInt(CORNERS.length)] ^ random.nextInt(3) ^ random.nextInt(2) << 12;
            if (random.nextBoolean()) {
                StagEntry entry = new SoftMemoryWindow(table, index, 0, 1, TestDomain.OWNER);
                tree.put(index, entry);
                model.put(index, entry);
            } else {
                tree.remove(index);
                model.remove(index);
            }
            assertThat(tree.get(index)).as(Seeds.replay(seed)).isSameAs(model.get(index));
        }
        assertThat(tree.entries()).as(Seeds.replay(seed)).containsExactlyInAnyOrderElementsOf(model.values());
        model.forEach((index, entry) -> assertThat(tree.get(index)).isSameAs(entry));
    }
}
