package io.stag.bench.figures;

import io.stag.bench.compare.Html;
import io.stag.bench.compare.JsonFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a figure goes besides the terminal. */
final class FigureOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "Write everything there as JSON.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write the plot beside the paper's numbers there.")
    private @Nullable Path html;

    @Option(names = "--svg", paramLabel = "FOLDER", description = "Write each plot into a file there.")
    private @Nullable Path svg;

    void write(Object found, Html page) throws IOException {
        if (json != null) {
            JsonFile.write(json, found);
        }
        if (html != null) {
            page.write(html);
        }
        if (svg != null) {
            page.writePlots(svg);
        }
    }
}
