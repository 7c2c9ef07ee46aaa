package io.stag.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvTest {
    @TempDir
    private Path folder;

    @Test
    void splitsAtCommasOutsideOfQuotes() throws IOException {
        assertThat(Csv.fields("a,b c,")).containsExactly("a", "b c", "");
        assertThat(Csv.fields("\"a, b\",\"say \"\"x\"\"\",c")).containsExactly("a, b", "say \"x\"", "c");
        assertThat(Csv.fields("\"\",\"\"\"\"")).containsExactly("", "\"");
        assertThat(Csv.fields("")).containsExactly("");
    }

    @Test
    void refusesBrokenQuotes() {
        assertThatThrownBy(() -> Csv.fields("\"a")).hasMessageContaining("not closed");
        assertThatThrownBy(() -> Csv.fields("\"a\"\"")).hasMessageContaining("not closed");
        assertThatThrownBy(() -> Csv.fields("\"a\"b")).hasMessageContaining("behind");
    }

    @Test
    void refusesAnotherHeaderAndOtherNumbersOfFields() throws IOException {
        Path file = Files.writeString(folder.resolve("x.csv"), "id,reason\nA-1,because\n");
        assertThat(Csv.read(file, List.of("id", "reason"))).containsExactly(List.of("A-1", "because"));
        assertThatThrownBy(() -> Csv.read(file, List.of("id", "why"))).hasMessageContaining("first line");
        assertThatThrownBy(() -> Csv.read(file, List.of("id"))).hasMessageContaining("fields expected");
    }
}
