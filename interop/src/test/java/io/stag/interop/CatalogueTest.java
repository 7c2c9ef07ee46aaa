package io.stag.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.stag.cli.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CatalogueTest {
    private final List<Cell> cells = Catalogue.cells();

    @Test
    void namesAreUniqueAndMakeFileNames() {
        assertThat(cells).extracting(Cell::name).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z0-9_/-]+"));
        assertThat(cells).extracting(cell -> cell.name().replace('/', '-')).doesNotHaveDuplicates();
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
        StringWriter out = new StringWriter();
        int code = new CommandLine(new InteropCommand())
                .setOut(new PrintWriter(out))
                .execute("--rig", Path.of("rig").toString(), "--list");
        assertThat(code).isEqualTo(ExitCode.DONE);
        assertThat(out.toString().lines()).hasSize(cells.size() + 1);
        cells.forEach(cell -> assertThat(out.toString()).contains(cell.name()));
    }
}
