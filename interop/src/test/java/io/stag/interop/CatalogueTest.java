package io.stag.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogueTest {
    private final List<Cell> cells = Catalogue.cells();

    @Test
    void namesAreUniqueAndMakeFileNames() {
        assertThat(cells).extracting(Cell::name).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z0-9_/-]+"));
        assertThat(cells).extracting(Cell::fileName).doesNotHaveDuplicates();
    }

    @Test
    void variantsAreThoseOfTheImage() {
        assertThat(cells).extracting(Cell::variant).isSubsetOf("stock", "crc", "p2p", "mpa1", "gso");
    }

    @Test
    void whatEndsTheGuestComesLast() {
        assertThat(cells.getLast().name()).isEqualTo("breaking-off/machine");
    }

    @Test
    void theListNamesEveryCell() {
        String out = command(ExitCode.DONE, "--list");
        assertThat(out.lines()).hasSize(cells.size() + 1);
        cells.forEach(cell -> assertThat(out).contains(cell.name()));
    }

    @Test
    void aSelectionWithoutCellsIsWrongUsage() {
        assertThat(command(ExitCode.USAGE, "--only", "nonsense")).contains("No cell has 'nonsense' in its name");
    }

    @Test
    void theHelpTeaches() {
        assertThat(command(ExitCode.DONE, "--help")).contains("--only", "Examples:", "green; red", "needs root");
    }

    @Test
    void anEarlierRunIsShownAndKeepsItsVerdict(@TempDir Path folder) throws IOException {
        CellResult red = new CellResult("a", "", "", "", "", Status.RED, 0, 0, 0, 0, 0, "", "why");
        new Matrix(Map.of(), "", 0, List.of(red)).write(folder.resolve("matrix.json"));
        Path copy = folder.resolve("copy.json");
        assertThat(command(ExitCode.FAILED, "--from", folder.toString(), "--json", copy.toString()))
                .contains("a: why", "1 cells in 0 s");
        assertThat(Matrix.read(copy).hasRed()).isTrue();
    }

    @Test
    void aMissingRunIsNamed(@TempDir Path folder) {
        assertThat(command(ExitCode.FAILED, "--from", folder.toString())).contains("matrix.json");
    }

    private static String command(int expected, String... arguments) {
        StringWriter text = new StringWriter();
        PrintWriter both = new PrintWriter(text);
        String[] all =
                Stream.concat(Stream.of("--rig", "rig"), Stream.of(arguments)).toArray(String[]::new);
        assertThat(InteropCommand.execute(both, both, all)).as(text.toString()).isEqualTo(expected);
        both.flush();
        return text.toString();
    }
}
