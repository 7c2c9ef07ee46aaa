package io.stag.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

/** Puts results into the generated parts of the documentation. */
final class Documentation {
    private static final String MISBEHAVE = "misbehave/";

    private Documentation() {}

    /** What was run only in part leaves its page as it is. */
    static void write(Path docs, Matrix matrix, Path results) throws IOException {
        Set<String> run = matrix.cells().stream().map(CellResult::cell).collect(Collectors.toSet());
        if (Catalogue.cells().stream().map(Cell::name).allMatch(run::contains)) {
            DocPage.read(docs.resolve("interop.md"))
                    .replace("matrix", matrix.markdown())
                    .write();
        }
        DocPage page = DocPage.read(docs.resolve("interop-siw-misbehave.md"));
        for (CellResult cell : matrix.cells()) {
            Path verdicts = results.resolve(cell.cell().replace('/', '-') + ".json");
            if (cell.cell().startsWith(MISBEHAVE) && Files.exists(verdicts)) {
                page.replace(cell.cell(), MisbehavePage.section(cell, Misbehaving.read(verdicts)));
            }
        }
        page.write();
    }
}
