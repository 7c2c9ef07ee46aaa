package io.stag.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentationTest {
    private static final CaseVerdict BROKEN = new CaseVerdict(
            "invalidate-0",
            "initiator",
            "Send with Invalidate: STag 0",
            "RFC 5040 §5.3",
            List.of("RDMAP-046"),
            "went on",
            "Terminate 0x0109",
            CaseVerdict.VIOLATION,
            "due was Terminate 0x0109",
            List.of(),
            "");

    @TempDir
    Path folder;

    private Path docs;

    @BeforeEach
    void pages() throws IOException {
        docs = Files.createDirectory(folder.resolve("docs"));
        Files.writeString(
                docs.resolve("interop.md"),
                "# Matrix\n<!-- matrix: made by a run -->\nold\n<!-- end of matrix -->\nby hand\n");
        Files.writeString(
                docs.resolve("interop-siw-misbehave.md"),
                "<!-- misbehave/connect: made by a run -->\nold\n<!-- end of misbehave/connect -->\nby hand\n");
        new ObjectMapper().writeValue(folder.resolve("misbehave-connect.json").toFile(), List.of(BROKEN));
    }

    @Test
    void aPartialRunRenewsItsOwnCasesOnly() throws IOException {
        Documentation.write(docs, matrix(List.of("misbehave/connect")), folder);
        assertThat(docs.resolve("interop.md")).content().contains("old");
        assertThat(docs.resolve("interop-siw-misbehave.md"))
                .content()
                .doesNotContain("old")
                .contains("| invalidate-0 |", "| VIOLATION |", "1 break an RFC: siw's fault", "by hand");
    }

    @Test
    void aFullRunRenewsTheMatrix() throws IOException {
        Documentation.write(
                docs, matrix(Catalogue.cells().stream().map(Cell::name).toList()), folder);
        assertThat(docs.resolve("interop.md"))
                .content()
                .doesNotContain("old")
                .contains("QEMU 7.2", "| rping/client/volume |", "99.50 %", "by hand");
    }

    @Test
    void aPageWithoutThePartIsNamed() {
        assertThatThrownBy(() -> DocPage.ofText("nothing").replace("matrix", ""))
                .hasMessageContaining("<!-- matrix: … -->");
    }

    /** The pages of the project have all parts that a run writes. */
    @Test
    void thePagesHaveAPlaceForEverything() throws IOException {
        Path root = Path.of("").toAbsolutePath().getParent().resolve("docs");
        DocPage.read(root.resolve("interop.md")).replace("matrix", "");
        DocPage page = DocPage.read(root.resolve("interop-siw-misbehave.md"));
        for (Cell cell : MisbehaveCells.cells()) {
            page.replace(cell.name(), "");
        }
    }

    private static Matrix matrix(List<String> names) {
        return new Matrix(
                Map.of("QEMU", "7.2"),
                "2026-01-01T00:00:00Z",
                3,
                names.stream()
                        .map(name -> new CellResult(
                                name, "", "stag > siw", "tap", "stock", Status.GREEN, 1, 800, 800, 796, 1, "", "well"))
                        .toList());
    }
}
