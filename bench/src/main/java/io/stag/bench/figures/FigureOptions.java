package io.stag.bench.figures;

import io.stag.bench.compare.Html;
import io.stag.cli.JsonFile;
import io.stag.cli.OutputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a figure goes besides the terminal. */
final class FigureOptions {
    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "Write everything there as JSON.")
    private @Nullable Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "Write the plot beside the paper's numbers there.")
    private @Nullable Path html;

    @Option(names = "--svg", paramLabel = "FOLDER", description = "Write each plot into a file there.")
    private @Nullable Path svg;

    /** The numbers first: a page that cannot be made does not cost them. */
    void write(Object found, Supplier<Html> pages) throws IOException {
        if (json != null) {
            JsonFile.write(json, found);
        }
        if (html == null && svg == null) {
            return;
        }
        Html page = pages.get();
        if (html != null) {
            page.write(html);
        }
        if (svg != null) {
            page.writePlots(svg);
        }
    }
}
