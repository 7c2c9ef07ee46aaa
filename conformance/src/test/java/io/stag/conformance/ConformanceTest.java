package io.stag.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.conformance.Checklist.Item;
import io.stag.conformance.Checklist.Layer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Ties the tests of all modules to the checklist. With {@code -Dstag.conformance.write=true} it writes the document. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConformanceTest {
    private static final Set<String> LEVELS =
            Set.of("MUST", "MUST NOT", "SHOULD", "MAY", "REQUIRED", "RECOMMENDED", "NOT RECOMMENDED");

    private final Repository repository = Repository.find();
    private final Checklist checklist;
    private final Evidence evidence;
    private final ConformanceDocument document;

    ConformanceTest() throws IOException {
        checklist = Checklist.read(repository.checklist());
        evidence = Evidence.scan(repository.testClasses());
        document = new ConformanceDocument(checklist, evidence, test -> {
            try {
                return repository.source(test);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @BeforeAll
    void printCoverage() {
        for (Layer layer : EnumSet.range(Layer.MPA, Layer.EXT)) {
            System.out.println("Conformance, " + document.coverage(layer));
        }
    }

    @Test
    void theChecklistIsWellFormed() {
        for (Layer layer : Layer.values()) {
            List<Item> items = checklist.items(layer);
            assertThat(items).isNotEmpty();
            assertThat(items).extracting(Item::id).isSorted().doesNotHaveDuplicates();
            for (Item item : items) {
                assertThat(item.id()).matches(layer + "-\\d{3}");
                assertThat(item.requirement()).as(item.id()).isNotBlank();
                assertThat(item.level()).as(item.id()).isIn(LEVELS);
                assertThat(item.source()).as(item.id()).isNotBlank();
                assertThat(item.tests()).as(item.id()).matches("[UWPR](/[UWPR])*");
            }
        }
    }

    @Test
    void everyItemThatATestNamesExists() {
        Set<String> unknown = new HashSet<>(evidence.tests().keySet());
        unknown.removeAll(ids());
        assertThat(unknown)
                .as(
                        "unknown items, named by %s",
                        unknown.stream().map(evidence::of).toList())
                .isEmpty();
    }

    @Test
    void whatIsAnnotatedRuns() {
        assertThat(evidence.faults()).isEmpty();
    }

    @Test
    void exceptionsStandForItemsThatNoTestShows() {
        checklist.exceptions().forEach((id, reason) -> {
            assertThat(ids()).contains(id);
            assertThat(reason).as(id).isNotBlank();
            assertThat(evidence.of(id)).as("%s is excepted, but is shown", id).isEmpty();
        });
    }

    @Test
    void theDocumentIsUpToDate() throws IOException {
        if (Boolean.getBoolean("stag.conformance.write")) {
            Files.writeString(repository.document(), document.text());
        }
        assertThat(repository.document())
                .as("write it with %s", ConformanceDocument.COMMAND)
                .exists();
        // a checkout may have turned the line ends
        assertThat(Files.readString(repository.document()).replace("\r\n", "\n"))
                .as("out of date; write it with %s", ConformanceDocument.COMMAND)
                .isEqualTo(document.text());
    }

    private Set<String> ids() {
        return checklist.items().stream().map(Item::id).collect(Collectors.toSet());
    }
}
