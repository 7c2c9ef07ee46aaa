package io.stag.cli.misbehave;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import io.stag.cli.CommandRun;
import io.stag.cli.ExitCode;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogueTest {
    @Test
    void whatWasFoundBeforeThePeerWentIsWritten(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("result.json");
        CommandRun run = CommandRun.of(
                "misbehave", "all", "--connect", "127.0.0.1:1", "--patience", "1", "--json", file.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("the peer is gone");
        assertThat(Files.readString(file).strip()).isEqualTo("[]");
    }

    @Test
    void everyCaseSaysWhatItIsAbout() throws IOException {
        Set<String> known = knownItems();
        assertThat(Catalogue.all())
                .extracting(Case::name)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z0-9-]+"));
        assertThat(Catalogue.all()).allSatisfy(one -> {
            assertThat(one.sends()).as(one.name()).isNotBlank();
            assertThat(one.clause()).as(one.name()).startsWith("RFC ");
            assertThat(one.items()).as(one.name()).isNotEmpty().allMatch(known::contains);
            assertThat(one.expectation().text()).as(one.name()).isNotNull();
        });
    }

    @Test
    void theListShowsEveryCase() {
        CommandRun run = CommandRun.of("misbehave", "--list");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains(Catalogue.all().stream().map(Case::name).toList());
    }

    @Test
    void theListForProgramsNamesRoleAndItemsToo(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("cases.json");
        CommandRun run = CommandRun.of("misbehave", "--list", "--json", file.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        JsonArray cases = JsonParser.parseString(Files.readString(file)).getAsJsonArray();
        assertThat(cases).hasSameSizeAs(Catalogue.all());
        assertThat(cases.get(0).toString())
                .contains("\"case\":\"nothing-wrong\"", "\"role\":\"either\"", "\"items\":[\"RDMAP-029\"]");
    }

    private static Set<String> knownItems() throws IOException {
        Set<String> items = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("..", "docs", "conformance"), "*.csv")) {
            for (Path file : files) {
                Files.readAllLines(file).forEach(line -> items.add(line.substring(0, Math.max(0, line.indexOf(',')))));
            }
        }
        return items;
    }
}
