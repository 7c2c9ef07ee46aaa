package io.stag.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.conformance.Checklist.Item;
import io.stag.conformance.Checklist.Layer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ConformanceDocumentTest {
    private static final Evidence.Test A = new Evidence.Test("ATest#a", "io/ATest.java");
    private static final Evidence.Test B = new Evidence.Test("BTest", "io/BTest.java");

    private static Item item(String id, String tests) {
        return new Item(Layer.MPA, id, "a | b * " + id, "MUST", "5044 §3", tests, "");
    }

    private static ConformanceDocument document() {
        var checklist = new Checklist(
                List.of(item("MPA-001", "U"), item("MPA-002", "U/W"), item("MPA-003", "P"), item("MPA-004", "R")),
                Map.of("MPA-004", "no reason"));
        Map<String, Set<Evidence.Test>> tests = Map.of("MPA-002", new TreeSet<>(List.of(B, A)));
        return new ConformanceDocument(
                checklist,
                new Evidence(tests, List.of()),
                test -> test.equals(A) ? "wire/src/test/java/io/ATest.java" : "");
    }

    @Test
    void countsWhatIsShown() {
        assertThat(document().text())
                .contains("| MPA | 4 | 3 | 1 | 33 % | 1 | 0 | 1 | 2 |\n")
                .contains("| all | 4 | 3 | 1 | 33 % | 1 | 0 | 1 | 2 |\n");
        assertThat(document().coverage(Layer.MPA)).isEqualTo("MPA: 1 of 3 U/W/P items shown, 33 %");
    }

    @Test
    void givesForEachItemItsTestsOrTheReasonOrOpen() {
        assertThat(document().text())
                .contains("| MPA-001 | MUST | 5044 §3 | U | a \\| b \\* MPA-001 | open |\n")
                .contains("| MPA-002 | MUST | 5044 §3 | U/W | a \\| b \\* MPA-002"
                        + " | [ATest#a](../wire/src/test/java/io/ATest.java)<br>BTest |\n")
                .contains("| a \\| b \\* MPA-004 | *no reason* |\n");
    }

    @Test
    void namesTheCommandThatWritesIt() {
        assertThat(document().text())
                .contains("\n" + ConformanceDocument.COMMAND + "\n")
                .doesNotContain("\r");
    }
}
